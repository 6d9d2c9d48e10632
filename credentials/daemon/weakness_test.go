//go:build linux

package daemon_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/daemon"
	"gavel/credentials/wire"
	"gavel/credentials/wrap"
)

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

func TestW4AnotherListenerCannotPoseAsTheDaemon(t *testing.T) {
	dir := short(t)
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

func TestALateDaemonStillProvesItself(t *testing.T) {
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

func TestAnotherUserIsRefusedBeforeAnythingIsRead(t *testing.T) {
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
	t.Setenv("HOME", "/home/somebody")
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
	assert.Contains(t, out, "HOME=/home/somebody\n")
	call := <-s.calls
	assert.Equal(t, []any{"NO_COLOR", "TZ"}, call.Tool.Params["env"])
	assert.Len(t, call.Tool.Params["dropped"], len(hostile))
}

func TestW6VariablesThatNoCallMaySetAreDroppedEvenIfAToolListsThem(t *testing.T) {
	hostile := []string{"PGHOST", "PGPASSFILE", "MYSQL_HOST", "GOPROXY", "GOENV", "DATABASE_URL", "ANSIBLE_CONFIG", "GNUPGHOME", "MAVEN_OPTS", "JAVA_HOME",
		"HGRCPATH", "RSYNC_RSH", "UV_INDEX_URL", "COMPOSE_FILE", "X_WRAPPER"}
	s := start(t, configured(t, "", map[string]string{"env": "env"}, "request_env: ["+strings.Join(hostile, ", ")+", PGDATABASE]"), nil)
	given := map[string]string{"PGDATABASE": "mine"}
	for _, name := range hostile {
		given[name] = "/tmp/evil"
	}
	out := ""
	for _, m := range frames(t, strings.NewReader(s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Env = "env", given })))) {
		out += string(m.Data)
	}
	assert.NotContains(t, out, "/tmp/evil")
	assert.Contains(t, out, "PGDATABASE=mine\n")
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

func TestW7AToolHasTimeToEndByItselfAfterItsTimeLimit(t *testing.T) {
	answer := timed(t, `trap 'echo cleaned; exit 7' TERM; echo >ready; while :; do sleep 0.05; done`)
	out := ""
	for _, m := range answer {
		if m.Type == wire.TypeStdout {
			out += string(m.Data)
		}
	}
	assert.Equal(t, "cleaned\n", out)
	assert.Equal(t, wire.Message{Type: wire.TypeDone, ExitCode: 7, Timeout: true}, answer[len(answer)-1])
}

func TestW8AConfigurationFileIsCreatedWithoutRootAndRemovedWithTheTool(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"cat": `cat "$XDG_CONFIG_HOME/app/deep/hosts.yml" | tr a-y b-z; cd "$XDG_CONFIG_HOME"; stat -c %a . app app/deep app/deep/hosts.yml`},
		"config_file: {xdg_subdir: app/deep, filename: hosts.yml, template: 'token: {{ .token }}', credentials: [token]}"), nil)
	r := s.client(t, nil, "cat")
	require.NoError(t, r.err)
	next := func(r rune) rune { // the daemon does not know this spelling
		if 'a' <= r && r <= 'y' {
			return r + 1
		}
		return r
	}
	assert.Equal(t, strings.Map(next, "token: '"+credential+"'")+"700\n700\n700\n600\n", r.stdout)
	left, err := filepath.Glob(filepath.Join(s.temp, "*", "config-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
