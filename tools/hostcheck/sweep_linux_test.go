package main

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProcessesThatAHostLeavesRunningAreEnded(t *testing.T) {
	home := t.TempDir()
	left, other := exec.Command("sleep", "1000"), exec.Command("sleep", "1000")
	left.Env, other.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}, []string{"HOME=" + home + "/other", "PATH=/usr/bin:/bin"}
	for _, cmd := range []*exec.Cmd{left, other} {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		require.NoError(t, cmd.Start())
	}
	sweep(home)
	require.EqualError(t, left.Wait(), "signal: killed")
	require.NoError(t, other.Process.Signal(syscall.SIGTERM))
	require.EqualError(t, other.Wait(), "signal: terminated")
}
