// Package hosttest has what the tests of every translator share: the recorded payloads and
// answers of a host (golden files), and what the host was measured to do with an answer.
package hosttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
)

// Reason is the reason in the golden files.
const Reason = "exec.denied: not allowed"

// golden is one recorded payload, what it means, and the answers that the host obeys.
type golden struct {
	Case      string `json:"case"`
	Event     string `json:"event"`
	Stdin     string `json:"stdin_raw"`
	Canonical struct {
		Tool   string         `json:"tool"`
		Params map[string]any `json:"params"`
	} `json:"canonical"`
	Answers map[string]json.RawMessage `json:"answers"`
}

// printed is an answer of a golden file.
type printed struct {
	Exit           int
	Stdout, Stderr string
}

// Payload reads a payload that must be readable.
func Payload(t *testing.T, text string) hosts.Payload {
	t.Helper()
	p, err := hosts.ReadPayload([]byte(text))
	require.NoError(t, err)
	return p
}

// Payloads reads every recorded payload of testdata/payloads, by file.
func Payloads(t *testing.T) map[string]hosts.Payload {
	t.Helper()
	files, err := filepath.Glob("testdata/payloads/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	list := map[string]hosts.Payload{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		list[filepath.Base(file)] = Payload(t, string(text))
	}
	return list
}

// Golden compares the translator with its golden files: the calls of a payload, and the answers.
func Golden(t *testing.T, h hosts.Host) {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.json")
	require.NoError(t, err)
	seen := 0
	for _, file := range files {
		var g golden
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &g))
		if g.Stdin == "" {
			continue
		}
		seen++
		t.Run(g.Case, func(t *testing.T) {
			p := Payload(t, g.Stdin)
			assert.True(t, h.Detect(p), "it is not recognised")
			r, err := h.Read(p)
			require.NoError(t, err)
			require.Len(t, r.Calls, 1)
			assert.Empty(t, r.Calls[0].Tool.Unread)
			means(t, g, r)
			for _, name := range slices.Sorted(maps.Keys(g.Answers)) {
				var want printed
				require.NoError(t, json.Unmarshal(g.Answers[name], &want))
				got := answerOf(t, h, p, r, name)
				assert.Equal(t, want.Exit, got.Exit, "%s: the exit code", name)
				same(t, name, want.Stdout, string(got.Stdout))
				assert.Equal(t, want.Stderr == "", len(got.Stderr) == 0, "%s: standard error", name)
			}
		})
	}
	require.NotZero(t, seen, "there is no golden file")
}

// means compares the calls of a request with those of the golden file.
func means(t *testing.T, g golden, r hosts.Request) {
	t.Helper()
	call := r.Calls[0]
	if g.Canonical.Tool == "mcp" {
		assert.Equal(t, fmt.Sprintf("mcp:%s/%s", g.Canonical.Params["server"], g.Canonical.Params["name"]), call.Tool.Name)
		return
	}
	assert.Equal(t, g.Canonical.Tool, call.Tool.Name)
	for name, want := range g.Canonical.Params {
		got := call.Tool.Params[name]
		if name == "workdir" && got == nil {
			got = call.Environment.Cwd
		}
		assert.EqualValues(t, want, got, name)
	}
}

// answerOf returns the answer to one of the outcomes in a golden file.
func answerOf(t *testing.T, h hosts.Host, p hosts.Payload, r hosts.Request, name string) hosts.Reply {
	t.Helper()
	switch name {
	case "allow":
		return h.Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "allowed", Run: []string{""}})
	case "allow_rewritten":
		return h.Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "allowed", Run: []string{"'/usr/bin/touch' 'ran'"}})
	case "ask":
		v := hosts.Verdict{Effect: gavel.Ask, Reason: "approval needed: " + Reason, Run: []string{""}}
		if !r.Asks {
			v.Effect = gavel.Deny
		}
		return h.Answer(r, v)
	case "deny":
		return h.Answer(r, hosts.Verdict{Reason: Reason})
	case "abstain":
		return h.Answer(hosts.Request{Host: h.Name, Event: r.Event, NoOpinion: true}, hosts.Verdict{})
	case "pdp_unreachable":
		return h.Fail(p, errors.New("policy decision point unreachable"))
	}
	t.Fatalf("golden answer %q is unknown", name)
	return hosts.Reply{}
}

// same compares two printed answers. The texts of failures may differ.
func same(t *testing.T, name, want, got string) {
	t.Helper()
	if want == "" {
		assert.Empty(t, got, name)
		return
	}
	require.True(t, strings.HasSuffix(got, "\n") && strings.Count(got, "\n") == 1, "%s is not one line: %q", name, got)
	if name == "pdp_unreachable" {
		want = strings.ReplaceAll(want, "gavel: policy decision point unreachable", hosts.FailureText(errors.New("policy decision point unreachable")))
	}
	assert.JSONEq(t, want, got, name)
}

// Tools compares a table with the schemas of the tools that the host offers its model: the table reads or
// drops each parameter of a tool that it lists, and requires those that the host requires.
func Tools(t *testing.T, tableFile string) {
	t.Helper()
	text, err := os.ReadFile(tableFile)
	require.NoError(t, err)
	table, err := hosts.ReadTable(text)
	require.NoError(t, err)
	require.NotEmpty(t, table)
	offered, err := os.ReadFile("testdata/tools/tools.json")
	require.NoError(t, err)
	var list []struct {
		Name       string
		Parameters struct {
			Properties map[string]any
			Required   []string
		}
	}
	require.NoError(t, json.Unmarshal(offered, &list))
	seen := 0
	for _, tool := range list {
		known, ok := table[tool.Name]
		if !ok {
			continue
		}
		seen++
		for name := range tool.Parameters.Properties {
			_, taken := known.Takes[name]
			assert.True(t, taken || known.Keeps || slices.Contains(known.Drops, name), "%s: the parameter %s is neither read nor dropped", tool.Name, name)
		}
		for name, p := range known.Takes {
			_, there := tool.Parameters.Properties[name]
			assert.True(t, there, "%s: the host has no parameter %s", tool.Name, name)
			assert.False(t, p.Required && !slices.Contains(tool.Parameters.Required, name), "%s: %s is not required by the host", tool.Name, name)
		}
	}
	require.NotZero(t, seen, "the table lists no tool that the host offers")
}
