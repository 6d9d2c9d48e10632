//go:build linux

package daemon

import (
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A unit file gives the daemon a capability as an ambient one, which programs inherit.
func TestToolsDoNotGetTheCapabilitiesOfTheDaemon(t *testing.T) {
	for _, set := range []string{"CapAmb", "CapInh"} {
		assert.Equal(t, set+":\t0000000000000000\n", statusOfTool(t, set, func() error { return ambient(unix.CAP_SYS_PTRACE) }))
	}
}

func TestToolsDoNotBlockTheSignalsThatTheDaemonBlocks(t *testing.T) {
	block := func() error {
		return unix.PthreadSigmask(unix.SIG_BLOCK, &unix.Sigset_t{Val: [16]uint64{1<<(unix.SIGALRM-1) | 1<<(unix.SIGUSR1-1)}}, nil)
	}
	assert.Equal(t, "SigBlk:\t0000000000000000\n", statusOfTool(t, "SigBlk", block))
}

// statusOfTool starts a tool from a thread that was prepared, and returns a line of its status.
func statusOfTool(t *testing.T, line string, prepare func() error) string {
	t.Helper()
	real, err := os.MkdirTemp("", "tool")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(real)) })
	file, err := openDir(real)
	require.NoError(t, err)
	dir := &directory{file, real}
	defer dir.close()
	type ran struct {
		text string
		err  error
	}
	result := make(chan ran)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is not fit for anything else, and ends
		if err := prepare(); err != nil {
			result <- ran{err: err}
			return
		}
		p, err := start(command{binary: "/bin/grep", args: []string{line, "/proc/self/status"}, dir: dir})
		if err != nil {
			result <- ran{err: err}
			return
		}
		text, err := io.ReadAll(p.outputs[0])
		_ = p.cmd.Wait()
		result <- ran{string(text), err}
		_ = p.free()
	}()
	got := <-result
	require.NoError(t, got.err)
	return got.text
}

// ambient gives this thread a capability that programs inherit, where it has it at all.
func ambient(capability int) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil || data[0].Permitted&(1<<capability) == 0 {
		return err
	}
	data[0].Inheritable |= 1 << capability
	if err := unix.Capset(&header, &data[0]); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, uintptr(capability), 0, 0)
}
