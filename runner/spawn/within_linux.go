package spawn

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Within runs a shell with its script inside of a command that was started before: with the
// descriptors, the variables, the directory, the group and the session of this process, which waits
// for its end and passes signals on. The calling goroutine must do nothing else.
func Within(shell string, argv []string, script Script) (State, error) {
	runtime.LockOSThread() // it traces the shell, and the shell ends with it
	defer runtime.UnlockOSThread()
	files, err := given()
	if err != nil {
		return State{}, fmt.Errorf("find what this process was given: %w", err)
	}
	spec := &Spec{Path: shell, Argv: argv, Env: os.Environ(), Files: files, Script: &script}
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Ptrace: holdsScripts}
	if !holdsScripts {
		spec.unheld()
	}
	p := &Process{ended: make(chan State, 1), tell: make(chan State, 8)}
	signals := passed()
	defer signal.Stop(signals)
	if p.Pid, err = execute(spec, attributes); err == nil {
		if attributes.Ptrace {
			err = p.loaded(spec)
		}
	} else if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		err = p.unstopped(spec, attributes)
	}
	if err != nil {
		return State{}, err
	}
	go func() {
		for one := range signals {
			if one != unix.SIGINT && one != unix.SIGQUIT { // those of the keyboard reach both
				_ = unix.Kill(p.Pid, one.(unix.Signal)) //nolint:forcetypeassert // documented
			}
		}
	}()
	p.await(spec)
	return <-p.ended, nil
}

// passed are signals for this process that are meant for the shell. What is ignored stays so, for the
// shell as well.
func passed() chan os.Signal {
	signals := make(chan os.Signal, 16)
	for _, one := range []os.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGCONT} {
		if !signal.Ignored(one) {
			signal.Notify(signals, one)
		}
	}
	return signals
}

// given are the descriptors that this process was given, by their numbers; nil for those that are
// closed.
func given() ([]*os.File, error) {
	dir, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, entry := range dir {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			return nil, err
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 { // one that is closed by now, or of the runtime
			continue
		}
		if fd >= len(files) {
			files = append(files, slices.Repeat([]*os.File{nil}, fd+1-len(files))...)
		}
		files[fd] = os.NewFile(uintptr(fd), entry.Name())
	}
	return files, nil
}
