package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// callTimeout limits the time that a host has for one call. A host that takes longer is killed, and
// the file shows whether the call ran.
const callTimeout = 75 * time.Second

// The outcomes of a call.
const (
	ran              = "ran"
	notRun           = "not run"
	ranOriginal      = "ran, not as judged"
	noAttempt        = "no call" // the model was not asked to make it: nothing is proven
	refusedElsewhere = "not run, but not by the hook"
	failed           = "error"
)

// result is the result of a cell in a host.
type result struct {
	host      host
	cell      cell
	got, want string
	note      string
}

// String formats the result for the output.
func (r result) String() string {
	sign := "ok  "
	if r.got != r.want {
		sign = "FAIL"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s: %s %s", sign, r.host.name, r.cell.name, r.got, r.note))
}

// fixture is the environment of one run.
type fixture struct {
	root, dir, home, project, state string
	bin                             string   // program of the host
	mcp                             []string // command line of the MCP server
	version                         string   // of the host
	model                           string   // URL of the model
	action                          string   // of the cell
	env                             []string // of the host
}

// runWithRetry runs a cell in a host. It runs the cell once more if the host failed before the model
// could make the call.
func (t *runner) runWithRetry(ctx context.Context, h host, c cell, keep bool) result {
	r := t.runOnce(ctx, h, c, keep)
	if r.got == noAttempt || r.got == failed {
		r = t.runOnce(ctx, h, c, keep)
	}
	return r
}

func (t *runner) runOnce(ctx context.Context, h host, c cell, keep bool) result {
	r := result{host: h, cell: c, want: notRun}
	if c.shouldRun {
		r.want = ran
	}
	if c.name == "rewritten" && h.cannotRewrite {
		r.want = ranOriginal // the host cannot rewrite
	}
	dir, err := os.MkdirTemp("", "gh") // short, because the length of a socket path is limited
	if err != nil {
		r.note = err.Error()
		return r
	}
	r.got, r.note, err = t.runIn(ctx, h, c, dir)
	if err != nil {
		r.got, r.note = failed, err.Error()
	}
	if keep || r.got != r.want {
		r.note += " (kept in " + dir + ")"
		return r
	}
	_ = os.RemoveAll(dir) // a host may still write to it
	return r
}

func (t *runner) runIn(ctx context.Context, h host, c cell, dir string) (got, note string, err error) {
	p := fixture{root: t.root, version: h.version, dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "work"), state: filepath.Join(dir, "gavel"),
		bin: filepath.Join(t.root, "build", "hosts", h.name, "node_modules", ".bin", h.program), mcp: []string{filepath.Join(t.bin, "hostcheck"), "-mcp"}, action: c.action}
	for _, name := range []string{p.home, p.project, p.state} {
		if err := os.Mkdir(name, 0o700); err != nil {
			return "", "", err
		}
	}
	calls := h.calls(c, p.project)
	gavel, err := t.startGavel(ctx, c, p)
	if err != nil {
		return "", "", err
	}
	defer func() { gavel.close() }()
	scripted, err := startModel(calls[0], calls[1])
	if err != nil {
		return "", "", err
	}
	defer scripted.close()
	if c.failsLater() {
		scripted.beforeSub = gavel.fail
	}
	p.model = scripted.url
	p.env = t.environment(h, c, p, gavel.socket)
	if err := h.setup(p); err != nil {
		return "", "", err
	}
	if !h.setupInstalls {
		install := []string{"install", h.name}
		if c.name == unattended {
			install = append(install, "--unattended")
		}
		if err := runCommand(ctx, p.project, p.env, filepath.Join(t.bin, "gavel"), install...); err != nil {
			return "", "", err
		}
	}
	out, ended := t.start(ctx, h, p)
	_ = os.WriteFile(filepath.Join(dir, "output"), []byte(out), 0o600)
	_ = os.WriteFile(filepath.Join(dir, "model"), []byte(strings.Join(scripted.requests, "\n")), 0o600)
	if ended != nil {
		note = ended.Error()
	}
	return judge(c, p, scripted), note, nil
}

// judge returns the outcome of a run. If there is no file, it checks that the model made the call,
// and that its result, if there is one, comes from the hook. Otherwise the run would prove nothing.
func judge(c cell, p fixture, m *model) string {
	if _, err := os.Lstat(filepath.Join(p.project, "original")); err == nil {
		return ranOriginal
	}
	for _, name := range c.files(p.project) {
		if _, err := os.Lstat(name); err == nil {
			return ran
		}
	}
	attempted, toolResult := m.outcome()
	switch {
	case !attempted:
		return noAttempt
	case toolResult != "" && !mentionsHook(toolResult):
		return refusedElsewhere
	}
	return notRun
}

// mentionsHook reports whether the result of a call comes from a hook: it names Gavel, a hook, an
// approval or the code of a reason.
func mentionsHook(toolResult string) bool {
	return regexp.MustCompile(`(?i)gavel|hook|approval|\b(exec|tools|resources)\.[a-z_]+: `).MatchString(toolResult)
}

// environment returns the host's environment. It inherits nothing from this process.
func (t *runner) environment(h host, c cell, p fixture, socket string) []string {
	env := []string{"HOME=" + p.home, "USER=test", "SHELL=/bin/bash", "TERM=dumb", "LANG=C.UTF-8", "XDG_STATE_HOME=" + p.dir,
		"PATH=" + strings.Join([]string{t.nodeBin(h), filepath.Dir(p.bin), t.bin, "/usr/bin", "/bin"}, ":"),
		"HTTP_PROXY=" + p.model, "HTTPS_PROXY=" + p.model, "NO_PROXY=127.0.0.1,localhost",
		"http_proxy=" + p.model, "https_proxy=" + p.model, "no_proxy=127.0.0.1,localhost"}
	if socket != "" {
		env = append(env, "GAVEL_SOCKET="+socket)
	}
	if c.name == "rewritten" {
		// bash reads this function from the environment. It does not apply to /usr/bin/touch.
		env = append(env, "BASH_FUNC_touch%%=() { /usr/bin/touch original; }")
	}
	return append(env, h.env(p)...)
}

// start runs the host until it exits or is killed, and returns its output.
func (t *runner) start(ctx context.Context, h host, p fixture) (string, error) {
	timeout := cmp.Or(h.timeout, callTimeout)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	words := h.command(p)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // a host of hosts.go
	cmd.Dir, cmd.Env = p.project, p.env
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		killLeftovers(p.home)
		return string(out), fmt.Errorf("the host did not exit within %s", timeout)
	}
	if cmd.Process != nil {
		_ = killGroup(cmd.Process.Pid) // child processes that still run
	}
	killLeftovers(p.home)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) || err == nil {
		return string(out), nil
	}
	return string(out), err
}

// killLeftovers kills the processes that have this home directory, also those that a host has
// started in another session. Without /proc, it finds none.
func killLeftovers(home string) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !slices.Contains(strings.Split(string(text), "\x00"), "HOME="+home) {
			continue // it has ended, or belongs to another run
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			if process, err := os.FindProcess(pid); err == nil {
				_ = process.Kill()
			}
		}
	}
}
