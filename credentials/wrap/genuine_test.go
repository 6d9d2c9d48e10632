//go:build linux

package wrap

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// listening is a connection to a socket on which another user than root listens.
func listening(t *testing.T) *net.UnixConn {
	t.Helper()
	dir, err := os.MkdirTemp("", "wrap") // another user must be able to go there
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o777))
	path := filepath.Join(dir, "s")
	type made struct {
		listener *net.UnixListener
		err      error
	}
	result := make(chan made)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread becomes another user, and ends
		if os.Geteuid() == 0 {
			const nobody = 65_534
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
				result <- made{err: errno}
				return
			}
		}
		listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		result <- made{listener, err}
	}()
	got := <-result
	require.NoError(t, got.err)
	t.Cleanup(func() { _ = got.listener.Close() })
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestAnotherUserCannotPoseAsTheDaemon(t *testing.T) {
	conn := listening(t)
	err := genuine(conn, Place{Socket: "/usr/secrets.sock"}) // a directory of root
	require.ErrorContains(t, err, "/usr belongs to user 0")
}
