package bundles

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"
)

// rulesOf are the compiled rules of a snapshot.
func rulesOf(t *testing.T, s *Snapshot) *ast.Compiler {
	t.Helper()
	compiler, err := s.rules()
	require.NoError(t, err)
	return compiler
}
