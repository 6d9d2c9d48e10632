package bundles_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/programs"
	shippedrego "gavel/rego"
)

// Names of the configuration are folded by Rego, those of calls by the analyzer: both take
// the same off a name.
func TestRegoAndTheAnalyzerFoldProgramNamesAlike(t *testing.T) {
	t.Parallel()
	catalog, err := programs.Read(shippedrego.Policy)
	require.NoError(t, err)
	module, err := shippedrego.Policy.ReadFile("gavel/catalog/catalog.rego")
	require.NoError(t, err)
	view, err := json.Marshal(map[string]any{"gavel": map[string]any{"catalog": map[string]any{
		"programs": catalog.View(), "tools": map[string]any{}, "ungrouped": []any{}, "owner_only": []any{}}}})
	require.NoError(t, err)
	query, err := rego.New(rego.Query("[name | some name in data.gavel.catalog.called(input)]"), rego.Module("catalog.rego", string(module)),
		rego.Store(inmem.NewFromReader(strings.NewReader(string(view)))), rego.SetRegoVersion(ast.RegoV1)).PrepareForEval(context.Background())
	require.NoError(t, err)
	names := strings.Fields(`python3.12 Python3.12.EXE python3.13t python3.6m python3.12-dbg node20.exe npm.cmd gcc-12 x86_64-linux-gnu-gcc-12
		i686-w64-mingw32-g++ x86_64-linux-gnu-ld.bfd llvm-objdump-15 perl5.36-x86_64-linux-gnu gsed gxargs g gperf vim.gtk3 nc.openbsd bash-static
		my-gcc armgcc html2text pre-commit - 3 -gcc a-- x86- arm--b t md2 dmtu 7z ld-linux-x86-64.so.2 [ : git`)
	for _, name := range append(names, "") {
		results, err := query.Eval(context.Background(), rego.EvalInput(name))
		require.NoError(t, err, name)
		assert.ElementsMatch(t, catalog.Fold().Of(name), results[0].Expressions[0].Value, "%q", name)
	}
}
