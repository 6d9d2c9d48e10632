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

// nobody owns nothing in a root. The number is of this program alone, so that its
// processes are limited and killed without touching others.
const nobody = 64917

// confinement is how much of the machine a root can hide.
type confinement int

const (
	// bare: a run sees the machine. Only texts that name no other path are run,
	// and never the original ones.
	bare confinement = iota
	// chrooted: a root of its own and a user without rights; the network is there.
	chrooted
	// user: a root of its own in a user namespace, with process ids and network.
	user
	// root: the same without a user namespace, as a user without rights.
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

// jail is a throw-away root: stub programs, shells with their libraries, and
// three directories that may be written to. It serves one run at a time.
type jail struct {
	dir   string // of the root, on this machine
	view  string // what stands before its paths inside: "" in a chroot
	level confinement
	clean state
}

// execution is one program that ran. A stub gives the path that the kernel was
// given, and observe makes it the policy's.
type execution struct {
	Path []byte   `json:"path"`
	Argv [][]byte `json:"argv"`
}

// outcome is what a run did.
type outcome struct {
	ran     []execution
	wrote   []string // files that came, went or changed
	timeout bool
}

// confined says how well runs can be confined here, by trying.
func confined(ctx context.Context) confinement {
	for _, level := range []confinement{root, user, chrooted} {
		cmd := exec.CommandContext(ctx, "/proc/self/exe", "-nothing")
		cmd.SysProcAttr = attributes(level, "/")
		if level == root {
			cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWNET // what isolate asks for
		}
		cmd.SysProcAttr.Credential = nil // this program may lie where nobody may look
		var status *exec.ExitError
		if err := cmd.Run(); err == nil || errors.As(err, &status) {
			return level // it started, which is all that matters
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

// isolate takes the network from everything that the calling goroutine will
// start. The goroutine keeps its thread, which ends with it.
func (j *jail) isolate() error {
	if j.level != root {
		return nil
	}
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("leave the network: %w", err)
	}
	return nil
}

// setting is where a text runs: in a directory that is "" or from /work, with more
// variables, which are for the shell and not for what starts it, and on a terminal.
type setting struct {
	env     map[string]string
	workdir string
	pty     bool
}

// run gives a text to a shell, and says what came of it. The root is as it was before when
// it returns.
func (j *jail) run(ctx context.Context, sh shell, text string, at setting, limit time.Duration) (outcome, error) {
	if err := os.Truncate(j.path("/log"), 0); err != nil {
		return outcome{}, fmt.Errorf("empty the log: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	args := append(append([]string{j.view + sh.path}, sh.options...), "-c", text)
	cmd := exec.CommandContext(ctx, j.view+"/init", args...)
	cmd.Dir = j.inside(at.workdir)
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

// inside is a directory of a call as a run sees it. One that there is not is /work: no
// command that is given it may be allowed.
func (j *jail) inside(workdir string) string {
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

// observe reads what ran and what changed, and puts everything back.
func (j *jail) observe(result *outcome) error {
	log, err := os.ReadFile(j.path("/log"))
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	for _, line := range bytes.Split(bytes.TrimSuffix(log, []byte("\n")), []byte("\n")) {
		var one execution
		if len(log) == 0 {
			break
		}
		if err := json.Unmarshal(line, &one); err != nil || len(one.Argv) == 0 {
			result.wrote = append(result.wrote, "/log") // someone else than a stub
			continue
		}
		one.Path = j.real(one.Path)
		result.ran = append(result.ran, one)
	}
	after, err := survey(j.dir)
	if err != nil {
		return err
	}
	changed := j.clean.changes(after)
	result.wrote = append(result.wrote, changed...)
	if len(changed) == 0 {
		return nil
	}
	return j.restore()
}

// real is a path that was executed as the policy has it: from the top of the root, and
// without links, but for one that is a program by its name.
func (j *jail) real(executed []byte) []byte {
	name := j.dir + strings.TrimPrefix(string(executed), j.view)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		if inside := strings.TrimPrefix(filepath.Join(dir, filepath.Base(name)), j.dir); linked(inside) {
			return []byte(inside)
		}
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return []byte(strings.TrimPrefix(real, j.dir))
	}
	return executed
}

// path is where a path of the root lies on this machine.
func (j *jail) path(inside string) string { return filepath.Join(j.dir, inside) }

// close takes the root away.
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
