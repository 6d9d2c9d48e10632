package bundles

import (
	"fmt"
	"testing"

	"gavel/bundles/builtins"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parseBundle must accept and refuse the same modules and manifests as OPA.
func TestModulesAreReadAsOPAReadsThem(t *testing.T) {
	t.Parallel()
	manifests := []string{`{}`, `{"roots": ["custom"]}`, `{"roots": ["custom/a"]}`, `{"roots": ["/custom/a/", "x"]}`, `{"roots": []}`,
		`{"roots": ["custom/a", "custom"]}`, `{"roots": 5}`, `{"rego_version": 0}`, `{"rego_version": 7}`, `{"file_rego_versions": {"/custom/*.rego": 0}}`,
		`{"file_rego_versions": {"[": 0}}`, `{"file_rego_versions": {"/custom/a.rego": 9}}`, `{"wasm": [{"entrypoint": "x", "module": "policy.wasm"}]}`, `{`, `{} {}`, ``}
	modules := []string{"package custom.a\n\nx := 1\n", "package custom.b\n\nx[y] { y := 1 }\n", "package custom.a.b[\"c/d\"]\n\nx := 1\n",
		"package custom.c\n\nx if {\n", "", "# nothing\n", "package custom[\"a/b\"]\n\nx := 1\n", "package x[y]\n\nz := 1\n",
		"# METADATA\n# title: T\npackage custom.a\n\nimport rego.v1\n\nx if true\n"}
	accepted := 0
	for _, manifest := range manifests {
		for i, module := range modules {
			content := files{".manifest": []byte(manifest), "custom/a.rego": []byte(module), "b/c.rego": []byte(modules[(i+2)%len(modules)]),
				"custom/data.json": []byte(`{"k": 1}`)}
			about := fmt.Sprintf("%s %q", manifest, module)
			want, refused := bundle.NewCustomReader(newFileLoader(content)).WithSkipBundleVerification(true).WithProcessAnnotations(true).
				WithRegoVersion(ast.RegoV1).WithCapabilities(builtins.Capabilities()).Read()
			got, err := parseBundle(content, "", 2)
			require.Equal(t, refused == nil, err == nil, "%s: OPA says %v, we %v", about, refused, err)
			if err != nil {
				continue
			}
			accepted++
			assert.Equal(t, want.Data, got.Data, about)
			require.Len(t, got.Modules, len(want.Modules), about)
			for i, module := range want.Modules {
				read := got.Modules[i]
				assert.Equal(t, module.Path, read.Path, about)
				assert.True(t, module.Parsed.Equal(read.Parsed), about)
				assert.Equal(t, module.Parsed.RegoVersion(), read.Parsed.RegoVersion(), about)
				assert.Len(t, read.Parsed.Annotations, len(module.Parsed.Annotations), about)
			}
		}
	}
	assert.Positive(t, accepted)
}
