package spawn

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// named reports whether a path that the shell opens is the script's.
func (s *Script) named(path, argv string) bool {
	at := func(path string) string {
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		return filepath.Clean(path)
	}
	return path != "" && at(path) == at(argv)
}

// below is how far below the stack of a traced process the name of the copy is written. No process
// uses what is there while it makes a system call.
const below = 4096

// hold hands a traced shell the copy of its script, on the thread that started it. The shell is
// stopped, and has not begun. It returns when the shell has the copy, or has ended: then its status
// is returned. After an error the shell has been killed.
func (p *Process) hold(script *Script, name string) (ended *unix.WaitStatus, err error) {
	h := holding{script: script, name: name, pid: p.Pid, copied: map[uint64]bool{}}
	status, err := h.run()
	if err != nil {
		_ = unix.Kill(p.Pid, unix.SIGKILL) // the script has not begun
		return nil, fmt.Errorf("hold the script %s: %w", name, err)
	}
	return status, nil
}

type holding struct {
	script *Script
	name   string
	pid    int

	within bool   // the process is in a system call
	opened bool   // that opens the copy
	before uint64 // the argument that was exchanged
	copied map[uint64]bool
}

func (h *holding) run() (*unix.WaitStatus, error) {
	if err := unix.PtraceSetOptions(h.pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACEEXEC|unix.PTRACE_O_EXITKILL); err != nil {
		return nil, err
	}
	for signal := 0; ; {
		if err := unix.PtraceSyscall(h.pid, signal); err != nil && !errors.Is(err, unix.ESRCH) { // killed: its status comes
			return nil, err
		}
		signal = 0
		var status unix.WaitStatus
		_, err := unix.Wait4(h.pid, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, err
		case !status.Stopped():
			return &status, nil
		case status.StopSignal() == unix.SIGTRAP|0x80:
			if done, err := h.call(); err != nil || done {
				return nil, errors.Join(err, h.leave(err))
			}
		case status.StopSignal() != unix.SIGTRAP: // that of exec is not for the process
			signal = int(status.StopSignal())
		}
	}
}

// leave stops tracing.
func (h *holding) leave(wrong error) error {
	if wrong != nil {
		return nil //nolint:nilerr // it is killed instead
	}
	return unix.PtraceDetach(h.pid)
}

// call looks at the begin or the end of a system call. It reports whether the shell has taken the
// copy for its script: it then moves the descriptor to a number of its own.
func (h *holding) call() (done bool, err error) {
	var r registers
	if err := r.read(h.pid); err != nil {
		return false, err
	}
	h.within = !h.within
	if !h.within {
		return false, h.end(&r)
	}
	if err := r.native(); err != nil {
		return false, err
	}
	if from, moves := r.moves(); moves && h.copied[from] {
		return true, nil
	}
	path, opens := r.opens()
	if !opens {
		return false, nil
	}
	text, err := h.text(uintptr(*path))
	if err != nil || !h.script.named(text, h.name) {
		return false, err
	}
	at := (r.stack() - below) &^ 15
	if _, err := unix.PtracePokeData(h.pid, uintptr(at), append([]byte(h.script.Copy), 0)); err != nil {
		return false, err
	}
	h.opened, h.before, *path = true, *path, at
	return false, r.write(h.pid)
}

// end looks at the end of a system call.
func (h *holding) end(r *registers) error {
	if !h.opened {
		return nil
	}
	h.opened = false
	result, path := r.result()
	if result < 1<<20 { // no error
		h.copied[result] = true
	}
	if path == nil {
		return nil // the system has put its result there
	}
	*path = h.before
	return r.write(h.pid)
}

// text is a text of the process, as far as a path can be long.
func (h *holding) text(at uintptr) (string, error) {
	var text []byte
	for len(text) < unix.PathMax {
		part := make([]byte, 64)
		n, err := unix.PtracePeekData(h.pid, at+uintptr(len(text)), part)
		if end := bytes.IndexByte(part[:n], 0); end >= 0 {
			return string(append(text, part[:end]...)), nil
		}
		if err != nil {
			return "", nil //nolint:nilerr // no text is there: the system refuses it, too
		}
		text = append(text, part[:n]...)
	}
	return "", nil
}
