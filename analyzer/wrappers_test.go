package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/analyzer"
)

func TestTableOfWrappersIsReadStrictly(t *testing.T) {
	t.Parallel()
	for about, text := range map[string]string{
		"no text":                       "",
		"no programs":                   "programs: {}",
		"a member that is not known":    "programs: {x: {kind: dispatcher, flag: a}}",
		"no kind":                       "programs: {x: {flags: a}}",
		"a kind that is not known":      "programs: {x: {kind: other}}",
		"a letter twice":                "programs: {x: {kind: dispatcher, flags: a, values: a}}",
		"a sign for a letter":           "programs: {x: {kind: dispatcher, flags: '-'}}",
		"an empty long option":          "programs: {x: {kind: dispatcher, long_flags: ['']}}",
		"a name in upper case":          "programs: {X: {kind: dispatcher}}",
		"a path for a name":             "programs: {/bin/x: {kind: dispatcher}}",
		"less than no operands":         "programs: {x: {kind: dispatcher, operands: -1}}",
		"a shell without a grammar":     "programs: {fish: {kind: shell, flags: c}}",
		"a shell without c":             "programs: {sh: {kind: shell, flags: e}}",
		"a shell with o":                "programs: {sh: {kind: shell, flags: co}}",
		"a shell with values":           "programs: {sh: {kind: shell, flags: c, values: x}}",
		"a shell with applets":          "programs: {sh: {kind: shell, flags: c, applets: [ls]}}",
		"a multiplexer's assignments":   "programs: {x: {kind: multiplexer, assignments: true}}",
		"an applet that wraps":          "programs: {x: {kind: multiplexer, applets: [nice]}, nice: {kind: dispatcher}}",
		"a shell inside with no syntax": "programs: {x: {kind: multiplexer, shells: [fish]}}",
	} {
		_, err := analyzer.ReadWrappers([]byte(text))
		assert.Error(t, err, about)
	}
}
