package claudecode_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/claudecode"
	"gavel/hosts/hosttest"
)

// As Claude Code 2.1.330 sends it.
const start = `{"session_id":"6be2b7c8","transcript_path":"/h/.claude/projects/w/6be2b7c8.jsonl","cwd":"/w","prompt_id":"4a735e5a",` +
	`"agent_id":"a760a7b0","agent_type":"general-purpose","hook_event_name":"SubagentStart"}`

func TestAStartedSubAgentIsASpawnByItsParent(t *testing.T) {
	h := claudecode.Host()
	p := hosttest.Payload(t, start)
	require.True(t, h.Detect(p))
	r, err := h.Read(p)
	require.NoError(t, err)
	require.Len(t, r.Calls, 1)
	assert.Equal(t, gavel.Tool{Name: "sessions_spawn", Params: map[string]any{"subagent_type": "general-purpose"}}, r.Calls[0].Tool)
	r.Complete(hosts.ProcessInfo{})
	assert.Empty(t, r.Calls[0].Agent.Parents, "the agent that spawns is not the sub-agent")
	for _, effect := range []gavel.Effect{gavel.Allow, gavel.Ask} {
		assert.Equal(t, hosts.Reply{Body: []byte("{}")}, h.Answer(r, hosts.Verdict{Effect: effect, Reason: "r"}))
	}
	denied := h.Answer(r, hosts.Verdict{Reason: "no"})
	assert.Equal(t, hosts.Reply{Stderr: []byte("no\n"), Exit: 2, Body: []byte(`{"systemMessage":"no"}`)}, denied)
	assert.Equal(t, 2, h.Fail(p, errors.New("x")).Exit)
	_, err = h.Read(hosttest.Payload(t, strings.Replace(start, `"agent_type":"general-purpose",`, "", 1)))
	assert.Error(t, err)
}
