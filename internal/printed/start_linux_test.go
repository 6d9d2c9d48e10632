package printed_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gavel/internal/printed"
)

// A unit file gives the daemon of credentials a capability as an ambient one. The programs of stores need
// none.
func TestAProgramGetsNoCapabilitiesOfThisProcess(t *testing.T) {
	type read struct {
		text string
		err  error
	}
	result := make(chan read)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is not fit for anything else, and ends
		if err := ambient(unix.CAP_SYS_PTRACE); err != nil {
			result <- read{err: err}
			return
		}
		text, err := printed.Program{Path: "/bin/grep", Args: []string{"-E", "Cap(Inh|Amb)", "/proc/self/status"}, Limit: time.Minute, Most: 1024}.Text(t.Context())
		result <- read{text, err}
	}()
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, "CapInh:\t0000000000000000\nCapAmb:\t0000000000000000\n", got.text)
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
