//go:build linux

package daemon_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/credentials/daemon"
	"gavel/credentials/wire"
	"gavel/credentials/wrap"
)

func TestAToolRunsWithItsCredentialAndTheClientNeverSeesIt(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"show": `echo "out $TOKEN $1"; echo "err $TOKEN" >&2; printf %s "$TOKEN" | base64 -w0; test -n "$TOKEN"; exit $?`}, ""), nil)
	r := s.client(t, nil, "show", "a b")
	require.NoError(t, r.err)
	assert.Equal(t, 0, r.status)
	assert.Equal(t, "out [REDACTED] a b\n[REDACTED]", strings.TrimRight(r.stdout, "=U"), "the last character of base64 is shown without its bits")
	assert.Equal(t, "err [REDACTED]\n", r.stderr)
	call := <-s.calls
	assert.Equal(t, "credential", call.Tool.Name)
	assert.Equal(t, "show", call.Tool.Params["tool"])
	assert.Equal(t, []any{"a b"}, call.Tool.Params["args"])
	text, err := json.Marshal(call)
	require.NoError(t, err)
	assert.NotContains(t, string(text), credential)
}

func TestTheClientEndsWithTheStatusOfTheTool(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"fails": "exit 7", "dies": "kill -9 $$"}, ""), nil)
	assert.Equal(t, 7, s.client(t, nil, "fails").status)
	assert.Equal(t, 255, s.client(t, nil, "dies").status)
}

func TestStandardInputGoesToTheTool(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"cat": "exec cat", "none": "exec cat"}, ""), nil)
	long := strings.Repeat("0123456789abcde\n", 40_000)
	r := s.client(t, strings.NewReader(long), "cat")
	require.NoError(t, r.err)
	assert.Equal(t, long, r.stdout)
	s = start(t, configured(t, "", map[string]string{"cat": "exec cat"}, "use_stdin: false"), nil)
	r = s.client(t, strings.NewReader(long), "cat")
	require.NoError(t, r.err)
	assert.Empty(t, r.stdout)
}

func TestARefusalOfThePolicyRunsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		decision gavel.Decision
		says     string
	}{
		"the zero decision":          {gavel.Decision{}, "blocked: operation blocked by security policy"},
		"a question":                 {gavel.Decision{Effect: gavel.Ask}, "blocked: operation blocked by security policy"},
		"a rule of the wrappers":     {gavel.Decision{Reasons: []gavel.Reason{{Code: "credentials.blocked", Message: "no repo delete"}}}, "blocked: no repo delete"},
		"a rule of the organisation": {gavel.Decision{Reasons: []gavel.Reason{{Code: "custom.x", Message: "internal detail"}}}, "blocked: operation blocked by security policy (custom.x)"},
	} {
		t.Run(name, func(t *testing.T) {
			mark := filepath.Join(t.TempDir(), "ran")
			s := start(t, configured(t, "", map[string]string{"touch": "touch " + mark}, ""), func(cfg *daemon.Config) {
				cfg.Decide = func(context.Context, gavel.Call) gavel.Decision { return c.decision }
			})
			r := s.client(t, nil, "touch")
			assert.Equal(t, 1, r.status)
			require.EqualError(t, r.err, "daemon error: "+c.says)
			assert.NoFileExists(t, mark)
			assert.EqualValues(t, 1, s.Counts()["args_denied"])
		})
	}
}

func TestErrorsComeInTheFormThatTheRequestImplies(t *testing.T) {
	hasty := start(t, configured(t, "proxy: {read_header_timeout: 300ms}", map[string]string{"true": "exit 0"}, ""), nil)
	assert.Equal(t, "request read timeout", bare(t, hasty.say(t, []byte(`{"ver`))))
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), nil)
	assert.Equal(t, "invalid json", bare(t, s.say(t, []byte("{\n"))))
	assert.Equal(t, "empty request", bare(t, s.say(t, []byte("\n"))))
	assert.Equal(t, "invalid request: use proxy protocol", bare(t, s.say(t, []byte("{}\n"))))
	assert.Equal(t, "request too large", bare(t, s.say(t, []byte(strings.Repeat("x", 65536)))))
	assert.Equal(t, "unknown tool", framed(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "nope" }))))
	assert.Equal(t, "invalid working directory", framed(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Cwd = "true", "relative" }))))
	assert.Equal(t, "invalid working directory", framed(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Cwd = "true", "/nonexistent" }))))
	line := s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })
	assert.Equal(t, "authentication failed", framed(t, s.say(t, []byte(strings.Replace(string(line), `"hmac":"`, `"hmac":"A`, 1)))))
	assert.Equal(t, "authentication failed", framed(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Timestamp = "true", "1706745600" }))))
	assert.Equal(t, "protocol version mismatch", framed(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool, r.Version = "true", 2 }))))
	assert.Equal(t, "unknown admin command", bare(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Admin, r.Cwd, r.Args = "stop", "", nil }))))
	assert.Equal(t, "authentication failed", bare(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Admin, r.Cwd, r.Args, r.Timestamp = "list", "", nil, "1706745600" }))))
}

