package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The schema of OpenAPI 3.1 is https://spec.openapis.org/oas/3.1/schema (Apache-2.0). It does not
// check the schemas in a document, which are checked as JSON Schema 2020-12.
func TestAPIDescriptionIsOpenAPI31(t *testing.T) {
	t.Parallel()
	read := func(name string) any {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		return value
	}
	const id = "https://spec.openapis.org/oas/3.1/schema"
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource(id, read("testdata/openapi-3.1.schema.json")))
	openAPI31, err := compiler.Compile(id)
	require.NoError(t, err)
	document, ok := read("../../docs/openapi.json").(map[string]any)
	require.True(t, ok)
	require.NoError(t, openAPI31.Validate(document))
	assert.Equal(t, "3.1", document["openapi"].(string)[:3])

	schema, err := jsonschema.NewCompiler().Compile("https://json-schema.org/draft/2020-12/schema")
	require.NoError(t, err)
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	assert.Greater(t, len(schemas), 5)
	for name, value := range schemas {
		assert.NoError(t, schema.Validate(value), name)
	}

	for name, damage := range map[string]func(map[string]any){
		"without a title":     func(d map[string]any) { delete(d, "info") },
		"with an unknown key": func(d map[string]any) { d["pathz"] = d["paths"] },
		"of another version":  func(d map[string]any) { d["openapi"] = "3.0.3" },
	} {
		copied := read("../../docs/openapi.json").(map[string]any)
		damage(copied)
		assert.Error(t, openAPI31.Validate(copied), name)
	}
}

// A link that is relative to docs/ leads nowhere from the API description.
func TestAPIDescriptionHasNoLinksOfAPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/openapi.json")
	require.NoError(t, err)
	assert.NotRegexp(t, `\]\(`, string(text))
	assert.Contains(t, string(text), "the answer that it obeys (docs/http.md#hooks)")
}
