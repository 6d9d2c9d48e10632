package unwrap

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
)

// What was printed is compared with what was judged: a text that says anything else than
// its commands, in whatever way it came about, is refused.
func TestAPrintedTextThatSaysSomethingElseIsRefused(t *testing.T) {
	t.Parallel()
	catalog, err := programs.Read(os.DirFS("../../rego"))
	require.NoError(t, err)
	tables, err := NewTables(catalog, nil, nil)
	require.NoError(t, err)
	parsers, err := shell.NewParsers(tables.Effects)
	require.NoError(t, err)
	check := roundTrip{parsers, tables.Builtins}
	judged := func(constructs int) *unwrappedScript {
		return &unwrappedScript{shell: "bash", constructs: constructs, nodes: []node{{real: "/usr/bin/a"}},
			rendered: [][]renderedWord{{{text: "/usr/bin/a"}, {text: "x"}}}}
	}
	for text, want := range map[string]bool{
		"'/usr/bin/a' 'x'":                  true,
		"'/usr/bin/a' 'x'; '/usr/bin/a'":    false,
		"'/usr/bin/b' 'x'":                  false,
		"'a' 'x'":                           false,
		"'/usr/bin/a' 'y'":                  false,
		"'/usr/bin/a'":                      false,
		"'/usr/bin/a' 'x' $(b)":             false,
		"'/usr/bin/a' 'x'\nb":               false,
		"'/usr/bin/a' 'x' > f":              false,
		"A=1 '/usr/bin/a' 'x'":              false,
		"f() { :; }; '/usr/bin/a' 'x'":      false,
		"[[ a =~ $(b) ]]; '/usr/bin/a' 'x'": false,
	} {
		for _, constructs := range []int{0, 1} { // read by the quick way, and by the parser
			assert.Equal(t, want, check.matches(text, judged(constructs)), "%s, by way %d", text, constructs)
		}
	}
	own := &unwrappedScript{shell: "bash", nodes: []node{{name: "read", builtin: true}}, rendered: [][]renderedWord{{{text: "read"}, {text: "-a"}, {text: "x"}}}}
	assert.False(t, check.matches("'read' '-a' 'x'", own), "a builtin with words that are not in the table")
}
