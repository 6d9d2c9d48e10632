package approvals_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// Whatever becomes of the file while it is open, nothing is acknowledged that a restart would not
// find, and nothing waits for it.
func TestAFileThatDisappearsWhileOpenAcceptsNoChange(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, path string){
		"emptied":   func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 0)) },
		"truncated": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 8192)) },
		"removed":   func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"moved":     func(t *testing.T, path string) { require.NoError(t, os.Rename(path, path+".old")) },
		"replaced": func(t *testing.T, path string) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, text, 0o600))
		},
		"emptied, and as long as before": func(t *testing.T, path string) {
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(path, 0))
			require.NoError(t, os.Truncate(path, info.Size()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "approvals.db")
			s := onDisk(t, path)
			d := newDesk(t, func(c *approvals.Config) { c.Store = s })
			a := d.opened(t, question())
			lose(t, path)
			for n := range 3 {
				_, err := d.Open(t.Context(), question(other(n)))
				assert.Equal(t, gavel.CodeApprovalsUnavailable, code(err), "a question")
				_, err = d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: "approve"})
				assert.Equal(t, gavel.CodeApprovalsUnavailable, code(err), "an answer")
			}
			d.Close()
			require.NoError(t, s.Close(), "and the server can stop")
		})
	}
}
