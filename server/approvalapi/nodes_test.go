package approvalapi_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/server/approvalapi"
)

func TestANodeFileThatOthersCouldReplaceIsNotUsed(t *testing.T) {
	reached := 0
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached++
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	}))
	defer node.Close()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		want  string
	}{
		"this user's alone": {func(*testing.T, string) {}, ""},
		"open to the group": {func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o640)) }, "run chmod 600 "},
		"a symbolic link": {func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+"2"))
			require.NoError(t, os.Symlink(path+"2", path))
		}, "symbolic link"},
		"missing": {func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "mac.json")
			require.NoError(t, os.WriteFile(path, []byte(`{"url":"`+node.URL+`","token":"secret"}`), 0o600))
			c.spoil(t, path)
			reached = 0
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			_, err := approvalapi.NodeFiles{Dir: dir, Client: client}.Call(t.Context(), "mac", "exec.approvals.get", []byte("{}"))
			if c.want == "" {
				require.NoError(t, err)
				assert.Equal(t, 1, reached)
				return
			}
			require.ErrorContains(t, err, c.want)
			assert.Zero(t, reached, "nothing is sent")
		})
	}
}
