//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// nobody is a user id that owns nothing in a root. Nothing else on the machine uses it, so that the
// processes of a run can be limited and killed without affecting others.
const nobody = 64917

// confinement says how well runs are isolated from the machine.
type confinement int

const (
	// bare: a run has access to the machine. Only an exec.command that names no path outside the
	// root is run.
	bare confinement = iota
	// chrooted: a chroot and a user without rights. The network is reachable.
	chrooted
	// user: a chroot in a user namespace, with its own process ids and network.
	user
	// root: as user, but with a user without rights instead of a user namespace.
	root
)

func (c confinement) String() string {
	switch c {
	case root:
		return "chroot, no network, own process ids, no rights"
	case user:
		return "chroot in a user namespace, no network, own process ids, no rights"
	case chrooted:
		return "chroot, no rights"
	default:
		return "bare: limits only"
	}
}

// jail is a temporary root directory with stub programs, shells with their libraries, and three
// writable directories. It serves one run at a time.
type jail struct {
	dir     string // the root on this machine
	view    string // prefix of paths as seen inside: "" in a chroot, dir if the level is bare
	level   confinement
	initial state // of the files, before each run
}

// execution is a program that ran. A stub records the path that the kernel received; observe
// replaces it by the path that the policy uses.
type execution struct {
	Path []byte   `json:"path"`
	Argv [][]byte `json:"argv"`
}

// outcome is the result of a run.
type outcome struct {
	ran     []execution
	wrote   []string // files that were created, removed or changed
	timeout bool
}

// strongestConfinement tries which confinement this machine supports.
func strongestConfinement(ctx context.Context) confinement {
	for _, level := range []confinement{root, user, chrooted} {
		cmd := exec.CommandContext(ctx, "/proc/self/exe", "-nothing")
		cmd.SysProcAttr = attributes(level, "/")
		if level == root {
			cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET // as isolate does
		}
		cmd.SysProcAttr.Credential = nil // an unprivileged user may be unable to read this program
		var status *exec.ExitError
		if err := cmd.Run(); err == nil || errors.As(err, &status) {
			return level // the program started; its exit code does not matter
		}
	}
	return bare
}

func attributes(level confinement, dir string) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	switch level {
	case root, chrooted:
		attr.Chroot = dir
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		if level == root {
			attr.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWIPC
		}
	case user:
		attr.Chroot = dir
		attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNET
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getgid(), Size: 1}}
	}
	return attr
}

// isolate removes the network from all processes that the calling goroutine starts from now on. It
// locks the goroutine to its thread, which ends with the goroutine.
func (j *jail) isolate() error {
	if j.level != root {
		return nil
	}
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("create a network namespace: %w", err)
	}
	return nil
}

// setting describes how a text runs.
type setting struct {
	env     map[string]string // additional variables of the shell
	workdir string            // absolute, or relative to /work
	pty     bool              // run on a terminal
}

// run runs a text in a shell and returns what happened. Before it returns, it restores the root.
func (j *jail) run(ctx context.Context, sh shell, text string, at setting, limit time.Duration) (outcome, error) {
	if err := os.Truncate(j.path("/log"), 0); err != nil {
		return outcome{}, fmt.Errorf("empty the log: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	args := append(append([]string{j.view + sh.path}, sh.options...), "-c", text)
	cmd := exec.CommandContext(ctx, j.view+"/init", args...)
	cmd.Dir = j.workingDir(at.workdir)
	cmd.Env = []string{"GAVEL_SOUNDNESS_SHELL=1", "GAVEL_SOUNDNESS_LOG=" + j.view + "/log",
		"PATH=" + j.view + "/usr/bin", "HOME=" + j.view + "/home", "TMPDIR=" + j.view + "/tmp", "LC_ALL=C.UTF-8"}
	for name, value := range at.env {
		cmd.Env = append(cmd.Env, "GAVEL_SOUNDNESS_ENV_"+name+"="+value)
	}
	cmd.SysProcAttr = attributes(j.level, j.dir)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := start(cmd, at.pty)
	result := outcome{timeout: ctx.Err() != nil}
	var status *exec.ExitError
	if err != nil && !result.timeout && (!errors.As(err, &status) || status.ExitCode() >= 125) {
		return outcome{}, fmt.Errorf("start %s: %w", sh.name, err)
	}
	if err := j.observe(&result); err != nil {
		return outcome{}, err
	}
	return result, nil
}

// workingDir returns a call's working directory as seen inside. It returns /work for a directory that
// does not exist, with which no command may be allowed.
func (j *jail) workingDir(workdir string) string {
	dir := j.view + "/work"
	switch {
	case path.IsAbs(workdir):
		dir = j.view + path.Clean(workdir)
	case workdir != "":
		dir = path.Join(dir, workdir)
	}
	if info, err := os.Stat(j.path(strings.TrimPrefix(dir, j.view))); err != nil || !info.IsDir() {
		return j.view + "/work"
	}
	return dir
}

// observe adds what ran and what changed to a result, and restores the root.
func (j *jail) observe(result *outcome) error {
	log, err := os.ReadFile(j.path("/log"))
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	for _, line := range bytes.Split(bytes.TrimSuffix(log, []byte("\n")), []byte("\n")) {
		var ran execution
		if len(log) == 0 {
			break
		}
		if err := json.Unmarshal(line, &ran); err != nil || len(ran.Argv) == 0 {
			result.wrote = append(result.wrote, "/log") // written by something other than a stub
			continue
		}
		ran.Path = j.policyPath(ran.Path)
		result.ran = append(result.ran, ran)
	}
	after, err := readState(j.dir)
	if err != nil {
		return err
	}
	changed := j.initial.diff(after)
	result.wrote = append(result.wrote, changed...)
	if len(changed) == 0 {
		return nil
	}
	return j.restore()
}

// policyPath returns an executed path as the policy names it: relative to the root and without links,
// except for a link to a multi-call program.
func (j *jail) policyPath(executed []byte) []byte {
	name := j.dir + strings.TrimPrefix(string(executed), j.view)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		if inside := strings.TrimPrefix(filepath.Join(dir, filepath.Base(name)), j.dir); isMulticallLink(inside) {
			return []byte(inside)
		}
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return []byte(strings.TrimPrefix(real, j.dir))
	}
	return executed
}

// path returns the path on this machine for a path inside the root.
func (j *jail) path(inside string) string { return filepath.Join(j.dir, inside) }

// close removes the root.
func (j *jail) close() error {
	if err := os.RemoveAll(j.dir); err != nil {
		return fmt.Errorf("remove the root: %w", err)
	}
	return nil
}

func (e execution) String() string {
	text := ""
	for i, word := range e.Argv {
		if i == 0 {
			word = e.Path
		} else {
			text += " "
		}
		text += strconv.Quote(string(word))
	}
	return text
}
