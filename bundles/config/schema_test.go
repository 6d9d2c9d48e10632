package config

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// eachPart calls visit for a schema and every schema inside it, with the JSON pointer to it. It
// returns their number.
func eachPart(schema any, pointer string, visit func(pointer string, schema rawSchema)) int {
	fields, ok := schema.(map[string]any)
	if !ok {
		return 0
	}
	count := 1
	visit(pointer, fields)
	for _, key := range []string{"properties", "definitions"} {
		for name, part := range rawSchema(fields).part(key) {
			count += eachPart(part, pointer+"/"+key+"/"+name, visit)
		}
	}
	for _, key := range []string{"items", "additionalProperties", "propertyNames"} {
		count += eachPart(fields[key], pointer+"/"+key, visit)
	}
	return count
}

func TestTheSchemaFollowsItsConventions(t *testing.T) {
	t.Parallel()
	raw := newReader(t).raw
	// Both validators and validate.go know these keywords. Explain others in validate.go first.
	known := strings.Fields("$schema $id $ref title description type properties additionalProperties propertyNames definitions " +
		"items enum pattern minimum maximum minItems minProperties required not allOf default examples x-gavel-key " + markIgnored +
		" " + markInstead + " " + markRefused + " " + markEdition)
	count := eachPart(map[string]any(raw), "#", func(pointer string, schema rawSchema) {
		for key := range schema {
			assert.Contains(t, known, key, "%s: a keyword that is not explained", pointer)
		}
		if schema["type"] == "object" {
			assert.NotEmpty(t, schema.string("title"), "%s: editors and problems show the title", pointer)
			assert.NotEmpty(t, schema.string("description"), "%s: editors show the description", pointer)
			assert.Contains(t, schema, "type", pointer)
		}
		if schema["type"] == "array" {
			assert.True(t, strings.HasPrefix(schema.string("title"), "list of "), "%s: a list says of what", pointer)
		}
		if ref := schema.string("$ref"); ref != "" {
			assert.NotNil(t, raw.at(ref), "%s: %s leads nowhere", pointer, ref)
		}
		if _, listed := schema["properties"]; listed {
			assert.Contains(t, schema, "additionalProperties", "%s: every map is closed, or says what it passes over", pointer)
		}
		if _, refused := schema["not"]; refused {
			assert.NotEmpty(t, schema.string(markInstead), "%s: a key that is refused says which one to use", pointer)
		}
		for value := range schema.part(markRefused) {
			assert.NotContains(t, schema["enum"], value, "%s: a refused value must be refused", pointer)
		}
	})
	require.Greater(t, count, 200, "the walk over the schema found too little")
}

func TestTheSchemaCanBeUsedByEditors(t *testing.T) {
	t.Parallel()
	schema := newReader(t).schema
	for name, c := range map[string]struct {
		text string
		fits bool
	}{
		"both shapes of agents":         {`{"agents": {"list": [{"id": "Main", "workspace": "~"}], "coder": {"profile": "coding"}}}`, true},
		"sections that are not ours":    {`{"$schema": "x", "models": {}, "mine": 1}`, true},
		"channels with their own":       {`{"channels": {"telegram": {"botToken": "x", "groups": {"*": {"requireMention": true}}}}}`, true},
		"a listed agent without id":     {`{"agents": {"list": [{"workspace": "~"}]}}`, false},
		"a misspelt key in an agent":    {`{"agents": {"list": [{"id": "main", "tool": {}}]}}`, false},
		"a secret in plain text":        {`{"tools": {"verifier": {"webhook": {"secret": "hunter2"}}}}`, false},
		"providers":                     {`{"providers": []}`, false},
		"an agent id that is not an id": {`{"agents": {"a b": {}}}`, false},
		"a blank entry of a deny":       {`{"tools": {"deny": ["\u00a0"]}}`, false},
		"an allowlist entry, its args":  {`{"tools": {"exec": {"allowlist": [{"pattern": "x", "args": ["-o"]}]}}}`, true},
	} {
		data, err := jsonschema.UnmarshalJSON(strings.NewReader(c.text))
		require.NoError(t, err, name)
		if c.fits {
			assert.NoError(t, schema.Validate(data), name)
		} else {
			assert.Error(t, schema.Validate(data), name)
		}
	}
}

func TestAnEntryOfPathPrependIsAnAbsolutePath(t *testing.T) {
	t.Parallel()
	schema := newReader(t).schema
	fits := func(dir string) bool {
		return schema.Validate(map[string]any{"tools": map[string]any{"exec": map[string]any{"pathPrepend": []any{dir}}}}) == nil
	}
	for _, dir := range []string{"/opt/oss/bin", "/bin", "/opt/bin/", "~/bin", "~/.local/bin", "/opt/..bin/.x", "/a b/c"} {
		assert.True(t, fits(dir), dir)
	}
	for _, dir := range []string{"", " ", ".", "..", "bin", "./bin", "../bin", "~", "~user/bin", "$HOME/bin", "/", "//bin", "/opt//bin", "/opt/./bin", "/opt/../bin",
		"/opt/..", "/opt/.", "/a:/b", "/a:", ":/a", "~/../b", " /bin", "/bin\n", "/b\x00in", "C:\\bin"} {
		assert.False(t, fits(dir), "%q", dir)
	}
}

func TestAReaderWithoutASchemaReadsNothing(t *testing.T) {
	t.Parallel()
	document, problems := (&Reader{}).Read("c.yaml", []byte("{}"))
	assert.Nil(t, document)
	assert.Len(t, problems, 1)
}
