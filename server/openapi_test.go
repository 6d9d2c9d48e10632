package server_test

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The handlers do what docs/openapi.json says of them.
func TestTheHandlersMatchTheAPIDescription(t *testing.T) {
	text, err := os.ReadFile("../docs/openapi.json")
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("openapi.json", document))
	schema := func(name string) *jsonschema.Schema {
		compiled, err := compiler.Compile("openapi.json#/components/schemas/" + name)
		require.NoError(t, err)
		return compiled
	}
	s := newServer(t, config(t))
	checked := 0
	for path, methods := range document.(map[string]any)["paths"].(map[string]any) {
		for method, operation := range methods.(map[string]any) {
			if method == "parameters" {
				continue
			}
			checked++
			at := request{method: strings.ToUpper(method), path: strings.NewReplacer("{id}", "x", "{agent}", "x").Replace(path), body: "{}"}
			answer := at.do(s)
			open := len(operation.(map[string]any)["security"].([]any)) == 0
			if open {
				assert.Less(t, answer.Code, 400, "%s %s asks for no credential", method, path)
				continue
			}
			// Without a credential nobody is told more than that one is needed; a route that
			// the server was not made for is not there.
			if answer.Code == http.StatusNotFound {
				continue
			}
			assert.Equal(t, http.StatusUnauthorized, answer.Code, "%s %s", method, path)
			value, err := jsonschema.UnmarshalJSON(answer.Body)
			require.NoError(t, err)
			assert.NoError(t, schema("Error").Validate(value), "%s %s", method, path)
		}
	}
	assert.Greater(t, checked, 15)

	answer := post("/v1/decisions", `{"agent":{"id":"a"},"tool":{"name":"read"}}`).do(s)
	require.Equal(t, http.StatusOK, answer.Code)
	value, err := jsonschema.UnmarshalJSON(answer.Body)
	require.NoError(t, err)
	assert.NoError(t, schema("Decision").Validate(value))

	answer = post("/v1/decisions", `{"agent":{"id":"a"},"tol":{}}`).do(s)
	assert.Equal(t, http.StatusBadRequest, answer.Code)
	value, err = jsonschema.UnmarshalJSON(answer.Body)
	require.NoError(t, err)
	assert.NoError(t, schema("Error").Validate(value))
}
