package bundles

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gavel"
	"gavel/bundles/ruleindex"
	"gavel/rego"
)

// drawPath draws a path or pattern of few different parts, so that paths often match patterns.
func drawPath(t *rapid.T, label string, parts []string) string {
	n := rapid.IntRange(1, 4).Draw(t, label+" length")
	var b strings.Builder
	for i := range n {
		b.WriteString("/")
		b.WriteString(rapid.SampledFrom(parts).Draw(t, fmt.Sprintf("%s part %d", label, i)))
	}
	return b.String()
}

// drawEntries draws an allowlist. Some of its entries are objects.
func drawEntries(rt *rapid.T, label string) []any {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) any {
		pattern := rapid.SampledFrom([]string{"", "", "~"}).Draw(rt, "home") +
			drawPath(rt, "pattern", []string{"usr", "bin", "a", "*", "**", "?", "a*", "[a]", "{a,b}", "b!", `a\b`})
		pattern = rapid.SampledFrom([]string{pattern, pattern, pattern, "*", "a"}).Draw(rt, "or")
		if rapid.Bool().Draw(rt, "object") {
			return map[string]any{"pattern": pattern, "args": rapid.SampledFrom([]any{"any", []any{"-c"}, []any{}}).Draw(rt, "args")}
		}
		return pattern
	}), 0, 4).Draw(rt, label)
}

func TestTheIndexFindsTheEntryThatRegoFinds(t *testing.T) {
	shipped, err := Load(context.Background(), Config{Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		config := map[string]any{
			"tools": map[string]any{"exec": map[string]any{"allowlist": drawEntries(rt, "everybody's")}},
			"agents": map[string]any{
				"defaults": map[string]any{"exec": map[string]any{"allowlist": drawEntries(rt, "defaults")}},
				"coder":    map[string]any{"exec": map[string]any{"allowlist": drawEntries(rt, "coder's")}},
			},
		}
		agent := rapid.SampledFrom([]string{"coder", "other"}).Draw(rt, "agent")
		program := gavel.Executable{Found: true, Real: rapid.SampledFrom([]string{"", "/home/u"}).Draw(rt, "root") +
			drawPath(rt, "path", []string{"usr", "bin", "a", "b", "ab", "[a]", "{a,b}", "b!", `a\b`})}
		got := ruleindex.New(config, nil, nil).Match(agent, "/home/u", program, nil)

		results, err := oparego.New(oparego.Query("found := data.gavel.exec.allowlist.entry(input.segment)"), oparego.Compiler(compilerOf(t, shipped)),
			oparego.Store(inmem.NewFromObject(map[string]any{"config": config})),
			oparego.Input(map[string]any{
				"agent":       map[string]any{"id": agent},
				"environment": map[string]any{"home": "/home/u"},
				"segment":     map[string]any{"executable": map[string]any{"found": true, "real": program.Real}},
			})).Eval(context.Background())
		if err != nil || len(results) != 1 {
			rt.Fatalf("Rego finds nothing: %v", err)
		}
		text, err := json.Marshal(results[0].Bindings["found"])
		if err != nil {
			rt.Fatal(err)
		}
		var want gavel.Match
		if err := json.Unmarshal(text, &want); err != nil || !sameMatch(want, got) {
			rt.Fatalf("%s with %v: the index finds %+v, Rego %+v", program.Real, config, got, want)
		}
	})
}

func sameMatch(a, b gavel.Match) bool {
	return a.Found == b.Found && a.Pattern == b.Pattern && a.Path == b.Path && slices.Equal(a.Args, b.Args)
}
