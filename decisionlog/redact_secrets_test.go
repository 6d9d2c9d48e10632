package decisionlog

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestRT22SecretsInACallAreNotLogged(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	command := func(text string, words ...string) gavel.Event {
		event := newEvent("d", map[string]any{"command": text})
		event.Facts.Exec = &gavel.ExecFacts{Command: text, Rendered: text, Segments: []gavel.Segment{{Argv: words}}}
		event.Decision.Exec = &gavel.Exec{Command: text, Segments: []gavel.ExecSegment{{Argv: words, Wrappers: [][]string{words}}}}
		event.Decision.Reasons[0].Message = "quotes " + text
		return event
	}
	hazard := command("curl -u a:"+secret+" x", "curl", "-u", "a:"+secret, "x")
	hazard.Facts.Exec.Segments[0].Hazards = []gavel.Hazard{{Kind: "network", Option: "-u", Argument: "a:" + secret}}
	hazard.Facts.Exec.Segments[0].Class = &gavel.Class{Options: []gavel.ClassOption{{Name: "user", Value: "a:" + secret}}}
	hazard.Decision.Reasons[0].Message = "the option -u has the value " + secret
	for name, event := range map[string]gavel.Event{
		"an assignment":         command("API_KEY="+secret+" ls", "ls"),
		"a header":              command("curl -H 'Authorization: Bearer "+secret+"' x", "curl", "-H", "Authorization: Bearer "+secret, "x"),
		"an option":             command("x --token "+secret, "x", "--token", secret),
		"a URL":                 command("git clone https://u:"+secret+"@h/x", "git", "clone", "https://u:"+secret+"@h/x"),
		"facts about an option": hazard,
		"web_fetch":             newEvent("d", map[string]any{"url": "https://h/?token=" + secret, "headers": map[string]any{"Authorization": "Bearer " + secret, "X-Acme": secret}}),
		"headers in a list":     newEvent("d", map[string]any{"headers": []any{"X-Acme: " + secret, []any{"X-Acme", secret}, map[string]any{"name": "X-Acme", "value": secret}}}),
		"headers as text":       newEvent("d", map[string]any{"request_headers": "Accept: */*\nX-Acme: " + secret}),
		"a parameter's name":    newEvent("d", map[string]any{"options": map[string]any{"apiKey": secret, "password": []any{secret}}}),
	} {
		for _, snapshot := range []gavel.Snapshot{nil, snapshotWithRules()} {
			event.Snapshot = snapshot
			line := recordAll(t, event)[0]
			text, err := json.Marshal(line)
			require.NoError(t, err)
			assert.NotContains(t, string(text), secret, name)
			assert.NotContains(t, line, "error", name)
			assert.NotEmpty(t, line["masked"], name)
		}
	}
}

func TestRT22OrdinaryValuesAreNotMasked(t *testing.T) {
	t.Parallel()
	event := newEvent("d", map[string]any{"command": "TOKEN=/bin/rm /bin/rm -rf x", "headers": map[string]any{"Accept": "text/html"}, "key": "main", "max_tokens": 5.0})
	event.Facts.Exec = &gavel.ExecFacts{Segments: []gavel.Segment{{Argv: []string{"/bin/rm", "-rf", "x"}, Executable: gavel.Executable{Real: "/bin/rm"}}}}
	line := recordAll(t, event)[0]
	assert.Equal(t, []any{"/bin/rm", "-rf", "x"}, dig(t, line, "input", "exec", "segments", "0", "argv"), "using a program's path as a secret does not hide the program")
	assert.Equal(t, "/bin/rm", dig(t, line, "input", "exec", "segments", "0", "executable", "real"))
	assert.Equal(t, "TOKEN="+redacted+" /bin/rm -rf x", dig(t, line, "input", "tool", "params", "command"))
	assert.Equal(t, "text/html", dig(t, line, "input", "tool", "params", "headers", "Accept"))
	assert.Equal(t, "main", dig(t, line, "input", "tool", "params", "key"))
	assert.EqualValues(t, 5, dig(t, line, "input", "tool", "params", "max_tokens"))
}

func TestRT22PolicyCanKeepTextThatLooksSecret(t *testing.T) {
	t.Parallel()
	event := newEvent("d", map[string]any{"command": "x --token kept", "note": "--token hidden", "text": "content", "list": []any{"--token", "hidden"}})
	event.Snapshot = snapshotWithRules(gavel.MaskRule{Op: "keep", Path: "/input/tool/params/command"}, gavel.MaskRule{Op: "keep", Path: "/input/tool/params/text"})
	line := recordAll(t, event)[0]
	assert.Equal(t, "x --token kept", dig(t, line, "input", "tool", "params", "command"))
	assert.Equal(t, redacted, dig(t, line, "input", "tool", "params", "text"), "content cannot be kept")
	assert.Equal(t, "--token "+redacted, dig(t, line, "input", "tool", "params", "note"))
	assert.Equal(t, []any{"/input/tool/params/text", "/input/tool/params/list/1", "/input/tool/params/note"}, line["masked"])
	event.Snapshot = snapshotWithRules(gavel.MaskRule{Op: "keep", Path: "/input"})
	line = recordAll(t, event)[0]
	assert.Equal(t, []any{"--token", "hidden"}, dig(t, line, "input", "tool", "params", "list"))
	assert.Equal(t, []any{"/input/tool/params/text"}, line["masked"])
}
