package decisionlog

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestRT21NoLineIsLongerThan64KiB(t *testing.T) {
	t.Parallel()
	many := func(n int, text string) (out []any) {
		for range n {
			out = append(out, text)
		}
		return out
	}
	deep := any("end")
	for range 10_000 {
		deep = []any{deep}
	}
	object, wide := map[string]any{}, map[string]any{}
	object["again"] = object
	for i := range 100_000 {
		wide[strconv.Itoa(i)] = i
	}
	for name, params := range map[string]map[string]any{
		"many long texts":                 {"command": "rm x", "list": many(1000, strings.Repeat("x", maxText))},
		"many numbers":                    {"command": "rm x", "list": many(100_000, "1")},
		"lists in lists":                  {"command": "rm x", "query": nestedLists(90_000)},
		"deep nesting":                    {"command": "rm x", "deep": deep},
		"an object that contains itself":  {"command": "rm x", "again": object},
		"many names":                      {"command": "rm x", "wide": wide},
		"a very long name":                {"command": "rm x", strings.Repeat("k", maxLine): 1},
		"long names with the same prefix": {"command": "rm x", strings.Repeat("k", maxLine) + "1": 1, strings.Repeat("k", maxLine) + "2": 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := &memoryWriter{}
			log := openLog(t, Config{Writer: out})
			event := newEvent("d", params)
			event.Facts.Exec = &gavel.ExecFacts{Command: "rm x", Segments: make([]gavel.Segment, 2000)}
			require.NoError(t, log.Record(context.Background(), event))
			closeLog(t, log)
			assert.LessOrEqual(t, len(out.String()), maxLine)
			line := decodeLines(t, out.String())[0]
			assert.Equal(t, "exec", dig(t, line, "input", "tool", "name"))
			assert.Equal(t, "rm x", dig(t, line, "input", "exec", "command"), "the command is kept")
			assert.Equal(t, "exec.allowlisted", dig(t, line, "result", "reasons", "0", "code"))
			assert.NotEmpty(t, dig(t, line, "custom", "truncated"))
		})
	}
}

// nestedLists returns n lists [[[[1]]]]. Such a call once used up all memory.
func nestedLists(n int) (out []any) {
	for range n {
		out = append(out, []any{[]any{[]any{[]any{json.Number("1")}}}})
	}
	return out
}

// requireReduced fails the test if a line contains anything about the call except its effect.
func requireReduced(t *testing.T, line map[string]any, code string) {
	t.Helper()
	require.NotContains(t, line, "input")
	require.Equal(t, map[string]any{"decision": "allow", "revision": "rev-1"}, line["result"])
	require.Equal(t, code, dig(t, line, "error", "code"))
	require.Equal(t, "d", line["decision_id"])
	require.ElementsMatch(t, slices.Collect(maps.Keys(line)), []string{"custom", "decision_id", "error",
		"labels", "path", "requested_by", "result", "timestamp"})
	text, err := json.Marshal(line)
	require.NoError(t, err)
	require.NotContains(t, string(text), "s3cret")
}

func TestFailedMaskingReducesTheLine(t *testing.T) {
	t.Parallel()
	tests := map[string]gavel.Snapshot{
		"the rules fail to evaluate": maskFunc(func(context.Context, map[string]any) ([]gavel.MaskRule, error) {
			return nil, errors.New("quotes s3cret")
		}),
		"the rules panic": maskFunc(func(context.Context, map[string]any) ([]gavel.MaskRule, error) {
			panic("quotes s3cret")
		}),
		"the rules take too long": maskFunc(func(ctx context.Context, _ map[string]any) ([]gavel.MaskRule, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
		"an unknown operation":             snapshotWithRules(gavel.MaskRule{Op: "removes", Path: "/input/agent"}),
		"no operation":                     snapshotWithRules(gavel.MaskRule{Path: "/input/agent"}),
		"an empty path":                    snapshotWithRules(gavel.MaskRule{Op: "remove"}),
		"a path without a slash":           snapshotWithRules(gavel.MaskRule{Op: "remove", Path: "input/agent"}),
		"a path outside input and result":  snapshotWithRules(gavel.MaskRule{Op: "remove", Path: "/labels/id"}),
		"the whole event":                  snapshotWithRules(gavel.MaskRule{Op: "remove", Path: "/"}),
		"a stray tilde":                    snapshotWithRules(gavel.MaskRule{Op: "remove", Path: "/input/a~2"}),
		"a tilde at the end":               snapshotWithRules(gavel.MaskRule{Op: "remove", Path: "/input/a~"}),
		"a value that is not JSON":         snapshotWithRules(gavel.MaskRule{Op: "upsert", Path: "/input/agent", Value: func() {}}),
		"a good rule before a bad one":     snapshotWithRules(gavel.MaskRule{Op: "remove", Path: "/input/agent"}, gavel.MaskRule{}),
		"a rule for the native call cache": snapshotWithRules(gavel.MaskRule{Op: "remove", Path: "/nd_builtin_cache"}),
	}
	for name, snapshot := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event := newEvent("d", map[string]any{"command": "s3cret"})
			event.Snapshot = snapshot
			requireReduced(t, recordAll(t, event)[0], "mask_failed")
		})
	}
}

func TestParametersThatAreNotJSONReduceTheLine(t *testing.T) {
	t.Parallel()
	requireReduced(t, recordAll(t, newEvent("d", map[string]any{"f": func() {}, "g": "s3cret"}))[0], "mask_failed")
}
