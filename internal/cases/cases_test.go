package cases_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/cases"
)

const sound = `Deny wins.

-- config.yaml --
agents: {main: {}}
-- rules/a.rego --
package custom
-- calls.jsonl --
{"agent":{"id":"main"},"tool":{"name":"read"}}

{"agent":{"id":"main"},"tool":{"name":"exec"}}
-- want.jsonl --
{"decision":"deny","codes":["b","a"],"source":"tools.deny","line":3}
{"decision":"allow","command":"'/usr/bin/ls'","by":["allowlist"],"host":"gateway"}
`

func TestACaseIsRead(t *testing.T) {
	t.Parallel()
	c, err := cases.Parse("x/deny.txtar", []byte(sound))
	require.NoError(t, err)
	assert.Equal(t, "deny", c.Name)
	assert.Equal(t, "Deny wins.", c.Comment)
	require.Len(t, c.Calls, 2)
	assert.Equal(t, "exec", c.Calls[1].Tool.Name)
	assert.Equal(t, 13, c.Line(1))
	require.True(t, c.HasPolicy())

	dir := t.TempDir()
	require.NoError(t, c.WritePolicy(dir))
	assert.FileExists(t, filepath.Join(dir, "rules", "a.rego"))
	assert.FileExists(t, filepath.Join(dir, "config.yaml"))
	assert.NoFileExists(t, filepath.Join(dir, "calls.jsonl"))
}

func TestADecisionIsCompared(t *testing.T) {
	t.Parallel()
	c, err := cases.Parse("deny.txtar", []byte(sound))
	require.NoError(t, err)
	denied := func(code, path string, line int) gavel.Reason {
		return gavel.Reason{Code: code, Source: gavel.Source{Path: path, Line: line}}
	}
	allowed := gavel.Decision{Effect: gavel.Allow, Exec: &gavel.Exec{Host: "gateway", Command: "'/usr/bin/ls'",
		Segments: []gavel.ExecSegment{{Argv: []string{"/usr/bin/ls"}, By: "allowlist"}}}}
	for _, test := range []struct {
		name string
		call int
		got  gavel.Decision
		want []string // parts of the message; none when it agrees
	}{
		{"codes are a set", 0, gavel.Decision{Reasons: []gavel.Reason{denied("a", "tools.deny", 3), denied("b", "", 0), denied("a", "", 0)}}, nil},
		{"members that are not given are not compared", 1, allowed, nil},
		{"another effect", 0, gavel.Decision{Effect: gavel.Ask, Reasons: []gavel.Reason{denied("a", "tools.deny", 3), denied("b", "", 0)}},
			[]string{"call 1 (main, read)", "decision: want deny, got ask"}},
		{"a code too few", 0, gavel.Decision{Reasons: []gavel.Reason{denied("a", "tools.deny", 3)}}, []string{"codes: want a, b, got a"}},
		{"another line", 0, gavel.Decision{Reasons: []gavel.Reason{denied("a", "tools.deny", 4), denied("b", "", 3)}},
			[]string{"source: want tools.deny in line 3, got tools.deny in line 4"}},
		{"nothing to execute", 1, gavel.Decision{Effect: gavel.Allow},
			[]string{"command: want '/usr/bin/ls', got nothing", "host: want gateway, got nothing", "by: want allowlist, got nothing"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := c.Compare(test.call, test.got)
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			for _, part := range test.want {
				require.ErrorContains(t, err, part)
			}
		})
	}
}

func TestAnInvalidCaseIsRefusedWithItsLocation(t *testing.T) {
	t.Parallel()
	const calls = "-- calls.jsonl --\n{\"agent\":{\"id\":\"main\"},\"tool\":{\"name\":\"read\"}}\n"
	const want = "-- want.jsonl --\n{\"decision\":\"allow\"}\n"
	for name, test := range map[string]struct{ text, want string }{
		"without a comment":                {calls + want, "c.txtar:1: the comment is missing"},
		"without calls":                    {"Why.\n" + want, "calls.jsonl is missing or empty"},
		"without a decision for each call": {"Why.\n" + calls, "1 calls and 0 lines of want.jsonl"},
		"with an unknown member":           {"Why.\n" + calls + "-- want.jsonl --\n{\"decision\":\"allow\",\"code\":[]}\n", "c.txtar:5: "},
		"with an effect that is none":      {"Why.\n" + calls + "-- want.jsonl --\n{\"decision\":\"permit\"}\n", "c.txtar:5: "},
		"with no effect":                   {"Why.\n" + calls + "-- want.jsonl --\n{\"codes\":[]}\n", `"decision" is missing`},
		"with a line of no source":         {"Why.\n" + calls + "-- want.jsonl --\n{\"decision\":\"deny\",\"line\":1}\n", `"line" needs "source"`},
		"with a call that is none":         {"Why.\n-- calls.jsonl --\n\n{\"agent\":{}}\n" + want, "c.txtar:4: /agent/id"},
		"with an answer that is none":      {"Why.\n" + calls + want + "-- answers.jsonl --\n{\"webhook\":\"yes\"}\n", `c.txtar:7: "yes" is nothing that a verifier can say`},
		"with answers for other calls":     {"Why.\n" + calls + want + "-- answers.jsonl --\n{}\n{}\n", "1 calls and 2 lines of answers.jsonl"},
		"with a file twice":                {"Why.\n" + calls + calls + want, "calls.jsonl occurs twice"},
		"with a file outside":              {"Why.\n-- ../config.yaml --\nx\n" + calls + want, `c.txtar:2: "../config.yaml" is not the name`},
		"with an absolute file":            {"Why.\n-- /etc/x --\nx\n" + calls + want, `"/etc/x" is not the name`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := cases.Parse("c.txtar", []byte(test.text))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestReadingNoCaseIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := cases.Read(filepath.Join(dir, "*.txtar"))
	require.ErrorIs(t, err, cases.ErrNone)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txtar"), []byte(sound), 0o600))
	list, err := cases.Read(filepath.Join(dir, "*.txtar"))
	require.NoError(t, err)
	assert.Len(t, list, 1)
}

func TestSomeIsAPartAndAllIsEverything(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6}
	t.Setenv("GAVEL_TEST", "")
	assert.Equal(t, []int{0, 3, 6}, cases.Some(list, 3))
	t.Setenv("GAVEL_TEST", "all")
	assert.Equal(t, list, cases.Some(list, 3))
}
