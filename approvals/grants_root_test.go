//go:build unix && root

package approvals_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/approvals"
)

// Only root gives files away: make adds the tag root where root runs the tests.
func TestAGrantKeyOfAnotherUserIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	_, err := approvals.OpenKeys(dir, uuid.NewString)
	require.NoError(t, err)
	path := filepath.Join(dir, "grant.key")
	require.NoError(t, os.Chown(path, 65534, 65534))
	_, err = approvals.OpenKeys(dir, uuid.NewString)
	require.ErrorContains(t, err, path)
	assert.ErrorContains(t, err, "another user")
}
