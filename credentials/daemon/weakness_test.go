package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/credentials/daemon"
	"gavel/credentials/wire"
	"gavel/credentials/wrap"
)

// The weaknesses that are known of this protocol, each closed. W2, W10, W15 and W18 are tested in
// wire and wrappers; W13 and W14 in rego/gavel/credentials/arguments.

func TestW1AReplayedRequestIsRefusedHoweverItsSignatureIsWritten(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), nil)
	line := s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })
	assert.Contains(t, s.say(t, line), "done")
	assert.Equal(t, "authentication failed", framed(t, s.say(t, line)))
	assert.Equal(t, "authentication failed", framed(t, s.say(t, []byte(strings.Replace(string(line), `=","nonce"`, `=\n","nonce"`, 1)))))
	require.NoError(t, s.Reload(configured(t, "", map[string]string{"true": "exit 0"}, "")))
	assert.Equal(t, "authentication failed", framed(t, s.say(t, line)), "a reload forgets nothing")
}

func TestARequestFromBeforeARestartIsVoid(t *testing.T) {
	config := configured(t, "", map[string]string{"true": "exit 0"}, "")
	first := start(t, config, nil)
	line := first.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Cwd = "true", "/" })
	first.stop()
	second := start(t, config, nil)
	assert.Equal(t, "authentication failed", framed(t, second.say(t, line)))
}

