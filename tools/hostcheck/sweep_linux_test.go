package main

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLeftoverProcessesAreKilled(t *testing.T) {
	home := t.TempDir()
	leftover, other := exec.Command("sleep", "1000"), exec.Command("sleep", "1000")
	leftover.Env, other.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}, []string{"HOME=" + home + "/other", "PATH=/usr/bin:/bin"}
	for _, cmd := range []*exec.Cmd{leftover, other} {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		require.NoError(t, cmd.Start())
	}
	killLeftovers(home)
	require.EqualError(t, leftover.Wait(), "signal: killed")
	require.NoError(t, other.Process.Signal(syscall.SIGTERM))
	require.EqualError(t, other.Wait(), "signal: terminated")
}
