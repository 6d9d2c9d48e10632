//go:build linux

package front_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/client"
	"gavel/runner"
	"gavel/runner/front"
)

// The test program is also gavel run, with an authority that allows everything but the word evil.
func TestMain(m *testing.M) {
	switch os.Getenv("FRONT_TEST") {
	case "":
		os.Exit(m.Run())
	case "types":
		os.Exit(types())
	}
	here := func(context.Context, front.Options, gavel.Call) (runner.Authority, error) { return authority{}, nil }
	p := front.Program{Name: "gavel run", Getenv: os.Getenv, Stderr: os.Stderr, Here: here}
	ctx, cancel := context.WithCancel(context.Background())
	if os.Getenv("FRONT_TEST") == "stop" {
		go func() {
			for _, err := os.Stat("began"); err != nil; _, err = os.Stat("began") {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
	}
	if os.Getenv("FRONT_TEST") == "shell" {
		o, err := front.ParseShell(os.Args[1:], os.Getenv)
		os.Exit(p.Run(ctx, o, err))
	}
	o, err := front.ParseRun(os.Args[1:], os.Getenv)
	os.Exit(p.Run(ctx, o, err))
}

type authority struct{}

func (authority) Decide(_ context.Context, call gavel.Call) (gavel.Decision, error) {
	text, _ := call.Tool.Params["command"].(string)
	if strings.Contains(text, "evil") {
		return gavel.Decision{Reasons: []gavel.Reason{{Code: "test.evil", Message: "it is \x1b[31mevil"}}}, nil
	}
	var writes *gavel.Writes
	if under, limited := os.LookupEnv("FRONT_TEST_WRITES"); limited {
		writes = &gavel.Writes{Under: strings.FieldsFunc(under, func(r rune) bool { return r == ':' }), Inexact: []string{"*.go"}}
	}
	return gavel.Decision{ID: "d", Effect: gavel.Allow, Exec: &gavel.Exec{Host: "gateway", Command: text, Writes: writes,
		Pins: &gavel.Pins{Directory: call.Environment.Cwd, Shell: call.Environment.Shell}}}, nil
}

func (authority) Wait(context.Context, gavel.Decision) (client.Answer, error) {
	return client.Answer{}, errors.New("nobody")
}

// command is gavel run with these words, in an empty directory.
func command(t *testing.T, mode string, words ...string) *exec.Cmd {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0], words...)
	cmd.Dir, cmd.Env = dir, []string{"FRONT_TEST=" + mode, "PATH=/usr/bin:/bin", "HOME=" + dir, "TERM=xterm", "SECRET=x"}
	return cmd
}

func run(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	_ = cmd.Run() // the exit code is what is tested
	return out.String(), wrong.String(), cmd.ProcessState.ExitCode()
}

func TestTheExitCodeIsTheCommands(t *testing.T) {
	for about, c := range map[string]struct {
		mode, stdout, stderr string
		words                []string
		code                 int
	}{
		"its own":                {"run", "out\n", "err\n", []string{"-c", "echo out; echo err >&2; exit 5"}, 5},
		"words":                  {"run", "a b\n", "", []string{"--", "echo", "a b"}, 0},
		"words without dashes":   {"run", "-n\n", "", []string{"printf", `%s\n`, "-n"}, 0},
		"a signal":               {"run", "", "", []string{"-c", "kill -9 $$"}, 137},
		"a refusal":              {"run", "", "gavel run: deny: it is ?[31mevil (test.evil)\n", []string{"-c", "evil"}, 126},
		"its time":               {"run", "", "gavel run: the command was ended after 100ms, its time limit\n", []string{"--timeout", "100ms", "-c", "sleep 100"}, 124},
		"nothing to run":         {"run", "", "gavel run: give either -c TEXT or the words of a command, such as gavel run -- ls -l\n", nil, 125},
		"both":                   {"run", "", "gavel run: give either -c TEXT or the words of a command, such as gavel run -- ls -l\n", []string{"-c", "x", "y"}, 125},
		"two who decide":         {"run", "", "gavel run: --policy and --server exclude one another: decide here, or ask a server\n", []string{"--policy", "p", "--server", "s", "-c", "x"}, 125},
		"the end of this":        {"stop", "", "", []string{"-c", "echo >began; sleep 100"}, 143},
		"a shell":                {"shell", "x\n", "", []string{"-lc", "echo x"}, 0},
		"a shell, options apart": {"shell", "x\n", "", []string{"-l", "-c", "echo x"}, 0},
		"a shell that is refused": {"shell", "", "gavel run: deny: it is ?[31mevil (test.evil)\n",
			[]string{"-c", "evil"}, 126},
		"a missing directory": {"run", "", "gavel run: open the directory: lstat /nowhere: no such file or directory (runner.directory_changed); name a directory that exists\n",
			[]string{"--cwd", "/nowhere", "-c", "x"}, 126},
	} {
		t.Run(about, func(t *testing.T) {
			stdout, stderr, code := run(t, command(t, c.mode, c.words...))
			assert.Equal(t, []any{c.stdout, c.stderr, c.code}, []any{stdout, stderr, code})
		})
	}
	for _, words := range [][]string{nil, {"-i"}, {"script.sh"}, {"-s"}, {"-c"}, {"-c", "x", "name"}, {"-xc", "x"}, {"-c", " "}} {
		_, stderr, code := run(t, command(t, "shell", words...))
		assert.Equal(t, 125, code, words)
		assert.NotEmpty(t, stderr)
	}
}

