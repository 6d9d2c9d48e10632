package bundles

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheBuiltInPolicyIsParsedOnceForACommonCache(t *testing.T) {
	t.Parallel()
	one, other := files{"a.rego": []byte("package gavel.a\n")}, files{"a.rego": []byte("package gavel.b\n")}
	shared, err := NewCompileCache()
	require.NoError(t, err)
	first, err := shared.parseBuiltin(one, 1)
	require.NoError(t, err)
	again, err := shared.parseBuiltin(files{"a.rego": []byte("package gavel.a\n")}, 1)
	require.NoError(t, err)
	assert.Same(t, first.Modules[0].Parsed, again.Modules[0].Parsed)

	changed, err := shared.parseBuiltin(other, 1)
	require.NoError(t, err)
	assert.Equal(t, "package gavel.b", changed.Modules[0].Parsed.Package.String(), "another policy")
	_, err = shared.parseBuiltin(files{"a.rego": []byte("package")}, 1)
	require.Error(t, err)
	kept, err := shared.parseBuiltin(other, 1)
	require.NoError(t, err)
	assert.Same(t, changed.Modules[0].Parsed, kept.Modules[0].Parsed, "an error replaces nothing")

	alone, err := (*CompileCache)(nil).parseBuiltin(one, 1)
	require.NoError(t, err)
	assert.NotSame(t, first.Modules[0].Parsed, alone.Modules[0].Parsed, "loads that share nothing")
}
