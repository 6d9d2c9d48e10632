package bundles_test

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/rego"
)

// schema is the part of a JSON Schema that these tests compare.
type schema struct {
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
}

func readSchema(t *testing.T, text []byte) schema {
	t.Helper()
	var s schema
	require.NoError(t, json.Unmarshal(text, &s))
	return s
}

// compare compares the members of a struct with those of a schema, recursively. extra are members
// that only the schema has.
func compare(t *testing.T, path string, s schema, typ reflect.Type, extra ...string) {
	t.Helper()
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() == reflect.Slice {
		require.Equal(t, "array", s.Type, path)
		compare(t, path+"[]", *s.Items, typ.Elem())
		return
	}
	if typ.Kind() != reflect.Struct || typ.PkgPath() != reflect.TypeFor[gavel.Facts]().PkgPath() {
		return
	}
	members, required := []string{}, []string{}
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		members = append(members, name)
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
		inner, ok := s.Properties[name]
		if assert.True(t, ok, "the schema lacks %s.%s", path, name) {
			compare(t, path+"."+name, inner, typ.Field(i).Type)
		}
	}
	var have []string
	for name := range s.Properties {
		if !slices.Contains(extra, name) {
			have = append(have, name)
		}
	}
	assert.ElementsMatch(t, members, have, path)
	assert.ElementsMatch(t, required, s.Required, "required of "+path)
}

func TestTheFactsSchemaMatchesTheStruct(t *testing.T) {
	compare(t, "facts", readSchema(t, rego.FactsSchema), reflect.TypeFor[gavel.Facts](), "frozen", "snapshot")
}

func TestTheDecisionSchemaMatchesTheStruct(t *testing.T) {
	s := readSchema(t, rego.DecisionSchema)
	delete(s.Properties, "facts") // they have a schema of their own
	typ := reflect.TypeFor[gavel.Decision]()
	names := []string{}
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name != "facts" && name != "-" {
			names = append(names, name)
		}
	}
	have := []string{}
	for name := range s.Properties {
		have = append(have, name)
	}
	assert.ElementsMatch(t, names, have)
	compare(t, "reason", *s.Properties["reasons"].Items, reflect.TypeFor[gavel.Reason]())
	compare(t, "exec", s.Properties["exec"], reflect.TypeFor[gavel.Exec]())
	compare(t, "web", s.Properties["web"], reflect.TypeFor[gavel.Web]())
	compare(t, "change", s.Properties["change"], reflect.TypeFor[gavel.Change]())
	compare(t, "layer", *s.Properties["layers"].Items, reflect.TypeFor[gavel.Layer]())
}

func TestRegoReadsTheSameConfigurationSchema(t *testing.T) {
	text, err := rego.Policy.ReadFile("gavel/config/schema/data.json")
	require.NoError(t, err)
	assert.JSONEq(t, string(rego.ConfigSchema), string(text), "run make generate")
}

// A policy that replaces the gavel root without the schema cannot check its configuration.
func TestARootWithoutTheSchemaIsNotUsed(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig)
	require.NoError(t, fs.WalkDir(rego.Policy, "gavel", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && name == "gavel/config/schema" {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.rego") || strings.HasSuffix(name, ".md") {
			return err
		}
		text, err := rego.Policy.ReadFile(name)
		if err == nil {
			writeFile(t, filepath.Join(dir, name), string(text))
		}
		return err
	}))
	problems := problemsOf(t, dir)
	require.NotEmpty(t, problems)
	assert.Contains(t, problems[0].Message, "could not be checked")
}
