//go:build linux

package daemon_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// hardened has the text of a shell that TestMain runs as a hardened daemon would, in a process of its own.
const hardened = "DAEMON_TEST_HARDENED"

// asTool runs a text as a tool of a hardened daemon that was given files, and returns its output.
func asTool(t *testing.T, dir, text string, given ...*os.File) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", `trap '' INT HUP; ulimit -c "$(ulimit -Hc)"; exec "$0"`, self)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, []string{hardened + "=" + text, "TOKEN=" + credential}, given
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func TestAToolGetsNoDescriptorThatTheDaemonWasGiven(t *testing.T) {
	file, err := os.Open("/etc/passwd")
	require.NoError(t, err)
	defer file.Close()
	out := asTool(t, "", `for fd in /proc/$$/fd/*; do echo "${fd##*/}"; readlink "$fd"; done | sort`, file, file)
	assert.Contains(t, out, "\n2\n")
	assert.NotContains(t, out, "/etc/passwd")
}

// A daemon that nohup or a shell in the background has started ignores signals. A tool does not: clients
// interrupt it.
func TestAToolDoesNotIgnoreTheSignalsThatTheDaemonIgnores(t *testing.T) {
	for signal, code := range map[string]string{"INT": "130\n", "HUP": "129\n"} {
		out := asTool(t, "", `sh -c 'kill -`+signal+` $$; echo it ignores it' 2>/dev/null; echo $?`)
		assert.Equal(t, code, out, signal)
	}
}

// A core file has the environment of the tool. A system writes it, or hands it to a program, which
// heeds no limit but this one.
func TestAToolThatCrashesLeavesNoCoreFile(t *testing.T) {
	dir := t.TempDir()
	out := asTool(t, dir, `grep '^Max core file size' /proc/self/limits; sh -c 'kill -SEGV $$'; echo ended`)
	var most unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_CORE, &most))
	assert.Contains(t, strings.Join(strings.Fields(out), " "), fmt.Sprintf("Max core file size %[1]d %[1]d bytes", min(1, most.Max)))
	assert.Contains(t, out, "ended\n")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}
