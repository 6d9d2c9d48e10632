//go:build unix && root

package approvalapi_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel/server/approvalapi"
)

// Only root gives files away: make adds the tag root where root runs the tests.
func TestANodeFileOfAnotherUserIsNotUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mac.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"url":"http://127.0.0.1:1","token":"secret"}`), 0o600))
	require.NoError(t, os.Chown(path, 65534, 65534))
	_, err := approvalapi.NodeFiles{Dir: filepath.Dir(path), Client: http.DefaultClient}.Call(t.Context(), "mac", "exec.approvals.get", []byte("{}"))
	require.ErrorContains(t, err, "another user")
}
