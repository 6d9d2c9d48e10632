//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gavel"
)

// through runs commands through the program gavel: gavel run decides by itself, compares, holds and
// starts. It needs the machine's /proc, so that runs are not confined: only commands run that name no
// path outside the root, as nobody if this process may.
type through struct {
	gavel  string // the program
	policy string
	state  string
}

// newThrough prepares a root for runs of gavel. Its programs belong to whoever runs them, so that
// gavel must run each of them from a copy.
func newThrough(program, home string, j *jail, w world) (*through, error) {
	policy, err := w.policy(home)
	if err != nil {
		return nil, err
	}
	o := &through{gavel: program, policy: policy, state: filepath.Join(home, "state")}
	err = os.Mkdir(o.state, 0o700)
	if os.Geteuid() == 0 {
		for _, path := range []string{home, filepath.Dir(home)} { // nobody must be able to go there
			err = errors.Join(err, os.Chmod(path, 0o711))
		}
		for _, path := range []string{o.state, policy, j.path("/usr/bin")} {
			err = errors.Join(err, os.Chown(path, nobody, nobody))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("prepare runs of gavel: %w", err)
	}
	return o, nil
}

// run runs a question as it was asked. refused is true if gavel did not run it.
func (o *through) run(ctx context.Context, j *jail, q question, limit time.Duration) (did outcome, refused bool, err error) {
	if err := os.Truncate(j.path("/log"), 0); err != nil {
		return outcome{}, false, fmt.Errorf("empty the log: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.gavel, "run", "--policy", o.policy, "--state", o.state, "--agent", q.agent, "--cwd", j.inside(q.workdir),
		"--max-seconds", "2", "--max-file", "1048576", "-c", q.command)
	// gavel run passes on no variable of ours: the stubs find the log in the time zone.
	cmd.Env = []string{"PATH=" + j.view + "/usr/bin", "HOME=" + j.view + "/home", "LC_ALL=C.UTF-8", "TZ=" + j.view + "/log"}
	cmd.Dir = j.view + "/work"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	cmd.Cancel = func() error { return syscall.Kill(cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	text, failed := cmd.CombinedOutput()
	did.timeout = ctx.Err() != nil
	var status *exec.ExitError
	switch {
	case failed == nil:
	case !errors.As(failed, &status):
		return outcome{}, false, fmt.Errorf("start gavel run: %w", failed)
	case status.ExitCode() == 125:
		return outcome{}, false, fmt.Errorf("gavel run: %s", text)
	case status.ExitCode() == 126 && strings.Contains(string(text), "gavel run: "):
		refused = true
	}
	return did, refused, j.observe(&did)
}

// named replaces the paths of copies by the names by which gavel run calls them. It reports whether
// there is a copy as a later word, whose name is not known.
func (o *through) named(j *jail, did *outcome) (unknown bool) {
	const copies = "/proc/self/fd/"
	for i, ran := range did.ran {
		if strings.HasPrefix(string(ran.Path), copies) {
			did.ran[i].Path = j.real(ran.Argv[0])
		}
		for _, word := range ran.Argv[1:] {
			unknown = unknown || strings.HasPrefix(string(word), copies)
		}
	}
	return unknown
}

// throughGavel checks a command that the harness allowed in bash by having gavel run it.
func (t *trial) throughGavel(ctx context.Context, q question, decision *gavel.Decision) ([]finding, error) {
	if q.dialect != "bash" {
		return nil, nil
	}
	if q.pty || len(q.env) > 0 || !t.runnable(q.command, false) {
		t.tally.skip()
		return nil, nil
	}
	did, refused, err := t.through.run(ctx, t.jail, q, 12*t.limit)
	if err != nil {
		return nil, err
	}
	if refused {
		t.tally.refused()
		if len(did.ran)+len(did.wrote) == 0 {
			return nil, nil
		}
		return []finding{{question: q, shell: "gavel run", ran: q.command, did: did, problem: ranForbidden}}, nil
	}
	t.tally.executed("gavel run", did)
	unknown := t.through.named(t.jail, &did)
	problem := t.world.compare(q.agent, decision, did, false)
	if unknown && problem == ranOther {
		problem = ""
	}
	t.tally.compared(false, problem)
	if !escaped(problem) {
		return nil, nil
	}
	return []finding{{question: q, shell: "gavel run", ran: q.command, segments: decision.Exec.Segments, did: did, problem: problem}}, nil
}