func TestInputAndEnvironmentReachTheCommand(t *testing.T) {
	cmd := command(t, "run", "-c", "cat; env | sort | cut -d= -f1 | tr '\\n' ' '")
	cmd.Stdin = strings.NewReader("in\n")
	stdout, _, _ := run(t, cmd)
	assert.Regexp(t, `^in\nHOME LOGNAME (OLDPWD )?PATH PWD SHLVL TERM USER _ $`, stdout)
}

func TestProcessesLeftBehindEndWithTheCommandUnlessTheyMayOutliveIt(t *testing.T) {
	leave := "rm -f left; setsid bash -c 'trap \"\" TERM; echo $$; exec >&- 2>&-; echo >left; exec sleep 1000' & until [ -e left ]; do sleep 0.01; done"
	stdout, _, _ := run(t, command(t, "run", "-c", leave))
	pid := strings.TrimSpace(stdout)
	require.NotEmpty(t, pid)
	assert.NoDirExists(t, "/proc/"+pid)
	stdout, _, _ = run(t, command(t, "run", "--outlive", "-c", leave))
	pid = strings.TrimSpace(stdout)
	assert.DirExists(t, "/proc/"+pid)
	var number int
	_, err := fmt.Sscan(pid, &number)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(number, syscall.SIGKILL))
}

func TestProcessesFromBeforeTheRunAreLeftAlone(t *testing.T) {
	cmd := command(t, "run")
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `sleep 1000 >/dev/null 2>&1 & echo $!; exec "$0" -c 'sleep 1000 & true'`, os.Args[0]}
	began := time.Now()
	stdout, _, code := run(t, cmd)
	assert.Zero(t, code)
	var pid int
	_, err := fmt.Sscan(stdout, &pid)
	require.NoError(t, err)
	assert.False(t, zombie(pid), "it is not a child of the command")
	assert.Less(t, time.Since(began), 30*time.Second)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestTheCommandEndsWithARunnerThatIsKilled(t *testing.T) {
	cmd := command(t, "run", "-c", "echo $$; exec sleep 1000")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var pid int
	_, err = fmt.Fscan(out, &pid)
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.Eventually(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) }, time.Minute, 5*time.Millisecond)
}

func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

func TestTheKernelEnforcesTheLimits(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for about, c := range map[string]struct {
		words []string
		want  string
	}{
		"a file":      {[]string{"--max-file", "1000", "-c", "head -c 5000 /dev/zero >f; wc -c <f"}, "1000\n"},
		"descriptors": {[]string{"--max-files", "10", "-c", "ulimit -n; ulimit -Hn"}, "10\n10\n"},
		"writing elsewhere": {[]string{"--write", dir, "-c", "echo x >" + dir + "/in; cat " + dir + "/in; touch out 2>/dev/null || echo refused; echo >/dev/null && echo null"},
			"x\nrefused\nnull\n"},
		"writing nothing more by another program": {[]string{"--write", dir, "-c", "bash -c 'touch out' 2>/dev/null || echo refused"}, "refused\n"},
	} {
		t.Run(about, func(t *testing.T) {
			stdout, stderr, _ := run(t, command(t, "run", c.words...))
			assert.Equal(t, c.want, stdout, stderr)
		})
	}
}

