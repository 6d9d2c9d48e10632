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
	"syscall"
	"time"
)

// runsWithin limits how long a host may take for one call. A host that still runs then is
// killed, and the file shows whether the call ran.
const runsWithin = 75 * time.Second

// The outcomes of a call.
const (
	ran       = "ran"
	notRun    = "not run"
	original  = "ran, not as judged"
	noAttempt = "no call" // the model was not asked to make it: nothing is proven
	otherwise = "not run, but not by the hook"
	failed    = "error"
)

// result is one cell of one host.
type result struct {
	host      host
	cell      cell
	got, want string
	note      string
}

// String is one line of output.
func (r result) String() string {
	sign := "ok  "
	if r.got != r.want {
		sign = "FAIL"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s: %s %s", sign, r.host.name, r.cell.name, r.got, r.note))
}

// place is the environment of one run.
type place struct {
	root, dir, home, project, state string
	bin                             string // of the host
	mcp                             []string
	version                         string // of the host
	model                           string // URL
	action                          string // of the cell
	env                             []string
}

// proven runs one cell of one host. A run that proves nothing, because the host did not get as far
// as the call, is repeated once.
func (t *tools) proven(ctx context.Context, h host, c cell, keep bool) result {
	r := t.run(ctx, h, c, keep)
	if r.got == noAttempt || r.got == failed {
		r = t.run(ctx, h, c, keep)
	}
	return r
}

func (t *tools) run(ctx context.Context, h host, c cell, keep bool) result {
	r := result{host: h, cell: c, want: notRun}
	if c.runs {
		r.want = ran
	}
	if c.name == "rewritten" && h.keepsText {
		r.want = original // the host cannot rewrite
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

func (t *tools) runIn(ctx context.Context, h host, c cell, dir string) (got, note string, err error) {
	p := place{root: t.root, version: h.version, dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "work"), state: filepath.Join(dir, "gavel"),
		bin: filepath.Join(t.root, "build", "hosts", h.name, "node_modules", ".bin", h.program), mcp: []string{filepath.Join(t.bin, "hostcheck"), "-mcp"}, action: c.action}
	for _, name := range []string{p.home, p.project, p.state} {
		if err := os.Mkdir(name, 0o700); err != nil {
			return "", "", err
		}
	}
	calls := h.calls(c, p.project)
	gavel, err := t.gavel(ctx, c, p)
	if err != nil {
		return "", "", err
	}
	defer func() { gavel.close() }()
	scripted, err := startModel(calls[0], calls[1])
	if err != nil {
		return "", "", err
	}
	defer scripted.close()
	if c.later() {
		scripted.before = gavel.fail
	}
	p.model = scripted.url
	p.env = t.environment(h, c, p, gavel.socket)
	if err := h.setup(p); err != nil {
		return "", "", err
	}
	if !h.plugin {
		install := []string{"install", h.name}
		if c.name == unattended {
			install = append(install, "--unattended")
		}
		if err := command(ctx, p.project, p.env, filepath.Join(t.bin, "gavel"), install...); err != nil {
			return "", "", err
		}
	}
	out, ended := t.start(ctx, h, p)
	_ = os.WriteFile(filepath.Join(dir, "output"), []byte(out), 0o600)
	_ = os.WriteFile(filepath.Join(dir, "model"), []byte(strings.Join(scripted.seen, "\n")), 0o600)
	if ended != nil {
		note = ended.Error()
	}
	return judge(c, p, scripted), note, nil
}

// judge looks for the files that the call would have created. That there is none proves nothing
// unless the model made the call, and heard of the hook if it heard anything.
func judge(c cell, p place, m *model) string {
	if _, err := os.Lstat(filepath.Join(p.project, "original")); err == nil {
		return original
	}
	for _, name := range c.leaves(p.project) {
		if _, err := os.Lstat(name); err == nil {
			return ran
		}
	}
	made, told := m.outcome()
	switch {
	case !made:
		return noAttempt
	case told != "" && !byHook(told):
		return otherwise
	}
	return notRun
}

// byHook reports whether what the model was told comes from a hook: it names Gavel or the code of
// a reason, or the host says that a hook refused.
func byHook(told string) bool {
	return regexp.MustCompile(`(?i)gavel|hook|approval|\b(exec|tools|resources)\.[a-z_]+: `).MatchString(told)
}

// environment returns the host's environment: nothing from this process except the path to
// programs.
func (t *tools) environment(h host, c cell, p place, socket string) []string {
	env := []string{"HOME=" + p.home, "USER=test", "SHELL=/bin/bash", "TERM=dumb", "LANG=C.UTF-8", "XDG_STATE_HOME=" + p.dir,
		"PATH=" + strings.Join([]string{t.nodeOf(h), filepath.Dir(p.bin), t.bin, "/usr/bin", "/bin"}, ":"),
		"HTTP_PROXY=" + p.model, "HTTPS_PROXY=" + p.model, "NO_PROXY=127.0.0.1,localhost",
		"http_proxy=" + p.model, "https_proxy=" + p.model, "no_proxy=127.0.0.1,localhost"}
	if socket != "" {
		env = append(env, "GAVEL_SOCKET="+socket)
	}
	if c.name == "rewritten" {
		// bash takes functions from the environment; it takes none for a full path.
		env = append(env, "BASH_FUNC_touch%%=() { /usr/bin/touch original; }")
	}
	return append(env, h.env(p)...)
}

// start runs the host until it exits.
func (t *tools) start(ctx context.Context, h host, p place) (string, error) {
	within := cmp.Or(h.within, runsWithin)
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	words := h.command(p)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the hosts of this program
	cmd.Dir, cmd.Env = p.project, p.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		sweep(p.home)
		return string(out), fmt.Errorf("the host did not end within %s", within)
	}
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // processes that it left running
	}
	sweep(p.home)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) || err == nil {
		return string(out), nil
	}
	return string(out), err
}

// sweep ends what a host has left running in a session of its own: what has its home directory.
// Where there is no /proc, it finds nothing.
func sweep(home string) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !slices.Contains(strings.Split(string(text), "\x00"), "HOME="+home) {
			continue // it has ended, or is not of this run
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