func TestBothFormsOfARequestAreServed(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), nil)
	for _, form := range []wire.Form{wire.SixFields, wire.SevenFields} {
		answer := s.say(t, s.request(t, form, func(r *wire.Request) { r.Tool = "true" }))
		assert.Equal(t, "\x00\x00\x00\x0f{\"type\":\"done\"}", answer)
	}
}

func TestAdministratorsSeeToolsAndWhetherCredentialsExist(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"gh": "exit 0"}, ""), nil)
	var list wire.ToolList
	answer := s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Admin, r.Cwd, r.Args = "list", "", nil }))
	require.NoError(t, json.Unmarshal([]byte(answer), &list), answer)
	assert.Equal(t, "test", list.Version)
	assert.Equal(t, "env", list.Tools["gh"].Mode)
	assert.True(t, filepath.IsAbs(list.Tools["gh"].Binary))
	answer = s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Admin, r.Cwd, r.Args = "check", "", nil }))
	assert.Equal(t, "authentication failed", bare(t, answer), "the test is not called gavel or claw-wrap")
}

func TestTheWorkingDirectoryOfTheConfigurationHolds(t *testing.T) {
	dir := t.TempDir()
	s := start(t, configured(t, "", map[string]string{"pwd": "pwd -P"}, "working_dir: "+dir), nil)
	r := s.with(t, func(c *wrap.Config) { c.Cwd = "/nonexistent/caller/cwd" }, "pwd")
	require.NoError(t, r.err)
	assert.Equal(t, dir+"\n", r.stdout)
}

func TestAToolRunsWhereItWasJudgedEvenIfThePathNowLeadsElsewhere(t *testing.T) {
	base := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(base, "good"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(base, "evil"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(base, "good", "name"), []byte("good"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(base, "evil", "name"), []byte("evil"), 0o600))
	s := start(t, configured(t, "", map[string]string{"name": "cat name"}, ""), func(cfg *daemon.Config) {
		cfg.Decide = func(context.Context, gavel.Call) gavel.Decision {
			require.NoError(t, os.Rename(filepath.Join(base, "good"), filepath.Join(base, "moved")))
			require.NoError(t, os.Rename(filepath.Join(base, "evil"), filepath.Join(base, "good")))
			return gavel.Decision{Effect: gavel.Allow}
		}
	})
	r := s.with(t, func(c *wrap.Config) { c.Cwd = filepath.Join(base, "good") }, "name")
	require.NoError(t, r.err)
	assert.Equal(t, "good", r.stdout)
}

func TestARequestForATerminalMustBeSigned(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"tty": `tty >/dev/null && echo terminal; stty size; echo "$TOKEN $TERM"`}, ""), nil)
	conn := s.dial(t)
	_, err := conn.Write(s.request(t, wire.SevenFields, func(r *wire.Request) {
		r.Tool, r.UsePTY, r.WindowSize = "tty", true, &wire.WindowSize{Rows: 11, Cols: 33}
	}))
	require.NoError(t, err)
	out := ""
	for _, m := range frames(t, conn) {
		assert.NotEqual(t, wire.TypeStderr, m.Type)
		out += string(m.Data)
	}
	assert.Equal(t, "terminal\r\n11 33\r\n[REDACTED] ", out[:len("terminal\r\n11 33\r\n[REDACTED] ")])
	s = start(t, configured(t, "", map[string]string{"tty": `tty >/dev/null && echo terminal; exit 0`}, "use_pty: false"), nil)
	answer := s.say(t, s.request(t, wire.SevenFields, func(r *wire.Request) { r.Tool, r.UsePTY = "tty", true }))
	assert.NotContains(t, answer, "terminal")
}

func TestReloadKeepsWhatRunsAndTakesOverTheRest(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"old": "sleep 0.5; echo done"}, ""), nil)
	result := make(chan ran)
	go func() { result <- s.client(t, nil, "old") }()
	<-s.calls
	require.NoError(t, s.Reload(configured(t, "", map[string]string{"new": "echo new"}, "")))
	assert.Equal(t, "new\n", s.client(t, nil, "new").stdout)
	require.ErrorContains(t, s.client(t, nil, "old").err, "unknown tool")
	assert.Equal(t, "done\n", (<-result).stdout)
}

func TestTheAuditFileHasEveryRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit")
	s := start(t, configured(t, "audit: {enabled: true, stdout: true, file: "+file+"}", map[string]string{"show": `echo "$TOKEN"; exit 3`}, ""), nil)
	assert.Equal(t, 3, s.client(t, nil, "show", "x").status)
	s.stop()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, s.audit.String(), string(text))
	var line map[string]any
	require.NoError(t, json.Unmarshal(text, &line))
	assert.EqualValues(t, 3, line["exit_code"])
	assert.Equal(t, "decision-1", line["decision"])
	assert.Equal(t, []any{"x"}, line["args"])
	assert.Regexp(t, "^sha256:[0-9a-f]{64}$", line["output_hash"])
	assert.EqualValues(t, os.Getuid(), line["caller_uid"])
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
}

