package analyzer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// named is so many variables, as they stand before a command.
func named(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "NAME_%d=x ", i)
	}
	return text.String()
}

func environmentOf(n int) map[string]any {
	env := map[string]any{}
	for i := range n {
		env[fmt.Sprintf("NAME_%d", i)] = "x"
	}
	return env
}

func TestRT20ATooLargeCallIsRefused(t *testing.T) {
	t.Parallel()
	a := newAnalyzer(t)
	for about, c := range map[string]struct {
		command string
		env     int
		want    string // "" is parsed
	}{
		"128 variables of the call":        {"ls", 128, ""},
		"129 variables of the call":        {"ls", 129, "more than 128 environment variables"},
		"10,000, and text without meaning": {"ls 'x", 10_000, "more than 128 environment variables"},
		"128 variables of the text":        {named(128) + "ls", 0, ""},
		"129 variables of the text":        {named(129) + "ls", 0, "more than 128 variables"},
		"128 redirections":                 {"ls " + strings.Repeat(">/tmp/x ", 128), 0, ""},
		"129 redirections":                 {"ls " + strings.Repeat(">/tmp/x ", 129), 0, "more than 128 redirections"},
		"redirections in substitutions":    {strings.Repeat("ls $(ls <a <b);", 65), 0, "more than 128 redirections"},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			params := map[string]any{"command": c.command}
			if c.env > 0 {
				params["env"] = environmentOf(c.env)
			}
			facts := a.Analyze(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: params}}, nil).Exec
			assert.LessOrEqual(t, len(facts.Env), 256, "what is judged")
			assert.LessOrEqual(t, len(facts.Variables), 128, "what is judged")
			if c.want == "" {
				assert.Nil(t, facts.Refusal)
				assert.True(t, facts.Parsed)
				return
			}
			require.NotNil(t, facts.Refusal)
			assert.Equal(t, "limit", facts.Refusal.Kind)
			assert.Equal(t, c.want, facts.Refusal.Construct)
			assert.False(t, facts.Parsed)
			assert.Empty(t, facts.Segments)
			assert.Empty(t, facts.Redirects)
		})
	}
}
