//go:build root

package daemon_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wire"
)

// Only root can search as another user: make adds the tag root where root runs the tests.

// search looks for a text in everything of processes and below a directory that nobody may read, and
// returns where it is.
func search(t *testing.T, value, dir string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", `exec grep -rslaF -f - /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/environ "$0"`, dir)
	cmd.Stdin, cmd.Dir, cmd.Env = strings.NewReader(value), "/", []string{}
	cmd.SysProcAttr = nobody()
	out, _ := cmd.Output() // without a match it fails, and so it does where it may not look
	return strings.Fields(string(out))
}

func nobody() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65_534, Gid: 65_534}}
}

func TestAnotherUserSeesTheCredentialNowhere(t *testing.T) {
	mark := "seen-by-others-" + strconv.Itoa(os.Getpid())
	credential := "of-another-user-" + credential
	config := configured(t, "", map[string]string{"stays": `sh -c 'while :; do sleep 0.1; done' ` + mark}, "config_file: {xdg_subdir: a, filename: b.yaml, template: 'x: {{ .token }}', credentials: [token]}")
	require.NoError(t, os.WriteFile(config.Credentials["token"].Name, []byte(credential), 0o600))
	s := start(t, config, nil)
	for at := s.temp; at != os.TempDir(); at = filepath.Dir(at) {
		require.NoError(t, os.Chmod(at, 0o755)) // so that the modes of what the daemon makes count, and not of what is above
	}
	conn := s.dial(t)
	_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "stays" }))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(marked(t, mark)) > 0 }, time.Minute, 10*time.Millisecond)

	theirs := exec.CommandContext(t.Context(), "/bin/sleep", "1000")
	theirs.Env, theirs.SysProcAttr = []string{"TOKEN=" + credential}, nobody()
	require.NoError(t, theirs.Start())
	defer func() { _ = theirs.Process.Kill(); _ = theirs.Wait() }()
	pid := theirs.Process.Pid
	want := []string{fmt.Sprintf("/proc/%d/environ", pid), fmt.Sprintf("/proc/%[1]d/task/%[1]d/environ", pid)}
	assert.ElementsMatch(t, want, search(t, credential, s.dir), "the search finds it in a process of its own user, and nowhere else")
	require.NoError(t, conn.Close())
}
