//go:build linux

package front_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tasks counts the threads of a user. Those of the user of this test have other work, too: they count
// if their directory is that of the command.
func tasks(t *testing.T, uid uint32, dir string) (count int) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*")
	require.NoError(t, err)
	for _, path := range found {
		info, err := os.Stat(path)
		if err != nil {
			continue // it has ended
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != uid {
			continue
		}
		if uid == uint32(os.Getuid()) {
			if cwd, err := os.Readlink(filepath.Join(path, "cwd")); err != nil || dir != "" && cwd != dir {
				continue
			}
		}
		count++
	}
	return count
}

// A limit on processes holds a command that only forks, and all of it ends with its time.
func TestAForkBombIsBoundedAndEnds(t *testing.T) {
	dir, err := os.MkdirTemp("", "bomb") // another user must be able to go there
	require.NoError(t, err)
	dir, err = filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o777))
	program, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	path := filepath.Join(dir, "gavel-run")
	require.NoError(t, os.WriteFile(path, program, 0o700))
	require.NoError(t, os.Chmod(path, 0o755))
	uid := uint32(os.Getuid())
	var other *syscall.Credential
	if uid == 0 { // the limit does not hold root
		uid = uint32(20_000 + os.Getpid()%40_000) // another run of this test has another one
		other = &syscall.Credential{Uid: uid, Gid: uid}
	}
	most := tasks(t, uid, "") + 60 // the kernel counts all of the user
	peak, code := 0, 0
	for limit := 2 * time.Second; peak <= 30 && limit < time.Minute; limit *= 3 { // a slow machine needs longer until it has forked so often
		cmd := exec.Command(path, "--timeout", limit.String(), "--max-processes", strconv.Itoa(most), "-c", `trap "" TERM; f() { while :; do (f) & done; }; f`)
		cmd.Dir, cmd.Env = dir, []string{"FRONT_TEST=run", "PATH=/usr/bin:/bin", "HOME=" + dir}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: other}
		peak, code = watched(t, cmd, uid, dir)
	}
	assert.Equal(t, 124, code)
	assert.Greater(t, peak, 30, "it did fork")
	assert.LessOrEqual(t, peak, most+20, "and no more than it might; the runner has threads of its own")
	require.Eventually(t, func() bool { return tasks(t, uid, dir) == 0 }, time.Minute, 10*time.Millisecond, "it left processes behind")
}

// watched runs a command and returns the largest number of its user's threads meanwhile, as tasks
// counts them, and its exit code.
func watched(t *testing.T, cmd *exec.Cmd, uid uint32, dir string) (peak, code int) {
	t.Helper()
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	for {
		select {
		case <-ended:
			return peak, cmd.ProcessState.ExitCode()
		case <-time.After(20 * time.Millisecond):
			peak = max(peak, tasks(t, uid, dir))
		}
	}
}
