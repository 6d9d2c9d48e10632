package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/strictjson"
	"gavel/server/access"
)

func TestAPIDescriptionHasEveryRoute(t *testing.T) {
	t.Parallel()
	call, err := callSchema("../..")
	require.NoError(t, err)
	approval, err := approvalSchema("../..")
	require.NoError(t, err)
	api, err := openAPI(call, approval)
	require.NoError(t, err)
	var want, got []string
	for _, route := range access.Routes() {
		want = append(want, route.Key())
	}
	ids := map[any]bool{}
	for path, methods := range api["paths"].(object) {
		for method, operation := range methods.(object) {
			if method == "parameters" {
				continue
			}
			got = append(got, strings.ToUpper(method)+" "+path)
			ids[operation.(object)["operationId"]] = true
		}
	}
	assert.ElementsMatch(t, want, got)
	assert.Len(t, ids, len(want), "every operation has its own id")
	text, err := jsonDocument(api)
	require.NoError(t, err)
	for name := range bodies() {
		assert.Contains(t, want, name, "bodies has an unknown route")
	}
	for _, part := range strings.Split(text, `"$ref": "#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		assert.Contains(t, api["components"].(object)["schemas"].(object), name)
	}
}

// The schema and the decoder must accept the same calls.
func TestCallSchemaAcceptsWhatTheDecoderAccepts(t *testing.T) {
	t.Parallel()
	generated, err := callSchema("../..")
	require.NoError(t, err)
	text, err := json.Marshal(generated)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("call.json", document))
	schema, err := compiler.Compile("call.json")
	require.NoError(t, err)
	valid, invalid := 0, 0
	for _, call := range []string{
		`{"agent":{"id":"a"},"tool":{"name":"read"}}`,
		`{"id":"x","agent":{"id":"a","parents":[{"id":"b"}],"depth":1,"maxDepth":2,"sandboxed":true},"tool":{"name":"read","plugin":"p","params":{"path":"x","n":[1,{}]}}}`,
		`{"agent":{"id":"a"},"session":{"key":"k","exec":{"security":"deny"},"elevated":"off"},"model":{"provider":"p","id":"m"},"tool":{"name":"exec"}}`,
		`{"agent":{"id":"a"},"sender":{"channel":"c","owner":true},"group":{"id":"g"},"message":{"inline":{"elevated":"on"}},"tool":{"name":"exec"}}`,
		`{"agent":{"id":"a"},"tool":{"name":"exec"},"environment":{"cwd":"/","path":["/bin"],"executables":{"ls":"/bin/ls"},"plugins":{"p":["t"]}}}`,
		`{"agent":{"id":"a"},"tool":{"name":"exec"},"environment":{"executables":{"ls":1}}}`,
		`{"agent":{"id":"a"},"tol":{"name":"read"}}`, `{"agent":{"id":""},"tool":{"name":"read"}}`, `{"agent":{"id":"a"},"tool":{"name":" "}}`,
		`{"agent":{"id":"a"}}`, `{"tool":{"name":"read"}}`, `{"agent":"a","tool":{"name":"read"}}`, `{"agent":{"id":"a","depth":"1"},"tool":{"name":"read"}}`,
		`{"agent":{"id":"a","depth":1.5},"tool":{"name":"read"}}`, `{"agent":{"id":"a"},"tool":{"name":"read","params":[]}}`, `[]`, `{"agent":{"id":null},"tool":{"name":"read"}}`,
		`{"agent":{"id":"a","parents":null},"tool":{"name":"read"}}`, `{"agent":{"id":"a","depth":null},"tool":{"name":"read"}}`,
		`{"agent":{"id":"a"},"tool":{"name":"read","params":null}}`, `{"agent":{"id":"a"},"tool":{"name":"read","params":{"x":null}}}`, `{"agent":{"id":"a"},"model":null,"tool":{"name":"read"}}`,
		`{"agent":{"id":"a"},"tool":{"name":"read"},"environment":{"path":"/bin"}}`, `{"agent":{"id":"a"},"sender":null,"tool":{"name":"read"}}`,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(call))
		require.NoError(t, err)
		_, refused := strictjson.DecodeCall([]byte(call), true)
		assert.Equal(t, refused == nil, schema.Validate(value) == nil, "%s: %v", call, refused)
		if refused == nil {
			valid++
		} else {
			invalid++
		}
	}
	assert.Equal(t, [2]int{8, 16}, [2]int{valid, invalid})
}
