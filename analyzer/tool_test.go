package analyzer_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

func TestTheAgentThatAToolSpawnsIsRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool   string
		params map[string]any
		want   string
	}{
		"an id":                          {"sessions_spawn", map[string]any{"agentId": " Coder ", "task": "x"}, "coder"},
		"no id":                          {"sessions_spawn", map[string]any{"task": "x"}, ""},
		"no parameters":                  {"sessions_spawn", nil, ""},
		"null is not an id":              {"sessions_spawn", map[string]any{"agentId": nil}, ""},
		"another spelling of the name":   {"sessions_spawn", map[string]any{"agent_id": "coder"}, "coder"},
		"two spellings of one agent":     {"sessions_spawn", map[string]any{"agent_id": "coder", "agentId": "Coder"}, "coder"},
		"two spellings, and two agents":  {"sessions_spawn", map[string]any{"agent_id": "coder", "agentId": "main"}, "?"},
		"a blank id":                     {"sessions_spawn", map[string]any{"agentId": "  "}, "?"},
		"an id that is not text":         {"sessions_spawn", map[string]any{"agentId": []any{"coder"}}, "?"},
		"the other tool for spawning":    {"subagents", map[string]any{"agentId": "coder"}, "coder"},
		"a tool that starts no agents":   {"sessions_list", map[string]any{"agentId": "coder"}, ""},
		"the tool in another case":       {"Sessions_Spawn", map[string]any{"agentId": "coder"}, "coder"},
		"an id in letters of their own":  {"sessions_spawn", map[string]any{"agentId": "Ｃoder"}, "Ｃoder"},
		"a parameter with another name":  {"sessions_spawn", map[string]any{"agent": "coder"}, ""},
		"the name of the parameter only": {"sessions_spawn", map[string]any{"AGENT-ID": "coder"}, "coder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := newAnalyzer(t).Analyze(context.Background(), gavel.Call{Tool: gavel.Tool{Name: c.tool, Params: c.params}}, nil)
			assert.Equal(t, c.want, facts.Tool.Spawns)
		})
	}
}
