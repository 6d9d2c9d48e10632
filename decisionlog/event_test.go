package decisionlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/plugins/logs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestLineDecodesIntoOPAsEvent(t *testing.T) {
	t.Parallel()
	out := &memory{}
	log := open(t, Config{Writer: out, Labels: map[string]string{"id": "gw-1", "version": "1.2.3"}})
	require.NoError(t, log.Record(context.Background(), eventOf("d1", map[string]any{"command": "ls <x> & y", "text": "secret"})))
	shut(t, log)

	decoder := json.NewDecoder(strings.NewReader(out.String()))
	decoder.DisallowUnknownFields()
	var event logs.EventV1
	require.NoError(t, decoder.Decode(&event))

	assert.Equal(t, map[string]string{"id": "gw-1", "version": "1.2.3", "app": "gavel"}, event.Labels)
	assert.Equal(t, "d1", event.DecisionID)
	assert.Equal(t, "rev-1", event.Bundles["policy"].Revision)
	assert.Equal(t, "gavel/decision/result", event.Path)
	assert.Equal(t, "cli", event.RequestedBy)
	assert.Equal(t, []string{"/input/tool/params/text"}, event.Masked)
	assert.Contains(t, out.String(), `"timestamp":"2026-03-04T04:06:07.000000089Z"`)
	assert.Contains(t, out.String(), `ls <x> & y`, "no HTML escapes")
	assert.EqualValues(t, 1500, event.Metrics["timer_analysis_ns"])
	assert.EqualValues(t, 2_000_000, event.Metrics["timer_rego_query_eval_ns"])
	assert.Equal(t, map[string]any{"revision": "rev-1", "call": "call-d1"}, event.Custom)
	assert.Equal(t, "main", dig(t, *event.Input, "agent", "id"))
	assert.Equal(t, "allow", dig(t, *event.Result, "decision"))
	assert.Equal(t, "exec.allowlisted", dig(t, *event.Result, "reasons", "0", "code"))
	_, err := event.AST()
	require.NoError(t, err)
}

func TestDefaultRedaction(t *testing.T) {
	t.Parallel()
	const secret = "s3cret"
	tests := map[string]struct {
		params map[string]any
		masked []any
		kept   string
	}{
		"content is hidden":                  {map[string]any{"content": secret, "path": "kept"}, []any{"/input/tool/params/content"}, "kept"},
		"a patch's input is hidden":          {map[string]any{"input": secret}, []any{"/input/tool/params/input"}, ""},
		"content that is not text is hidden": {map[string]any{"body": []any{map[string]any{"x": secret}}}, []any{"/input/tool/params/body"}, ""},
		"each edit is hidden": {
			map[string]any{"edits": []any{map[string]any{"oldText": secret, "newText": secret}, map[string]any{"newText": secret, "line": "kept"}}},
			[]any{"/input/tool/params/edits/0/newText", "/input/tool/params/edits/0/oldText", "/input/tool/params/edits/1/newText"}, "kept"},
		"other spellings are hidden":           {map[string]any{"old_text": secret, "NewText": secret}, []any{"/input/tool/params/NewText", "/input/tool/params/old_text"}, ""},
		"values of env are hidden, names kept": {map[string]any{"env": map[string]any{"KEPT/~": secret}}, []any{"/input/tool/params/env/KEPT~1~0"}, "KEPT/~"},
		"an env that is an object of objects":  {map[string]any{"env": map[string]any{"A": map[string]any{"b": secret}}}, []any{"/input/tool/params/env/A"}, ""},
		"an env that is a list":                {map[string]any{"env": []any{"A=" + secret}}, []any{"/input/tool/params/env/0"}, ""},
		"an env that is text":                  {map[string]any{"env": "A=" + secret}, []any{"/input/tool/params/env"}, ""},
		"an env that is null stays":            {map[string]any{"env": nil, "path": "kept"}, nil, "kept"},
		"objects inside lists inside objects":  {map[string]any{"a": []any{[]any{map[string]any{"message": secret}}}}, []any{"/input/tool/params/a/0/0/message"}, ""},
		"values of types of Go": {
			map[string]any{"env": map[string]string{"KEPT": secret}, "edits": []map[string]string{{"newText": secret}}},
			[]any{"/input/tool/params/edits/0/newText", "/input/tool/params/env/KEPT"}, "KEPT"},
		"a name that only contains such a name": {map[string]any{"context": "kept"}, nil, "kept"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := written(t, eventOf("d", test.params))[0]
			text, err := json.Marshal(line)
			require.NoError(t, err)
			assert.NotContains(t, string(text), secret)
			assert.Contains(t, string(text), test.kept)
			if test.masked == nil {
				assert.NotContains(t, line, "masked")
			} else {
				assert.Equal(t, test.masked, line["masked"])
			}
		})
	}
}

func TestExecEnvOfTheResultIsHidden(t *testing.T) {
	t.Parallel()
	event := eventOf("d", nil)
	event.Decision.Exec = &gavel.Exec{Host: "gateway", Env: map[string]string{"TOKEN": "s3cret"}}
	event.Decision.Facts = &gavel.Facts{Tool: gavel.ToolFacts{Params: map[string]any{"content": "s3cret"}}}
	line := written(t, event)[0]
	assert.Equal(t, redacted, dig(t, line, "result", "exec", "env", "TOKEN"))
	assert.Equal(t, []any{"/result/exec/env/TOKEN"}, line["masked"])
	assert.NotContains(t, line["result"], "facts", "an explanation would repeat the input unmasked")
	assert.Equal(t, "s3cret", event.Decision.Exec.Env["TOKEN"], "the caller's decision is not touched")
}

