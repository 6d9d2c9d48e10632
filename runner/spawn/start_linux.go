package spawn

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"gavel/internal/inherit"
)

// lowest is the lowest descriptor that a program is run by: those below are for the command.
const lowest = 64

// Start starts a command. The thread that starts it has the limits of the command and ends with
// it; the rest of this process keeps its own.
func Start(spec Spec) (*Process, error) {
	p := &Process{spared: ownChildren(), ended: make(chan State, 1), tell: make(chan State, 8)}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is not fit for anything else, and ends
		if err := p.start(&spec); err != nil {
			started <- err
			return
		}
		started <- nil
		p.await(&spec)
	}()
	if err := <-started; err != nil {
		p.group.close()
		return nil, err
	}
	return p, nil
}

// start runs on the thread of the command.
func (p *Process) start(spec *Spec) error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil { // a working directory and a umask of the thread's own
		return fmt.Errorf("prepare a thread for the command: %w", err)
	}
	unix.Umask(0o077)
	if err := inherit.NoBlockedSignals(); err != nil {
		return err
	}
	if err := unix.Fchdir(int(spec.Dir.Fd())); err != nil {
		return fmt.Errorf("go to the directory of the command: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("keep the command from gaining privileges: %w", err)
	}
	if err := keepFromTyping(); err != nil {
		p.note(err.Error())
	}
	if err := p.confine(spec); err != nil {
		return err
	}
	// Without a session of its own, a command has the terminal of this process, whatever its descriptors are.
	foreground := spec.Terminal && !spec.Session
	attributes := &syscall.SysProcAttr{Setpgid: foreground, Setsid: !foreground, Setctty: spec.Session, Pdeathsig: syscall.SIGKILL,
		Foreground: foreground, Ctty: 0, Ptrace: spec.stops()}
	if p.group != nil {
		attributes.UseCgroupFD, attributes.CgroupFD = true, int(p.group.dir.Fd())
	}
	if !holdsScripts {
		spec.unheld()
	}
	pid, err := execute(spec, attributes)
	switch {
	case err == nil && attributes.Ptrace:
		p.Pid = pid
		return p.loaded(spec)
	case err == nil:
		p.Pid = pid
		return nil
	case attributes.Ptrace && (errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS)):
		return p.unstopped(spec, attributes)
	}
	return err
}

// stops reports whether a command must be stopped before it begins.
func (s *Spec) stops() bool { return s.Limits.any() || s.Loaded != nil || s.Script != nil }

// unstopped starts a program that cannot be stopped before it begins.
func (p *Process) unstopped(spec *Spec, attributes *syscall.SysProcAttr) error {
	attributes.Ptrace = false
	spec.unheld()
	if spec.Unstopped != nil {
		held, err := spec.Unstopped()
		if err != nil {
			return err
		}
		if held != nil {
			spec.Program = held
		}
	}
	if spec.Limits.any() && spec.Limits.Required {
		return errors.New("the limits of the command cannot be set before it begins: this system does not permit to trace it")
	}
	pid, err := execute(spec, attributes)
	if err != nil {
		return err
	}
	p.Pid = pid
	if spec.Limits.any() {
		p.note("the limits of the command were set after it began: this system does not permit to trace it")
	}
	return spec.Limits.set(pid)
}

// loaded has a program checked that is loaded and has not begun, and lets it begin.
func (p *Process) loaded(spec *Spec) error {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(p.Pid, &status, 0, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || !status.Stopped() {
			return fmt.Errorf("the command ended before it began (status %#x): %w", status, errors.Join(err, unix.ESRCH))
		}
		break
	}
	err := spec.Limits.set(p.Pid)
	if err == nil && spec.Loaded != nil {
		err = spec.Loaded(p.Pid)
	}
	if err == nil && spec.Script == nil {
		err = unix.PtraceDetach(p.Pid)
	}
	if err != nil {
		_ = unix.Kill(p.Pid, unix.SIGKILL) // it has run nothing
		_, _ = unix.Wait4(p.Pid, &status, 0, nil)
	}
	return err
}

// execute forks on this thread and runs the program.
func execute(spec *Spec, attributes *syscall.SysProcAttr) (int, error) {
	path, files := spec.Path, make([]uintptr, len(spec.Files))
	for i, file := range spec.Files {
		files[i] = file.Fd()
	}
	if spec.Program != nil {
		// A duplicate above the command's own descriptors, which are put into place first.
		fd, err := unix.FcntlInt(spec.Program.Fd(), unix.F_DUPFD_CLOEXEC, lowest)
		if err != nil {
			return 0, fmt.Errorf("hold the program: %w", err)
		}
		defer unix.Close(fd) //nolint:errcheck // nothing was written
		path = fmt.Sprintf("/proc/self/fd/%d", fd)
	}
	pid, err := syscall.ForkExec(path, spec.Argv, &syscall.ProcAttr{Env: spec.Env, Files: files, Sys: attributes})
	if err != nil {
		name := spec.Path
		if len(spec.Argv) > 0 {
			name = spec.Argv[0]
		}
		return 0, fmt.Errorf("start %s: %w", name, err)
	}
	return pid, nil
}

// unheld has a shell read the copy of its script by the path of the copy, where it cannot be
// traced.
func (s *Spec) unheld() {
	if s.Script == nil {
		return
	}
	s.Argv = slices.Clone(s.Argv)
	s.Argv[s.Script.At], s.Script = s.Script.Copy, nil
}

// await waits for the end on the thread that started the command: the kernel ends the command
// with its thread.
func (p *Process) await(spec *Spec) {
	var held *unix.WaitStatus
	var wrong error
	if spec.Script != nil {
		held, wrong = p.hold(spec.Script, spec.Argv[spec.Script.At])
	}
	for {
		var status unix.WaitStatus
		var err error
		if held != nil {
			status = *held
		} else {
			_, err = unix.Wait4(p.Pid, &status, unix.WUNTRACED, nil)
		}
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			p.ended <- State{Code: 255}
			close(p.ended)
			return
		case status.Stopped():
			select {
			case p.tell <- State{Stopped: true, Signal: status.StopSignal()}:
			default:
			}
			continue
		}
		state := State{Code: status.ExitStatus(), Unheld: wrong}
		if status.Signaled() {
			state.Code, state.Signal = 128+int(status.Signal()), status.Signal()
		}
		p.ended <- state
		close(p.ended)
		return
	}
}

func (p *Process) note(text string) { p.Notes = append(p.Notes, text) }

// Enter prepares this process for one command: it becomes the parent of every process that the
// command leaves behind, others of its user cannot look into it, and descriptors that it was
// given do not reach the command.
func Enter() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of what the command leaves behind: %w", err)
	}
	return Shield()
}

// Shield keeps other processes of the user from looking into this one, and descriptors that it
// was given from what it starts.
func Shield() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("close this process to others: %w", err)
	}
	return inherit.Nothing()
}
