//go:build linux

package daemon_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wire"
	"gavel/credentials/wrap"
)

// descriptors are those of this process, which is daemon and client at once.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}

// children are the processes whose command line has a mark.
func marked(t *testing.T, mark string) (pids []int) {
	t.Helper()
	dirs, err := os.ReadDir("/proc")
	require.NoError(t, err)
	for _, dir := range dirs {
		pid, err := strconv.Atoi(dir.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if text, err := os.ReadFile(filepath.Join("/proc", dir.Name(), "cmdline")); err == nil && strings.Contains(string(text), mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestNothingLeaksWhateverToolsAndClientsDo(t *testing.T) {
	before := descriptors(t)
	mark := filepath.Base(t.TempDir()) + strconv.Itoa(os.Getpid())
	floods := start(t, configured(t, "proxy: {write_timeout: 3s, inline_threshold: 4k, max_output_size: 1mb}", map[string]string{"flood": `exec yes "$TOKEN"`}, ""), nil)
	s := start(t, configured(t, "", map[string]string{
		"stubborn": `trap '' TERM; sh -c 'trap "" TERM; while :; do sleep 1; done' ` + mark + ` & while :; do sleep 1; done`,
		"forks":    `i=0; while [ $i -lt 60 ]; do sh -c 'while :; do sleep 1; done' ` + mark + ` & i=$((i+1)); done; wait`,
		"waits":    `sh -c 'while :; do sleep 1; done' ` + mark,
	}, "timeout: 2s"), nil)
	var all sync.WaitGroup
	all.Go(func() { // it floods, and is stopped
		r := floods.client(t, nil, "flood")
		assert.NoError(t, r.err)
		assert.Equal(t, 255, r.status)
		assert.Contains(t, r.stderr, "proxy.max_output_size")
	})
	all.Go(func() { // it ignores SIGTERM
		r := s.client(t, nil, "stubborn")
		assert.ErrorContains(t, r.err, "took too long")
		assert.Equal(t, 255, r.status)
	})
	all.Go(func() { assert.ErrorContains(t, s.client(t, nil, "forks").err, "took too long") })
	for tool, s := range map[string]*served{"flood": floods, "waits": s} { // the client reads nothing, or dies
		conn := s.dial(t)
		_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = tool }))
		require.NoError(t, err)
		if tool == "waits" {
			require.Eventually(t, func() bool { return len(marked(t, mark)) > 0 }, time.Minute, 10*time.Millisecond)
			require.NoError(t, conn.Close())
		}
	}
	all.Wait()
	require.Eventually(t, func() bool { return floods.Counts()["ran"] == 2 }, time.Minute, time.Millisecond)
	s.stop()
	floods.stop()
	assert.Eventually(t, func() bool { return len(marked(t, mark)) == 0 }, time.Minute, 10*time.Millisecond, "processes are left")
	assert.Eventually(t, func() bool { return descriptors(t) <= before+1 }, time.Minute, 10*time.Millisecond, "descriptors are left: %d before, %d now", before, descriptors(t)) // one is the connection that reads nothing
	assert.EqualValues(t, 3, s.Counts()["ran"])
	assertNoFiles(t, s)
	assertNoFiles(t, floods)
}

func assertNoFiles(t *testing.T, s *served) {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(s.temp, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	assert.Empty(t, files, "files are left")
}

func TestManyClientsAtOnceLeaveNothingBehind(t *testing.T) {
	before := descriptors(t)
	s := start(t, configured(t, "proxy: {max_connections: 300}", map[string]string{"echo": `echo "$1 $TOKEN"`}, ""), nil)
	var all sync.WaitGroup
	for i := range 256 {
		all.Go(func() {
			text := fmt.Sprint("client ", i)
			r := s.client(t, nil, "echo", text)
			assert.NoError(t, r.err)
			assert.Equal(t, text+" [REDACTED]\n", r.stdout)
		})
	}
	all.Wait()
	s.stop()
	assert.Eventually(t, func() bool { return descriptors(t) <= before }, time.Minute, 10*time.Millisecond, "descriptors are left: %d before, %d now", before, descriptors(t))
	assert.EqualValues(t, 256, s.Counts()["ran"])
	assertNoFiles(t, s)
}

// slow takes its time.
type slow struct{ out strings.Builder }

// Write implements io.Writer.
func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return s.out.Write(p)
}

func TestASlowClientGetsEverythingInOrder(t *testing.T) {
	s := start(t, configured(t, "proxy: {inline_threshold: 64k}", map[string]string{"seq": "exec seq 1 400000"}, ""), nil)
	out := &slow{}
	r := s.with(t, func(c *wrap.Config) { c.Stdout = out }, "seq")
	require.NoError(t, r.err)
	var want strings.Builder
	for i := range 400_000 {
		fmt.Fprintln(&want, i+1)
	}
	assert.True(t, want.String() == out.out.String(), "%d bytes of %d", out.out.Len(), want.Len())
}

func TestAToolThatLeavesAProcessBehindStillEnds(t *testing.T) {
	mark := "left-" + strconv.Itoa(os.Getpid())
	s := start(t, configured(t, "", map[string]string{
		"group":   `sh -c 'while :; do sleep 1; done' ` + mark + `-g >/dev/null 2>&1 & echo "daemon started"`,
		"session": `setsid sh -c 'echo >s; while :; do sleep 1; done' ` + mark + `-s >/dev/null 2>&1 & until [ -e s ]; do sleep 0.01; done; echo "daemon started"`,
		"holds":   `setsid sh -c 'echo >h; while :; do sleep 1; done' ` + mark + `-h & until [ -e h ]; do sleep 0.01; done; echo "daemon started"`,
	}, ""), nil)
	for tool, alive := range map[string]bool{"group": false, "session": true, "holds": true} {
		r := s.client(t, nil, tool)
		require.NoError(t, r.err)
		assert.Equal(t, "daemon started\n", r.stdout)
		if !alive {
			assert.Eventually(t, func() bool { return len(marked(t, mark+"-"+tool[:1])) == 0 }, time.Minute, time.Millisecond, tool)
		}
		pids := marked(t, mark+"-"+tool[:1])
		assert.Equal(t, alive, len(pids) > 0, tool)
		for _, pid := range pids {
			process, err := os.FindProcess(pid)
			require.NoError(t, err)
			_ = process.Kill()
		}
	}
}

// The credential is in the environment of the tool, and nowhere else that a client can see.
func TestTheCredentialIsNowhereToBeSeen(t *testing.T) {
	mark := "seen-" + strconv.Itoa(os.Getpid())
	credential := "unique-" + credential // other tests may have left a process
	config := configured(t, "audit: {enabled: true, stdout: true}", map[string]string{
		"stays": `echo ready; echo "$TOKEN" >&2; sh -c 'while :; do sleep 0.1; done' ` + mark + `; exit 1`,
	}, "")
	require.NoError(t, os.WriteFile(config.Credentials["token"].Name, []byte(credential), 0o600))
	s := start(t, config, nil)
	conn := s.dial(t)
	_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "stays" }))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(marked(t, mark)) > 0 }, time.Minute, 10*time.Millisecond)
	tools := map[int]bool{}
	for _, pid := range marked(t, mark) {
		tools[pid] = true
	}
	dirs, err := os.ReadDir("/proc")
	require.NoError(t, err)
	inTool := false
	for _, dir := range dirs {
		pid, err := strconv.Atoi(dir.Name())
		if err != nil {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join("/proc", dir.Name(), "cmdline")) // it may have ended
		assert.NotContains(t, string(cmdline), credential, "cmdline of %d", pid)
		environ, _ := os.ReadFile(filepath.Join("/proc", dir.Name(), "environ"))
		if strings.Contains(string(environ), credential) {
			inTool = true
			assert.True(t, tools[pid] || underTool(pid, "/stays") || tools[parent(pid)], "environ of %d: %s", pid, cmdline)
		}
	}
	assert.True(t, inTool, "the test must be able to find it where it is")
	require.NoError(t, filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		assert.NotContains(t, string(text), credential, path)
		return err
	}))
	_, err = conn.Write([]byte(`{"type":"signal","signal":"SIGTERM"}` + "\n"))
	require.NoError(t, err)
	for _, m := range frames(t, conn) {
		assert.NotContains(t, string(m.Data), credential)
	}
	assert.NotContains(t, strings.Join(os.Environ(), "\n"), credential)
}

// underTool reports whether a process runs the script of a tool.
func underTool(pid int, name string) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.Contains(string(text), name)
}

func parent(pid int) (number int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	_, _ = fmt.Sscanf(rest, "%1s %d", new(string), &number)
	return number
}