func TestTheReplayCacheRefusesRatherThanForgets(t *testing.T) {
	s := start(t, configured(t, "proxy: {replay_cache_max_entries: 2}", map[string]string{"true": "exit 0"}, ""), nil)
	first := s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })
	assert.Contains(t, s.say(t, first), "done")
	assert.Contains(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })), "done")
	assert.Equal(t, "authentication failed", framed(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" }))))
	assert.Equal(t, "authentication failed", framed(t, s.say(t, first)))
}

// foreign runs another executable, which speaks the protocol with the right secret.
func foreign(t *testing.T, s *served, line []byte) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal("the test needs another executable that can open a socket: install python3")
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", `import socket,sys
s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(sys.stdin.buffer.read())
while True:
    b=s.recv(65536)
    if not b: break
    sys.stdout.buffer.write(b)`, s.place.Socket)
	cmd.Stdin = bytes.NewReader(line)
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

func TestW3TheSecretAloneIsNotEnough(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), nil)
	line := s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })
	assert.Equal(t, "unauthorized caller", framed(t, foreign(t, s, line)))
	assert.Equal(t, "unauthorized caller", bare(t, foreign(t, s, s.request(t, wire.SixFields, func(r *wire.Request) { r.Admin, r.Cwd, r.Args = "list", "", nil }))))
	assert.Empty(t, s.calls, "the policy was not asked")
}

func TestW4AnotherListenerCannotStandForTheDaemon(t *testing.T) {
	dir := t.TempDir()
	place := wrap.Place{Socket: filepath.Join(dir, "secrets.sock"), Secret: filepath.Join(dir, "auth")}
	require.NoError(t, wire.WriteSecret(place.Secret, wire.NewSecret(), 0o600))
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: place.Socket, Net: "unix"})
	require.NoError(t, err)
	defer listener.Close()
	served := make(chan struct{})
	go func() {
		defer close(served)
		for _, fake := range [][]wire.Message{
			{{Type: wire.TypeStdout, Data: []byte("forged")}, {Type: wire.TypeDone}},
			{{Type: wire.TypeProof, Data: make([]byte, 32)}, {Type: wire.TypeStdout, Data: []byte("forged")}, {Type: wire.TypeDone}},
		} {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = wire.NewLines(conn).Next(wire.MaxRequest)
			for _, m := range fake {
				frame, _ := wire.EncodeFrame(m)
				_, _ = conn.Write(frame)
			}
			_ = conn.Close()
		}
	}()
	for _, says := range []string{"did not prove", "does not know the secret"} {
		var out bytes.Buffer
		_, err := wrap.Run(t.Context(), wrap.Config{Tool: "gh", Cwd: "/", Place: place, Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }, Now: time.Now})
		require.ErrorContains(t, err, says)
		assert.Empty(t, out.String())
	}
	<-served
	require.NoError(t, os.Chmod(dir, 0o777))
	_, err = wrap.Run(t.Context(), wrap.Config{Tool: "gh", Cwd: "/", Place: place, Getenv: func(string) string { return "" }, Now: time.Now})
	require.ErrorContains(t, err, "others can write")
}

func TestADaemonThatIsLateProvesItselfAllTheSame(t *testing.T) {
	var asked atomic.Int64
	s := start(t, configured(t, "", map[string]string{"echo": "echo ran"}, ""), func(c *daemon.Config) {
		c.Now = func() time.Time { // after the request was found fresh, it is not any more
			if asked.Add(1) == 1 {
				return time.Now()
			}
			return time.Now().Add(time.Minute)
		}
	})
	r := s.client(t, nil, "echo")
	require.NoError(t, r.err)
	assert.Equal(t, "ran\n", r.stdout)
}

func TestAnotherUserIsRefusedBeforeTheyAreRead(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), func(c *daemon.Config) { c.UID++ })
	conn := s.dial(t) // says nothing
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Equal(t, "unauthorized caller", bare(t, string(answer)))
	assert.Equal(t, int64(1), s.Counts()["caller_verify_fail"])
	assert.Empty(t, s.calls)
}

func TestW5AnEqualsSignInANameIsRefused(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"env": "env"}, ""), nil)
	line := s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Env = "env", map[string]string{"BASH_ENV=/tmp/evil": ""} })
	assert.Equal(t, "invalid request", framed(t, s.say(t, line)))
}

func TestW6ARequestRedirectsNoToolWithCredentials(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"env": "env"}, `forced_env: {FORCED: "admin-value"}`), nil)
	conn := s.dial(t)
	given := map[string]string{"TZ": "UTC", "NO_COLOR": "1"}
	hostile := []string{"PATH", "HOME", "LD_PRELOAD", "BASH_ENV", "GIT_SSH", "GIT_CONFIG_COUNT", "GH_HOST", "http_proxy", "Https_Proxy", "XDG_CONFIG_HOME", "SSL_CERT_FILE",
		"NODE_OPTIONS", "AWS_ENDPOINT_URL_S3", "KUBECONFIG", "TERMINFO", "PSQL_PAGER", "OPENAI_BASE_URL", "FORCED", "TOKEN", "PYTHONPATH",
		"PGHOST", "JIRA_SERVER", "MAVEN_OPTS", "RCLONE_CONFIG", "NOBODY_KNOWS_THIS_ONE"}
	for _, name := range hostile {
		given[name] = "/tmp/evil"
	}
	_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Env = "env", given }))
	require.NoError(t, err)
	out := ""
	for _, m := range frames(t, conn) {
		out += string(m.Data)
	}
	assert.NotContains(t, out, "/tmp/evil")
	assert.Contains(t, out, "NO_COLOR=1\n")
	assert.Contains(t, out, "FORCED=admin-value\n")
	assert.Contains(t, out, "TOKEN=[REDACTED]\n")
	assert.Contains(t, out, "HOME="+os.Getenv("HOME")+"\n")
	call := <-s.calls
	assert.Equal(t, []any{"NO_COLOR", "TZ"}, call.Tool.Params["env"])
	assert.Len(t, call.Tool.Params["dropped"], len(hostile))
}

func TestTheListOfVariablesOfAToolHolds(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"env": "env"}, "request_env: [TERM, PATH]"), nil)
	answer := s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) {
		r.Tool, r.Env = "env", map[string]string{"MCP_SERVER_URL": "https://evil.example", "TERM": "xterm-mine", "PATH": "/tmp/evil"}
	}))
	out := ""
	for _, m := range frames(t, strings.NewReader(answer)) {
		out += string(m.Data)
	}
	assert.Contains(t, out, "TERM=xterm-mine")
	assert.NotContains(t, out, "evil")
}

func TestW7AToolMayEndByItselfWhenItsTimeIsOver(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"traps": `trap 'echo cleaned; exit 7' TERM; while :; do sleep 0.05; done`}, "timeout: 300ms"), nil)
	answer := frames(t, strings.NewReader(s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "traps" }))))
	out := ""
	for _, m := range answer {
		if m.Type == wire.TypeStdout {
			out += string(m.Data)
		}
	}
	assert.Equal(t, "cleaned\n", out)
	assert.Equal(t, wire.Message{Type: wire.TypeDone, ExitCode: 7, Timeout: true}, answer[len(answer)-1])
}

func TestW8AConfigurationFileIsMadeWithoutRootAndGoesWithTheTool(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"cat": `cat "$XDG_CONFIG_HOME/app/deep/hosts.yml" | tr a-y b-z; stat -c %a "$XDG_CONFIG_HOME" "$XDG_CONFIG_HOME/app/deep/hosts.yml"`},
		"config_file: {xdg_subdir: app/deep, filename: hosts.yml, template: 'token: {{ .token }}', credentials: [token]}"), nil)
	r := s.client(t, nil, "cat")
	require.NoError(t, r.err)
	next := func(r rune) rune { // the daemon does not know this spelling
		if 'a' <= r && r <= 'y' {
			return r + 1
		}
		return r
	}
	assert.Equal(t, strings.Map(next, "token: '"+credential+"'")+"700\n600\n", r.stdout)
	left, err := filepath.Glob(filepath.Join(s.temp, "*", "config-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestW9AConnectionHasALifetime(t *testing.T) {
	// Each of its lines, in or out, sets the deadline of the next one; none of them sets that of the connection.
	s := start(t, configured(t, "proxy: {max_connection_lifetime: 300ms}", map[string]string{
		"sleep": "exec sleep 1000",
		"write": "while :; do echo x; sleep 0.05; done",
		"read":  "while read -r x; do :; done",
	}, ""), nil)
	for _, tool := range []string{"sleep", "write", "read"} {
		endless, writer := io.Pipe()
		go func() {
			for tool == "read" {
				if _, err := writer.Write([]byte("x\n")); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		r := s.client(t, endless, tool)
		require.ErrorContains(t, r.err, "ended the connection", tool)
		require.NoError(t, endless.Close())
	}
}

func TestW11SilenceEndsNothing(t *testing.T) {
	s := start(t, configured(t, "proxy: {read_message_timeout: 50ms}", map[string]string{"cat": "exec cat"}, ""), nil)
	conn := s.dial(t)
	_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "cat" }))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.Counts()["ran"] == 1 }, 10*time.Second, time.Millisecond)
	time.Sleep(200 * time.Millisecond) // four times the limit of a line that has begun
	_, err = conn.Write([]byte(`{"type":"stdin","data":"bGF0ZQ=="}` + "\n" + `{"type":"stdin","eof":true}` + "\n"))
	require.NoError(t, err)
	answer := frames(t, conn)
	assert.Equal(t, "late", string(answer[0].Data))
}

func TestW12AnExecutableThatIsNotReadableIsRefused(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), nil)
	line := s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })
	gone := exec.CommandContext(t.Context(), "python3", "-c", `import socket,sys,os
s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(sys.stdin.buffer.read()[:-1]); r,w=os.pipe()
if os.fork(): os._exit(0)
os.read(r,0); import time; time.sleep(0.3); s.sendall(b"\n"); sys.stdout.buffer.write(s.recv(65536))`, s.place.Socket)
	gone.Stdin = bytes.NewReader(line)
	out, err := gone.Output()
	require.NoError(t, err)
	assert.Equal(t, "unauthorized caller", framed(t, string(out)), "whoever connected has ended, and its child is nobody")
}

func TestW16ARefusalIsRecordedAndARunThatCannotBeIsNotMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.NoError(t, os.Chmod(file, 0o644))
	config := configured(t, "audit: {enabled: true, file: "+file+"}", map[string]string{"true": "exit 0"}, "")
	_, err := daemon.New(daemon.Config{Wrappers: config, Secret: filepath.Join(t.TempDir(), "auth"), Environment: environment(t),
		Decide: func(context.Context, gavel.Call) gavel.Decision { return gavel.Decision{} }})
	require.ErrorContains(t, err, "audit file")
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), func(c *daemon.Config) {
		c.Decide = func(context.Context, gavel.Call) gavel.Decision {
			return gavel.Decision{Reasons: []gavel.Reason{{Code: "credentials.blocked", Message: "no"}}}
		}
	})
	require.Error(t, s.client(t, nil, "true").err)
	framed(t, s.say(t, []byte(strings.Replace(string(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })), `"hmac":"`, `"hmac":"A`, 1))))
	assert.Contains(t, s.log.String(), "credentials.blocked")
	assert.Contains(t, s.log.String(), "invalid signature")
}

// disk is a writer that may be full: then it takes five bytes of a text.
type disk struct {
	mu   sync.Mutex
	full bool
	text bytes.Buffer
}

func (d *disk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		n, _ := d.text.Write(p[:min(5, len(p))])
		return n, syscall.ENOSPC
	}
	return d.text.Write(p)
}

func (d *disk) fill(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

func (d *disk) lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Split(strings.TrimSpace(d.text.String()), "\n")
}

func TestW16NothingRunsUntilTheRunsBeforeAreRecorded(t *testing.T) {
	var d disk
	ran := filepath.Join(t.TempDir(), "ran")
	s := start(t, configured(t, "audit: {enabled: true, stdout: true, include_args: true}", map[string]string{"note": `echo "$1" >> ` + ran}, ""),
		func(c *daemon.Config) { c.Stdout = &d })
	d.fill(true)
	require.NoError(t, s.client(t, nil, "note", "one").err)
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "could not be recorded") }, time.Minute, time.Millisecond)
	require.Error(t, s.client(t, nil, "note", "two").err)
	d.fill(false)
	require.NoError(t, s.client(t, nil, "note", "three").err)
	require.Eventually(t, func() bool { return len(d.lines()) == 2 }, time.Minute, time.Millisecond)
	for i, want := range []string{"one", "three"} {
		var line struct{ Args []string }
		require.NoError(t, json.Unmarshal([]byte(d.lines()[i]), &line), "no line is torn")
		assert.Equal(t, []string{want}, line.Args)
	}
	did, err := os.ReadFile(ran)
	require.NoError(t, err)
	assert.Equal(t, "one\nthree\n", string(did))
}

func TestW17SilentClientsTakeNobodysPlace(t *testing.T) {
	s := start(t, configured(t, "proxy: {max_connections: 1, read_header_timeout: 10s}", map[string]string{"true": "exit 0", "sleep": "exec sleep 1000"}, ""), nil)
	for range 64 {
		s.dial(t) // says nothing
	}
	require.NoError(t, s.client(t, nil, "true").err)
	var conn *net.UnixConn
	require.Eventually(t, func() bool { // the first client knows that its tool has ended before the daemon is done with it
		conn = s.dial(t)
		_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "sleep" }))
		require.NoError(t, err)
		_ = conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		_, err = wire.ReadFrame(conn)
		return errors.Is(err, os.ErrDeadlineExceeded)
	}, 20*time.Second, time.Millisecond)
	assert.Equal(t, "server busy", framed(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" }))))
	_ = conn.Close()
	require.NoError(t, s.client(t, nil, "true").err, "the client waits until there is room")
}