func TestTheCallersEventIsNotModified(t *testing.T) {
	t.Parallel()
	made := func() map[string]any {
		return map[string]any{"content": "x", "list": []any{map[string]any{"text": "y"}}, "env": map[string]any{"A": "b"}}
	}
	for name, snapshot := range map[string]gavel.Snapshot{
		"with mask rules":    rules(gavel.MaskRule{Op: "remove", Path: "/input/tool/params/list"}),
		"without mask rules": nil,
	} {
		event := eventOf("d", made())
		event.Snapshot = snapshot
		written(t, event)
		assert.Equal(t, made(), event.Facts.Tool.Params, name)
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	out := &memory{}
	log := open(t, Config{Writer: out})
	require.NoError(t, log.Record(context.Background(), eventOf("d", map[string]any{"n": json.Number("12345678901234567890")})))
	shut(t, log)
	assert.Contains(t, out.String(), `"n":12345678901234567890`)
}

func TestLongStringsAreCut(t *testing.T) {
	t.Parallel()
	for _, length := range []int{maxText/2 + 1, maxText, 10 * maxText} {
		long := strings.Repeat("ä", length)
		line := written(t, eventOf("d", map[string]any{"command": long}))[0]
		text, ok := dig(t, line, "input", "tool", "params", "command").(string)
		require.True(t, ok)
		assert.Less(t, len(text), maxText+32)
		assert.True(t, strings.HasPrefix(text, strings.Repeat("ä", maxText/2-2)))
		assert.True(t, strings.HasSuffix(text, fmt.Sprintf("ä… (%d bytes)", len(long))), text[len(text)-30:])
		sum := sha256.Sum256([]byte(long))
		assert.Equal(t, []any{map[string]any{"path": "/input/tool/params/command", "bytes": float64(len(long)), "sha256": hex.EncodeToString(sum[:])}},
			dig(t, line, "custom", "truncated"))
	}
}

func TestShorteningATextNeverCutsASecretInHalf(t *testing.T) {
	t.Parallel()
	for _, fill := range []string{"x", "API_TOKEN=" + strings.Repeat("y", 500) + " "} {
		for shift := range 40 {
			text := strings.Repeat(fill, maxWindow/len(fill)+1)[:maxWindow-shift*4] + " x " + "eyJhbGciOiJIUzI1NiJ9s3cret" + strings.Repeat("s3cret", 20) + ".eyJzdWIiOiIxIn0.abc"
			line, err := json.Marshal(written(t, eventOf("d", map[string]any{"command": text + strings.Repeat("z", maxWindow)}))[0])
			require.NoError(t, err)
			assert.NotContains(t, string(line), "eyJhb", "%d", shift)
		}
	}
}

func TestTheDigestOfWhatIsHiddenIsNotLogged(t *testing.T) {
	t.Parallel()
	line := written(t, eventOf("d", map[string]any{"content": strings.Repeat("x", maxLine), "env": map[string]any{"A": strings.Repeat("x", maxLine)}}))[0]
	assert.NotContains(t, line["custom"], "truncated")
}

func TestAGrantIsNotLogged(t *testing.T) {
	t.Parallel()
	out := &memory{}
	log := open(t, Config{Writer: out})
	event := eventOf("d1", nil)
	event.Decision.Approval = &gavel.Pending{ID: "a1", Grant: &gavel.Grant{Token: "signed"}}
	require.NoError(t, log.Record(context.Background(), event))
	shut(t, log)
	assert.NotContains(t, out.String(), "signed")
	assert.Contains(t, out.String(), `"id":"a1"`)
	assert.NotNil(t, event.Decision.Approval.Grant, "whoever asked still has it")
}

// Without mask rules the line is made another way, and says the same.
func TestEventsWithoutMaskRulesSayTheSame(t *testing.T) {
	t.Parallel()
	params := map[string]any{"command": "ls <x> & y", "text": "secret", "n": json.Number("12345678901234567890"), "list": []any{1.5, nil, true},
		"env": map[string]any{"B/1": "two", "A~": "one"}, "nested": map[string]any{"Content": "c", "d": []any{map[string]any{"body": "b"}}}}
	granted := eventOf("granted", params)
	granted.Decision.Approval = &gavel.Pending{ID: "a", Grant: &gavel.Grant{}}
	granted.Decision.Exec = &gavel.Exec{Host: "gateway", Env: map[string]string{"B": "two", "A/": "one"}}
	granted.Decision.Facts = &gavel.Facts{}
	bare := eventOf("bare", nil)
	bare.Decision.Exec = &gavel.Exec{Host: "gateway"}
	long := eventOf("long", map[string]any{"command": strings.Repeat("x", maxText+1)})
	for _, event := range []gavel.Event{granted, bare, long, {}} {
		log, err := New(Config{Writer: &memory{}})
		require.NoError(t, err)
		event.Timestamp = event.Timestamp.Add(1)
		event.Snapshot = nil
		quick, err := log.full(t.Context(), &sheet{masker: log.masker}, event)
		require.NoError(t, err)
		event.Snapshot = rules()
		whole, err := log.full(t.Context(), &sheet{masker: log.masker}, event)
		require.NoError(t, err)
		assert.Equal(t, string(whole), string(quick))
	}
	assert.Equal(t, "secret", params["text"], "the event itself is left unchanged")
}