func TestACredentialThatCannotBeReadRunsNothing(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "ran")
	config := configured(t, "", map[string]string{"touch": "touch " + mark}, "")
	require.NoError(t, os.Chmod(config.Credentials["token"].Name, 0o644))
	s := start(t, config, nil)
	require.EqualError(t, s.client(t, nil, "touch").err, "daemon error: internal error")
	assert.NoFileExists(t, mark)
	assert.Contains(t, s.log.String(), "others may read")
}

func TestADaemonWithAnIncompleteConfigurationDoesNotStart(t *testing.T) {
	config := configured(t, "", map[string]string{"t": "exit 0"}, "")
	dir := t.TempDir()
	good := daemon.Config{Wrappers: config, Secret: filepath.Join(dir, "auth"), Environment: environment(t), Temp: dir,
		Decide: func(context.Context, gavel.Call) gavel.Decision { return gavel.Decision{} }}
	for name, change := range map[string]func(*daemon.Config){
		"no configuration":       func(c *daemon.Config) { c.Wrappers = nil },
		"no policy":              func(c *daemon.Config) { c.Decide = nil },
		"no table of variables":  func(c *daemon.Config) { c.Environment = daemon.Environment{} },
		"a mode for all":         func(c *daemon.Config) { c.SecretMode = 0o644 },
		"a caller of no file":    func(c *daemon.Config) { c.Callers = []string{"/nonexistent"} },
		"a caller of a relative": func(c *daemon.Config) { c.Callers = []string{"daemon_test.go"} },
		"no place for a secret":  func(c *daemon.Config) { c.Secret = "/nonexistent/auth" },
	} {
		bad := good
		change(&bad)
		_, err := daemon.New(bad)
		assert.Error(t, err, name)
	}
	left, err := filepath.Glob(filepath.Join(dir, "gavel-credentials-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	_, err = daemon.Listen(filepath.Join(dir, "s"), 0, 0o640)
	require.ErrorContains(t, err, "0640")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err = daemon.Listen(filepath.Join(dir, "file"), 0, 0o600)
	require.ErrorContains(t, err, "not a socket")
}

func TestASignalGoesToTheTool(t *testing.T) {
	for _, signal := range []string{"SIGINT", "SIGTERM", "SIGHUP"} {
		s := start(t, configured(t, "", map[string]string{"traps": `trap 'echo ` + signal + `; exit 5' INT TERM HUP; echo ready; while :; do sleep 0.05; done`}, ""), nil)
		conn := s.dial(t)
		_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "traps" }))
		require.NoError(t, err)
		first, err := wire.ReadFrame(conn)
		require.NoError(t, err)
		require.Equal(t, "ready\n", string(first.Data))
		_, err = conn.Write([]byte(`{"type":"signal","signal":"` + signal + `"}` + "\n"))
		require.NoError(t, err)
		list := frames(t, conn)
		assert.Equal(t, wire.Message{Type: wire.TypeDone, ExitCode: 5}, list[len(list)-1])
	}
}

func TestAStaleDirectoryIsSweptAndALiveOneIsNot(t *testing.T) {
	base := t.TempDir()
	stale := filepath.Join(base, "gavel-credentials-1")
	require.NoError(t, os.Mkdir(stale, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(stale, "lock"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(stale, "config-with-a-credential"), []byte(credential), 0o600))
	config := configured(t, "", map[string]string{"t": "exit 0"}, "")
	first := start(t, config, func(c *daemon.Config) { c.Temp = base })
	assert.NoDirExists(t, stale)
	live, err := filepath.Glob(filepath.Join(base, "gavel-credentials-*"))
	require.NoError(t, err)
	require.Len(t, live, 1)
	second := start(t, config, func(c *daemon.Config) { c.Temp = base })
	assert.DirExists(t, live[0])
	require.NoError(t, first.client(t, nil, "t").err)
	require.NoError(t, second.client(t, nil, "t").err)
}

func TestASignalReachesAToolThatReadsNothing(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"deaf": `exec 0<&-; trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done`}, ""), nil)
	conn := s.dial(t)
	_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "deaf" }))
	require.NoError(t, err)
	_, err = wire.ReadFrame(conn)
	require.NoError(t, err)
	for range 20 {
		line, err := wire.EncodeLine(wire.Control{Type: wire.ControlStdin, Data: make([]byte, wire.ChunkSize)})
		require.NoError(t, err)
		_, err = conn.Write(line)
		require.NoError(t, err)
	}
	_, err = conn.Write([]byte(`{"type":"signal","signal":"SIGTERM"}` + "\n"))
	require.NoError(t, err)
	list := frames(t, conn)
	assert.Equal(t, 5, list[len(list)-1].ExitCode)
}
