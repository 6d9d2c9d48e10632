package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	t.Parallel()
	files, err := generate(filepath.Join("..", ".."))
	require.NoError(t, err)
	require.Len(t, files, 5)
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join("..", "..", name))
		require.NoError(t, err, "run make generate")
		assert.Equal(t, string(want), string(have), "%s: run make generate", name)
	}
}

// tableOf reads the facts from a file with these declarations.
func tableOf(t *testing.T, declarations string) (*table, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "facts.go")
	require.NoError(t, os.WriteFile(path, []byte("package gavel\n\n"+declarations+"\n"), 0o600))
	return readTable([]string{path})
}

func TestANewFactReachesEveryFile(t *testing.T) {
	t.Parallel()
	facts, err := tableOf(t, "// Facts are all.\ntype Facts struct {\n\tTool ToolFacts `json:\"tool\"`\n}\n\n"+
		"// ToolFacts is the tool.\ntype ToolFacts struct {\n\t// Smell is\n\t// how it smells.\n\tSmell string `json:\"smell\" enum:\"sweet,foul\" varies:\"call\"`\n"+
		"\tLegs []int `json:\"legs\"`\n\tHeads []int `json:\"heads\" nil:\"empty\"` // which it has\n}")
	require.NoError(t, err)
	for _, c := range []struct {
		name  string
		write func(*table) ([]byte, error)
		want  []string
	}{
		{"the input", writeInput, []string{"tool:  regoir.NewShape(\"smell\", \"legs\", \"heads\")", "case 0: // smell\n\t\tb.looked |= varyingCall\n\t\treturn stringTerm(f.Smell)", "return orNull(f.Legs, intsTerm(f.Legs))", "return intsTerm(f.Heads)"}},
		{"the digest", writeDigest, []string{"if w.include&varyingCall != 0 {\n\t\tw.string(f.Smell)\n\t}", "w.ints(f.Legs)"}},
		{"the schema", writeSchema, []string{`"description": "How it smells."`, "\"sweet\",", "\"description\": \"which it has\""}},
		{"the required members", writeMembers, []string{`"tool.smell"`, `"tool.legs"`, `"tool.heads"`}},
		{"the samples for Rego tests", writeSamples, []string{`"smell": "",`, `"legs": [],`}},
	} {
		text, err := c.write(facts)
		require.NoError(t, err, c.name)
		for _, want := range c.want {
			assert.Contains(t, string(text), want, c.name)
		}
	}
}

func TestAMalformedFactIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, member, want string }{
		{"no tag", "Smell string", "facts.go:4: Smell has no tag"},
		{"no name", "Smell string `varies:\"call\"`", "Smell has no name in the input"},
		{"hidden from JSON", "Smell string `json:\"-\"`", `cannot have the tag json:"-"`},
		{"a misspelt tag", "Smell string `json:\"smell\" veries:\"call\"`", `cannot have the tag veries:"call"`},
		{"a misspelt value", "Smell string `json:\"smell\" varies:\"yes\"`", `cannot have the tag varies:"yes"`},
		{"not a tag", "Smell string `json`", "cannot have the tag"},
		{"omitempty without a pointer", "Smell string `json:\"smell,omitempty\"`", "cannot have the tag json"},
		{"a pointer without omitempty", "Tool *Tool `json:\"tool\"`", "cannot have the tag json"},
		{"a nil string", "Smell string `json:\"smell\" nil:\"empty\"`", "cannot have the tag nil"},
		{"an enum of numbers", "Smell int `json:\"smell\" enum:\"1,2\"`", "cannot have the tag enum"},
		{"a context with facts that vary", "Tool Tool `json:\"tool\" frozen:\"context\"`", "cannot have the tag frozen"},
		{"a fraction", "Smell float64 `json:\"smell\"`", "a fact is a string, a bool, an int"},
		{"a list of lists", "Smell [][]string `json:\"smell\"`", "a fact is a string, a bool, an int"},
		{"arbitrary values that do not vary", "Given map[string]any `json:\"given\"`", "tag it varies"},
		{"two on a line", "Smell, Taste string `json:\"smell\"`", "write one exported field per line"},
		{"not exported", "smell string `json:\"smell\"`", "write one exported field per line"},
		{"an undeclared struct", "Nose Nose `json:\"nose\"`", "the package of Facts has no struct Nose"},
		{"itself", "Facts *Facts `json:\"facts,omitempty\"`", "contains itself"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := tableOf(t, "type Facts struct {\n"+c.member+"\n}\n\ntype Tool struct {\nName string `json:\"name\" varies:\"call\"`\n}\n\n")
			require.ErrorContains(t, err, c.want)
		})
	}
}