// Writing is limited to what the decision says, by the kernel: also for what a program does by itself.
func TestWritesAreLimitedToWhatThePolicyPermits(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir, other, file, link := filepath.Join(base, "in"), filepath.Join(base, "other"), filepath.Join(base, "file"), filepath.Join(base, "link")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Mkdir(other, 0o700))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Symlink(other, link))
	try := func(path string) string {
		return "bash -c 'echo x >" + path + "' 2>/dev/null && echo written || echo refused"
	}
	for about, c := range map[string]struct {
		under string // "-" says that nothing is limited
		words []string
		want  string
	}{
		"in a permitted directory":          {dir, []string{"--limit-writes", "-c", try(dir + "/x")}, "written\n"},
		"beside it":                         {dir, []string{"--limit-writes", "-c", try(other + "/x")}, "refused\n"},
		"to a permitted file":               {file, []string{"--limit-writes", "-c", try(file)}, "written\n"},
		"beside a permitted file":           {file, []string{"--limit-writes", "-c", try(file + "2")}, "refused\n"},
		"through a link":                    {link, []string{"--limit-writes", "-c", try(other + "/y")}, "refused\n"},
		"where no place is permitted":       {"", []string{"--limit-writes", "-c", try(dir + "/x")}, "refused\n"},
		"in a directory of the runner, too": {dir, []string{"--limit-writes", "--write", other, "-c", try(other+"/z") + ";" + try(dir+"/z")}, "written\nwritten\n"},
		"a place that is missing":           {dir + ":" + base + "/missing", []string{"--limit-writes", "-c", try(dir + "/x")}, "written\n"},
		"where the policy limits nothing":   {"-", []string{"--limit-writes", "-c", try(other + "/x")}, "written\n"},
		"without the option":                {dir, []string{"-c", try(other + "/x")}, "written\n"},
	} {
		t.Run(about, func(t *testing.T) {
			cmd := command(t, "run", append([]string{"--report", base + "/report.json"}, c.words...)...)
			if c.under != "-" {
				cmd.Env = append(cmd.Env, "FRONT_TEST_WRITES="+c.under)
			}
			stdout, stderr, _ := run(t, cmd)
			assert.Equal(t, c.want, stdout, stderr)
			report, err := os.ReadFile(base + "/report.json")
			require.NoError(t, err)
			limited := c.under != "-" && c.words[0] == "--limit-writes"
			assert.Equal(t, limited, strings.Contains(string(report), "cannot hold these patterns of tools.write: *.go"), string(report))
			assert.Equal(t, strings.Contains(c.under, "missing") || c.under == link, strings.Contains(string(report), "may not write to"), string(report))
		})
	}
}

func TestACommandOnATerminalHasItAndGivesItBack(t *testing.T) {
	cmd := command(t, "run", "-c", "test -t 0 && echo terminal; read x; echo got $x")
	terminal, err := pty.Start(cmd)
	require.NoError(t, err)
	defer terminal.Close() //nolint:errcheck // a test
	_, err = terminal.WriteString("word\n")
	require.NoError(t, err)
	var out bytes.Buffer
	_, _ = out.ReadFrom(terminal) // a terminal ends with an error
	_ = cmd.Wait()
	assert.Contains(t, out.String(), "terminal")
	assert.Contains(t, out.String(), "got word")
}

func TestStartsAreRecordedAndReported(t *testing.T) {
	cmd := command(t, "run", "--audit", "runs.jsonl", "--report", "report.json", "-c", "kill -TERM $$")
	run(t, cmd)
	text, err := os.ReadFile(filepath.Join(cmd.Dir, "runs.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], `"kind":"run.started"`)
	assert.Contains(t, lines[1], `"decision":"d"`)
	assert.Contains(t, lines[1], `"exitCode":143`)
	assert.Contains(t, lines[1], `"signal":"terminated"`)
	assert.Contains(t, lines[1], `"kind":"run.ended"`)
	text, err = os.ReadFile(filepath.Join(cmd.Dir, "report.json"))
	require.NoError(t, err)
	assert.Contains(t, string(text), `"exitCode":143`)
	assert.Contains(t, string(text), `"signal":"terminated"`)
	assert.Contains(t, string(text), "the text runs as it was given")
}

func TestWordsAreQuotedAndTheProgramIsLookedUp(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tool"), nil, 0o700))
	for want, words := range map[string][]string{
		"'" + dir + "/tool' 'it'\\''s'": {"tool", "it's"}, "'/w/x/tool'": {"x/tool"}, "'/a' '$(id)' ''": {"/a", "$(id)", ""}, "'missing'": {"missing"},
	} {
		assert.Equal(t, want, front.Quoted(words, "/w", []string{"/nowhere", dir}))
	}
}
