package decisionlog

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestMaskRules(t *testing.T) {
	t.Parallel()
	remove := func(path string) gavel.MaskRule { return gavel.MaskRule{Op: "remove", Path: path} }
	upsert := func(path string, value any) gavel.MaskRule {
		return gavel.MaskRule{Op: "upsert", Path: path, Value: value}
	}
	const before = `{"input":{"a":{"b":"s","c/d":"t","~":"u"},"list":[{"n":1},{"n":2},{"n":3}],"null":null},"result":{"x":"y"}}`
	tests := map[string]struct {
		rules  []gavel.MaskRule
		after  string
		erased []string
		masked []string
	}{
		"a member is removed": {rules: []gavel.MaskRule{remove("/input/a/b")}, erased: []string{"/input/a/b"},
			after: `{"input":{"a":{"c/d":"t","~":"u"},"list":[{"n":1},{"n":2},{"n":3}],"null":null},"result":{"x":"y"}}`},
		"escapes name / and ~": {rules: []gavel.MaskRule{remove("/input/a/c~1d"), remove("/input/a/~0")}, erased: []string{"/input/a/c~1d", "/input/a/~0"},
			after: `{"input":{"a":{"b":"s"},"list":[{"n":1},{"n":2},{"n":3}],"null":null},"result":{"x":"y"}}`},
		"an element is removed": {rules: []gavel.MaskRule{remove("/input/list/1")}, erased: []string{"/input/list/1"},
			after: `{"input":{"a":{"b":"s","c/d":"t","~":"u"},"list":[{"n":1},{"n":3}],"null":null},"result":{"x":"y"}}`},
		"inside an element": {rules: []gavel.MaskRule{upsert("/input/list/2/n", "*")}, masked: []string{"/input/list/2/n"},
			after: `{"input":{"a":{"b":"s","c/d":"t","~":"u"},"list":[{"n":1},{"n":2},{"n":"*"}],"null":null},"result":{"x":"y"}}`},
		"an element is replaced": {rules: []gavel.MaskRule{upsert("/input/list/0", nil)}, masked: []string{"/input/list/0"},
			after: `{"input":{"a":{"b":"s","c/d":"t","~":"u"},"list":[null,{"n":2},{"n":3}],"null":null},"result":{"x":"y"}}`},
		"the whole input is removed": {rules: []gavel.MaskRule{remove("/input")}, erased: []string{"/input"}, after: `{"result":{"x":"y"}}`},
		"the whole result is replaced": {rules: []gavel.MaskRule{remove("/input"), upsert("/result", map[string]any{"k": 1})},
			erased: []string{"/input"}, masked: []string{"/result"}, after: `{"result":{"k":1}}`},
		"missing objects are created": {rules: []gavel.MaskRule{upsert("/result/p/q", "*"), upsert("/input/null/k", "*"), remove("/input/list"), remove("/input/a")},
			masked: []string{"/result/p/q", "/input/null/k"}, erased: []string{"/input/list", "/input/a"},
			after: `{"input":{"null":{"k":"*"}},"result":{"x":"y","p":{"q":"*"}}}`},
		"a rule for a missing value does nothing": {rules: []gavel.MaskRule{remove("/input/nope/b"), remove("/result/z"), remove("/input/null/k"), remove("/input/list/3"), upsert("/input/list/3", "*")},
			after: before},
		"a string in the way is removed": {rules: []gavel.MaskRule{remove("/result/x/deep/er")}, erased: []string{"/result/x"},
			after: `{"input":{"a":{"b":"s","c/d":"t","~":"u"},"list":[{"n":1},{"n":2},{"n":3}],"null":null},"result":{}}`},
		"a string in the way is replaced": {rules: []gavel.MaskRule{upsert("/result/x/deep", "*")}, masked: []string{"/result/x"},
			after: `{"input":{"a":{"b":"s","c/d":"t","~":"u"},"list":[{"n":1},{"n":2},{"n":3}],"null":null},"result":{"x":"*"}}`},
		"an array in the way is removed": {rules: []gavel.MaskRule{remove("/input/list/n")}, erased: []string{"/input/list"},
			after: `{"input":{"a":{"b":"s","c/d":"t","~":"u"},"null":null},"result":{"x":"y"}}`},
		"an index with a leading zero is a name": {rules: []gavel.MaskRule{remove("/input/list/00")}, erased: []string{"/input/list"},
			after: `{"input":{"a":{"b":"s","c/d":"t","~":"u"},"null":null},"result":{"x":"y"}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var doc map[string]any
			require.NoError(t, json.Unmarshal([]byte(before), &doc))
			var got maskResult
			require.NoError(t, got.apply(doc, test.rules))
			after, err := json.Marshal(doc)
			require.NoError(t, err)
			assert.JSONEq(t, test.after, string(after))
			assert.Equal(t, test.erased, got.erased)
			assert.Equal(t, test.masked, got.masked)
		})
	}
}

func TestMaskRulesSeeTheRedactedEvent(t *testing.T) {
	t.Parallel()
	event := newEvent("d", map[string]any{"command": "login s3cret", "text": "redacted before the rules run"})
	event.Snapshot = maskFunc(func(_ context.Context, doc map[string]any) ([]gavel.MaskRule, error) {
		if dig(t, doc, "input", "tool", "params", "text") != redacted {
			return nil, assert.AnError
		}
		return []gavel.MaskRule{
			{Op: "remove", Path: "/input/tool/params/command"},
			{Op: "upsert", Path: "/result/reasons/0/message", Value: "*"},
		}, nil
	})
	line := recordAll(t, event)[0]
	assert.Equal(t, []any{"/input/tool/params/command"}, line["erased"])
	assert.Equal(t, []any{"/input/tool/params/text", "/result/reasons/0/message"}, line["masked"])
	assert.NotContains(t, dig(t, line, "input", "tool", "params"), "command")
	assert.Equal(t, "*", dig(t, line, "result", "reasons", "0", "message"))
}

func TestValueOfAMaskRuleIsCopied(t *testing.T) {
	t.Parallel()
	value := map[string]any{"k": "v"}
	doc := map[string]any{"input": map[string]any{}}
	var got maskResult
	require.NoError(t, got.apply(doc, []gavel.MaskRule{
		{Op: "upsert", Path: "/input/a", Value: value},
		{Op: "upsert", Path: "/input/a/k", Value: "changed"},
	}))
	assert.Equal(t, map[string]any{"k": "v"}, value)
}

func FuzzMaskRule(f *testing.F) {
	for _, path := range []string{"/input/a/b", "/input/list/0", "/result", "/input/a/c~1d", "/", "", "/input//", "/input/list/-"} {
		f.Add("remove", path)
		f.Add("upsert", path)
	}
	f.Fuzz(func(t *testing.T, op, path string) {
		doc := map[string]any{"input": map[string]any{"a": map[string]any{"b": "c"}, "list": []any{"d", []any{}}}, "labels": "kept"}
		var got maskResult
		err := got.apply(doc, []gavel.MaskRule{{Op: op, Path: path, Value: "*"}})
		assert.Equal(t, "kept", doc["labels"])
		if err != nil {
			return
		}
		for _, pointer := range append(got.erased, got.masked...) {
			_, err := parsePointer(pointer)
			assert.NoError(t, err)
		}
	})
}
