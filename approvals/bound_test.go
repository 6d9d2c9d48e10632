//go:build unix

package approvals_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gavel/approvals"
)

// What takes a program's place between two looks at it must not keep a decision waiting.
func TestAPipeInPlaceOfAProgramHasNoBinding(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rg")
	require.NoError(t, syscall.Mkfifo(path, 0o700))
	q := question()
	q.Facts.Exec.Segments[0] = segment(path, "rg", "TODO")
	looked := func(string) (string, string, bool) { return "1", "2", true } // as it was before
	done := make(chan error, 1)
	go func() {
		_, err := approvals.BindCall(q.Facts, "gateway", "", looked)
		done <- err
	}()
	select {
	case err := <-done:
		require.ErrorContains(t, err, "no longer a regular file")
	case <-time.After(time.Minute):
		t.Fatal("it waits for somebody to write to the pipe")
	}
}
