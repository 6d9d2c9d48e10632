package programs_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel/analyzer/programs"
	"gavel/rego"
)

// linked are the places of other tables where a word is the name of a program as well, by
// the beginning of their path, or the path with $ behind it, each with what the word means there.
func linked() map[string]string {
	return map[string]string{
		"data.yaml:/process/":                "actions of the tool process, and keys",
		"data.yaml:/exec/bounds/":            "parameters of exec, whose times have bounds",
		"analysis/tools.yaml:/":              "tools that agents call, and how their parameters name files",
		"aliases/":                           "names of tools",
		"editions/":                          "tools",
		"packs/":                             "rules about programs: a pack says who may use one, never what its arguments do",
		"analysis/tools.yaml:":               "names of tools, and their parameters",
		"analysis/paths.yaml:/open":          "a member of the table: paths that are open to everybody",
		"analysis/protected.yaml:/local":     "a member of the table: names of this machine",
		"analysis/protected.yaml:/host":      "a member of the table: files of programs that run agents",
		"data.yaml:/tools":                   "tools",
		"data.yaml:/file_sizes":              "what tools do with files: read and write",
		"data.yaml:/groups":                  "tools, and the member itself",
		"data.yaml:/profiles":                "tools",
		"data.yaml:/implied":                 "tools",
		"data.yaml:/denied_with":             "tools",
		"data.yaml:/nothing_without":         "tools",
		"data.yaml:/resources":               "tools",
		"data.yaml:/parameters":              "tools, and their parameters",
		"data.yaml:/elevated":                "words of a message for a setting",
		"data.yaml:/limits/time":             "a limit",
		"data.yaml:/sandbox":                 "tools",
		"data.yaml:/exec/hosts":              "where a command runs",
		"data.yaml:/exec/defaults":           "settings, and where a command runs",
		"data.yaml:/exec/hazards":            "kinds of hazard",
		"data.yaml:/exec/inline/kinds":       "kinds of hazard",
		"data.yaml:/exec$":                   "the layer",
		"data.yaml:/facts":                   "facts",
		"credentials/data.yaml:/environment": "names of variables",
		"environment/data.yaml:/blocked":     "names of variables",
		"environment/data.yaml:/prefixes":    "names of variables",
		"environment/data.yaml:/special":     "names of variables, and shells that give them a meaning",
		"environment/data.yaml:/shells":      "shells, and those whose variables count for them",
		"environment/data.yaml:/values":      "words of values, in which a program is what a variable calls",
		"environment/data.yaml:/paths":       "names of variables",
		"environment/data.yaml:/own":         "names of variables",
		"environment/data.yaml:/shown":       "names of variables",
		"environment/data.yaml:/names_code":  "names of variables",
		"safebins/data.yaml:/filters":        "a language, and words of it",
		"web/data.yaml:":                     "URLs, actions of a tool, and networks",
		"verifier/data.yaml:":                "how asking a verifier can end, and settings",
		"packs/data.yaml:":                   "rules about programs, which say nothing of what they are",
	}
}

// A program has one entry, and no other table says anything of it by name. Within the
// catalog of programs, New refuses a name that is there twice.
func TestNoProgramIsInTwoTables(t *testing.T) {
	t.Parallel()
	catalog, err := programs.Read(rego.Policy)
	require.NoError(t, err)
	const dir, own = "gavel/catalog", programs.Dir
	var twice []string
	read := 0
	require.NoError(t, fs.WalkDir(rego.Policy, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".yaml") || strings.HasPrefix(name, own) {
			return err
		}
		text, err := fs.ReadFile(rego.Policy, name)
		if err != nil {
			return err
		}
		read++
		var table any
		if err := yaml.Unmarshal(text, &table); err != nil {
			return err
		}
		words(strings.TrimPrefix(name, dir+"/")+":", table, func(at, word string) {
			if catalog.Exactly(strings.ToLower(word)) != nil && !explained(at) {
				twice = append(twice, at+" "+word)
			}
		})
		return nil
	}))
	assert.Greater(t, read, 5, "other tables were read")
	assert.Empty(t, twice, "move it into the entry of the program, or say in linked what the word means")
}

func explained(at string) bool {
	for beginning := range linked() {
		if strings.HasPrefix(at+"$", beginning) {
			return true
		}
	}
	return false
}

// words calls found for each word of a table: keys of maps, and texts.
func words(at string, value any, found func(at, word string)) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			found(at+"/"+key, key)
			words(at+"/"+key, inner, found)
		}
	case []any:
		for _, inner := range v {
			words(at, inner, found)
		}
	case string:
		found(at, v)
	}
}
