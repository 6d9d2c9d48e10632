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

func TestRT21NoLineIsLongerThan64KB(t *testing.T) {
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
		"many long texts":      {"command": "rm x", "list": many(1000, strings.Repeat("x", maxText))},
		"many numbers":         {"command": "rm x", "list": many(100_000, "1")},
		"lists in lists":       {"command": "rm x", "query": many2(90_000)},
		"very deep":            {"command": "rm x", "deep": deep},
		"without end":          {"command": "rm x", "again": object},
		"many names":           {"command": "rm x", "wide": wide},
		"a name without end":   {"command": "rm x", strings.Repeat("k", maxLine): 1},
		"names that are alike": {"command": "rm x", strings.Repeat("k", maxLine) + "1": 1, strings.Repeat("k", maxLine) + "2": 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := &memory{}
			log := open(t, Config{Writer: out})
			event := eventOf("d", params)
			event.Facts.Exec = &gavel.ExecFacts{Command: "rm x", Segments: make([]gavel.Segment, 2000)}
			require.NoError(t, log.Record(context.Background(), event))
			shut(t, log)
			assert.LessOrEqual(t, len(out.String()), maxLine)
			line := decoded(t, out.String())[0]
			assert.Equal(t, "exec", dig(t, line, "input", "tool", "name"))
			assert.Equal(t, "rm x", dig(t, line, "input", "exec", "command"), "what was asked stays")
			assert.Equal(t, "exec.allowlisted", dig(t, line, "result", "reasons", "0", "code"))
			assert.NotEmpty(t, dig(t, line, "custom", "truncated"))
		})
	}
}

// many2 is the body that once filled the memory: [[[[1]]]], many times.
func many2(n int) (out []any) {
	for range n {
		out = append(out, []any{[]any{[]any{[]any{json.Number("1")}}}})
	}
	return out
}

// requireReduced says that a line holds nothing about the call.
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

func TestWhenMaskingFailsNothingLeaksAndNothingIsLost(t *testing.T) {
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
		"an unknown operation":             rules(gavel.MaskRule{Op: "removes", Path: "/input/agent"}),
		"no operation":                     rules(gavel.MaskRule{Path: "/input/agent"}),
		"an empty path":                    rules(gavel.MaskRule{Op: "remove"}),
		"a path without a slash":           rules(gavel.MaskRule{Op: "remove", Path: "input/agent"}),
		"a path outside input and result":  rules(gavel.MaskRule{Op: "remove", Path: "/labels/id"}),
		"the whole event":                  rules(gavel.MaskRule{Op: "remove", Path: "/"}),
		"a stray tilde":                    rules(gavel.MaskRule{Op: "remove", Path: "/input/a~2"}),
		"a tilde at the end":               rules(gavel.MaskRule{Op: "remove", Path: "/input/a~"}),
		"a value that is not JSON":         rules(gavel.MaskRule{Op: "upsert", Path: "/input/agent", Value: func() {}}),
		"a good rule before a bad one":     rules(gavel.MaskRule{Op: "remove", Path: "/input/agent"}, gavel.MaskRule{}),
		"a rule for the native call cache": rules(gavel.MaskRule{Op: "remove", Path: "/nd_builtin_cache"}),
	}
	for name, snapshot := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event := eventOf("d", map[string]any{"command": "s3cret"})
			event.Snapshot = snapshot
			requireReduced(t, written(t, event)[0], "mask_failed")
		})
	}
}

func TestParametersThatAreNotJSONReduceTheEvent(t *testing.T) {
	t.Parallel()
	requireReduced(t, written(t, eventOf("d", map[string]any{"f": func() {}, "g": "s3cret"}))[0], "mask_failed")
}
