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

// gavelRunner runs commands through gavel run, which decides them itself. gavel run needs /proc, so the
// runs are not confined in a root. Therefore only commands that name no path outside the root are run,
// by the user nobody if this process is root.
type gavelRunner struct {
	gavel  string // the program
	policy string
	state  string
}

// newGavelRunner prepares a root for gavel run. The programs in it belong to the user who runs them,
// so that gavel run must start each of them from a copy.
func newGavelRunner(program, home string, j *jail, w world) (*gavelRunner, error) {
	policy, err := w.writePolicy(home)
	if err != nil {
		return nil, err
	}
	o := &gavelRunner{gavel: program, policy: policy, state: filepath.Join(home, "state")}
	err = os.Mkdir(o.state, 0o700)
	if os.Geteuid() == 0 {
		for _, path := range []string{home, filepath.Dir(home)} { // nobody needs access to files below them
			err = errors.Join(err, os.Chmod(path, 0o711))
		}
		for _, path := range []string{o.state, policy, j.path("/usr/bin")} {
			err = errors.Join(err, os.Chown(path, nobody, nobody))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("prepare the root for gavel run: %w", err)
	}
	return o, nil
}

// run runs the original command of a query. refused says that gavel run denied it.
func (o *gavelRunner) run(ctx context.Context, j *jail, q query, limit time.Duration) (did outcome, refused bool, err error) {
	if err := os.Truncate(j.path("/log"), 0); err != nil {
		return outcome{}, false, fmt.Errorf("empty the log: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.gavel, "run", "--policy", o.policy, "--state", o.state, "--agent", q.agent, "--cwd", j.workingDir(q.workdir),
		"--max-seconds", "2", "--max-file", "1048576", "-c", q.command)
	// gavel run does not pass on the variable that names the log, so TZ names it.
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

// restoreNames replaces the paths of copies by the paths of the programs. It reports whether a later
// word is the path of a copy, for which the program is unknown.
func (o *gavelRunner) restoreNames(j *jail, did *outcome) (unknown bool) {
	const copies = "/proc/self/fd/"
	for i, ran := range did.ran {
		if strings.HasPrefix(string(ran.Path), copies) {
			did.ran[i].Path = j.policyPath(ran.Argv[0])
		}
		for _, word := range ran.Argv[1:] {
			unknown = unknown || strings.HasPrefix(string(word), copies)
		}
	}
	return unknown
}

// runThroughGavel checks a command with gavel run, if its dialect is bash.
func (t *trial) runThroughGavel(ctx context.Context, q query, decision *gavel.Decision) ([]finding, error) {
	if q.dialect != "bash" {
		return nil, nil
	}
	if q.pty || len(q.env) > 0 || !t.runnable(q.command, false) {
		t.tally.skip()
		return nil, nil
	}
	did, refused, err := t.gavelRunner.run(ctx, t.jail, q, 12*t.limit)
	if err != nil {
		return nil, err
	}
	if refused {
		t.tally.refused()
		if len(did.ran)+len(did.wrote) == 0 {
			return nil, nil
		}
		return []finding{{query: q, shell: "gavel run", ran: q.command, did: did, problem: ranForbidden}}, nil
	}
	t.tally.executed("gavel run", did)
	unknown := t.gavelRunner.restoreNames(t.jail, &did)
	problem := t.world.compare(q.agent, decision, did, false)
	if unknown && problem == ranOther {
		problem = ""
	}
	t.tally.compared(false, problem)
	if !escaped(problem) {
		return nil, nil
	}
	return []finding{{query: q, shell: "gavel run", ran: q.command, segments: decision.Exec.Segments, did: did, problem: problem}}, nil
}
