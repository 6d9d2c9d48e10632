package programs_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel/analyzer/programs"
	"gavel/rego"
)

// schema compiles rego/schema/program.json.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(rego.ProgramSchema))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("program.json", document))
	compiled, err := compiler.Compile("program.json")
	require.NoError(t, err)
	return compiled
}

// validate checks an entry as people write it.
func validate(schema *jsonschema.Schema, text []byte) error {
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return err
	}
	plain, err := json.Marshal(value)
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
	if err != nil {
		return err
	}
	return schema.Validate(document)
}

func TestEveryEntryKeepsToTheSchemaAndToTheWidthOfALine(t *testing.T) {
	t.Parallel()
	compiled := schema(t)
	names, err := fs.Glob(rego.Policy, programs.Dir+"/*/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := fs.ReadFile(rego.Policy, name)
		require.NoError(t, err)
		assert.NoError(t, validate(compiled, text), name)
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			assert.LessOrEqual(t, len(lines.Text()), 160, "%s: %s", name, lines.Text())
		}
	}
}

func TestTheOtherDataOfTheCatalogKeepsToTheWidthOfALine(t *testing.T) {
	t.Parallel()
	seen := 0
	require.NoError(t, fs.WalkDir(rego.Policy, path.Dir(programs.Dir), func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".yaml" {
			return err
		}
		seen++
		text, err := fs.ReadFile(rego.Policy, name)
		for line := range strings.Lines(string(text)) {
			assert.LessOrEqual(t, len(strings.TrimRight(line, "\n")), 160, "%s: %s", name, line)
		}
		return err
	}))
	assert.Greater(t, seen, 100)
}

func TestTheSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	t.Parallel()
	compiled := schema(t)
	for name, text := range map[string]string{
		"an unknown key":          "{name: x, rnus: [-e]}",
		"no name":                 "{aliases: [x]}",
		"a kind that is none":     "{name: x, always: flies}",
		"an option without value": "{name: x, options: [{names: [-e]}]}",
		"a word for no option":    "{name: x, options: [{names: [e], value: none}]}",
		"a rule without a name":   "{name: x, rules: [{means: runs}]}",
		"false":                   "{name: x, preserves_paths: false}",
	} {
		assert.Error(t, validate(compiled, []byte(text)), name)
	}
	assert.NoError(t, validate(compiled, []byte("{name: x, described: true}")))
}

// The schema and the Go types say the same keys.
func TestTheSchemaHasTheKeysOfTheReader(t *testing.T) {
	t.Parallel()
	var document struct {
		Properties map[string]any
		Defs       map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(rego.ProgramSchema, &document))
	for name, value := range map[string]any{"": programs.Entry{}, "Option": programs.Option{}, "Rule": programs.Rule{}, "Subcommand": programs.Subcommand{},
		"Wrapper": programs.Wrapper{}, "Builtin": programs.Builtin{}, "SafeBin": programs.SafeBin{}, "Code": programs.Code{},
		"Embeds": programs.Embeds{}, "Runner": programs.Runner{}, "ActsByName": programs.ActsByName{}} {
		properties := document.Defs[name].Properties
		if name == "" {
			properties = document.Properties
		}
		var known []string
		for key := range properties {
			known = append(known, key)
		}
		assert.ElementsMatch(t, keys(reflect.TypeOf(value)), known, "keys of %T", value)
	}
}

// keys are those that a type reads.
func keys(of reflect.Type) (all []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, inline, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case inline == "inline":
			all = append(all, keys(field.Type)...)
		case name != "-":
			all = append(all, name)
		}
	}
	return all
}
