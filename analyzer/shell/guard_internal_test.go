package shell

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/programs"
	"gavel/rego"
)

func TestGaps(t *testing.T) {
	t.Parallel()
	for gap, want := range map[string]struct{ between, around bool }{
		"":              {true, true},
		" \t ":          {true, true},
		" \\\n ":        {true, true},
		"\n":            {false, true},
		" ;\n&& | & ":   {false, true},
		" # a; b\n":     {false, true},
		" # a":          {false, true},
		"\n# a\n# b\n ": {false, true},
		" hit ":         {false, false},
		" # a\nhit":     {false, false},
		" \\":           {false, false},
		" \r":           {false, false},
		" >f":           {false, false},
		" (":            {false, false},
		"# a":           {false, false},
	} {
		assert.Equal(t, want.between, isGapBetweenWords(gap), "%q", gap)
		assert.Equal(t, want.around, isGapBetweenCommands(gap, false), "%q", gap)
	}
	assert.True(t, isGapBetweenCommands("# a", true), "a text may begin with a comment")
}

// TestHiddenCommandsAreSeen plays a parser that loses what stands between two
// nodes: the tree is of one text, and the walker reads another.
func TestHiddenCommandsAreSeen(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ tree, text string }{
		"between two words":                 {"a        b", "a ; hit; b"},
		"between two words, on a new line":  {"a        b", "a \nhit   b"},
		"in what was taken for a comment":   {"a #      \nb", "a #\nhit; \nb"},
		"between two commands":              {"a ;      b", "a ; hit; b"},
		"before the first command":          {"      a", "hit ; a"},
		"after the last command":            {"a       ", "a ; hit"},
		"in a word":                         {"a b____", "a b;hit"},
		"in quotes":                         {"a '_____'", "a '';hit''"},
		"in double quotes":                  {`a "______"`, `a "";hit""`},
		"in double quotes, as backticks":    {`a "______"`, "a \"`hit;`\""},
		"in double quotes, as substitution": {`a "______"`, `a "$(hit)"`},
		"behind an escaped closing quote":   {`a "_" ";hit"`, `a "\" ";hit"`},
	} {
		file, err := syntax.NewParser().Parse(strings.NewReader(tc.tree), "")
		require.NoError(t, err, name)
		w := walker{effects: &Effects{}, text: tc.text}
		w.stmts(file.Stmts, "")
		w.checkGaps()
		assert.NotNil(t, w.Refusal, "%s: %+v", name, w.Commands)
	}
}

func TestParserPanicsAreRefused(t *testing.T) {
	t.Parallel()
	_, r := new(Parsers).parseTree("a", syntax.LangVariant(0xff)) // the parser panics over a grammar that is none
	require.NotNil(t, r)
	assert.Equal(t, kindSyntax, r.Kind)
}

// A parser is used again for the next text, whoever wrote the one before: it must
// read every text as a new one does.
func TestParsersKeepNothingOfEarlierTexts(t *testing.T) {
	t.Parallel()
	catalog, err := programs.Read(rego.Policy)
	require.NoError(t, err)
	effects := NewEffects(catalog)
	used, read := &Parsers{effects: effects}, 0
	for _, file := range []string{"bypass.jsonl", "benign.jsonl", "parser-differentials.jsonl"} {
		text, err := os.ReadFile(filepath.Join("..", "testdata", file))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			var sample struct{ Command, Script string }
			require.NoError(t, json.Unmarshal([]byte(line), &sample))
			for _, shell := range []string{"bash", "dash", "mksh", "zsh"} {
				command := sample.Command + sample.Script
				again := used.read(command, shell)
				require.Equal(t, (&Parsers{effects: effects}).read(command, shell), again, "%s in %s", command, shell)
				if again.Refusal == nil {
					read++
				}
			}
		}
	}
	assert.Greater(t, read, 1000, "texts that were read, after which a parser is used again")
}
