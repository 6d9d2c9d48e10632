//go:build linux

package daemon

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A daemon that is not root may not send signals to the processes of its clients, and knows all the
// same that they live.
func TestAProcessOfAnotherUserIsFoundAlive(t *testing.T) {
	type seen struct {
		signal error
		alive  bool
		err    error
	}
	result := make(chan seen)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread becomes another user, and ends
		if os.Geteuid() == 0 {
			const nobody = 65_534
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
				result <- seen{err: errno}
				return
			}
		}
		process, err := unix.PidfdOpen(1, 0) // of root
		if err != nil {
			result <- seen{err: err}
			return
		}
		defer unix.Close(process) //nolint:errcheck // nothing was written
		result <- seen{unix.PidfdSendSignal(process, 0, nil, 0), alive(process), nil}
	}()
	saw := <-result
	require.NoError(t, saw.err)
	require.ErrorIs(t, saw.signal, unix.EPERM, "the test must be about a process that may not be signalled")
	assert.True(t, saw.alive)
}

func TestAProcessThatHasEndedIsNotAlive(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "1000")
	require.NoError(t, cmd.Start())
	process, err := unix.PidfdOpen(cmd.Process.Pid, 0)
	require.NoError(t, err)
	defer unix.Close(process) //nolint:errcheck // nothing was written
	assert.True(t, alive(process))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	assert.False(t, alive(process))
}
