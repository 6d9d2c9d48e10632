package spawn

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Signal sends a signal to the command's group, and to what has left it.
func (p *Process) Signal(signal syscall.Signal) {
	_ = unix.Kill(-p.Pid, signal) // it may be gone
	for _, pid := range descendants(os.Getpid(), p.spared) {
		_ = unix.Kill(pid, signal)
	}
}

// Terminate asks the command to end, and ends it after a time.
func (p *Process) Terminate(grace time.Duration) State {
	p.Signal(unix.SIGTERM)
	p.Signal(unix.SIGCONT)
	select {
	case state := <-p.ended:
		return state
	case <-time.After(grace):
	}
	p.killAll()
	return <-p.ended
}

// Sweep ends what the command has left behind, and takes its control group away. The process
// must have called Enter, and must have no other children.
func (p *Process) Sweep(grace time.Duration) {
	defer p.group.close()
	if !p.reap() {
		return
	}
	p.Signal(unix.SIGTERM)
	p.Signal(unix.SIGCONT)
	for end := time.Now().Add(grace); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if !p.reap() {
			return
		}
	}
	p.killAll()
	for range 2000 {
		if !p.reap() {
			return
		}
		p.killAll()
		time.Sleep(5 * time.Millisecond)
	}
}

// killAll kills every descendant. They are stopped first, until there is no new one: a process
// that is stopped starts no others.
func (p *Process) killAll() {
	p.group.kill()
	_ = unix.Kill(-p.Pid, unix.SIGKILL)
	seen := map[int]bool{}
	for range 100 {
		before := len(seen)
		for _, pid := range descendants(os.Getpid(), p.spared) {
			if !seen[pid] {
				seen[pid] = true
				_ = unix.Kill(pid, unix.SIGSTOP)
			}
		}
		if len(seen) == before {
			break
		}
	}
	for pid := range seen {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// Adopt makes this process the parent of what its supervisors would leave behind.
func Adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of what supervisors leave behind: %w", err)
	}
	return nil
}

// KillStrays kills the children of this process that are not known, with everything below them. They
// were left behind by a supervisor that was killed.
func KillStrays(known func(pid int) bool) {
	for range 100 {
		var strays []int
		for _, pid := range children(os.Getpid()) {
			if !known(pid) {
				strays = append(strays, pid)
			}
		}
		if len(strays) == 0 {
			return
		}
		for _, pid := range strays {
			_ = unix.Kill(pid, unix.SIGSTOP)
			for _, below := range descendants(pid, nil) {
				_ = unix.Kill(below, unix.SIGKILL)
			}
			_ = unix.Kill(pid, unix.SIGKILL)
			_, _ = unix.Wait4(pid, nil, 0, nil)
		}
	}
}

// reap collects ended children, and reports whether there are others of the command.
func (p *Process) reap() (left bool) {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		case pid == 0:
			return len(p.spared) == 0 || len(descendants(os.Getpid(), p.spared)) > 0
		}
	}
}

// ownChildren are the children of this process.
func ownChildren() map[int]bool {
	if unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD { //nolint:errorlint // a system call
		return nil // the usual case, and much cheaper to find out
	}
	tasks, _ := os.ReadDir("/proc/self/task")
	list := map[int]bool{}
	for _, task := range tasks {
		text, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children") // a kernel without it has no such list
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				list[pid] = true
			}
		}
	}
	return list
}

// descendants are the processes that one has started, and those that they have, without those
// that are spared.
func descendants(of int, spared map[int]bool) []int {
	children := processes()
	list := slices.DeleteFunc(children[of], func(pid int) bool { return spared[pid] })
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}

func children(of int) []int { return processes()[of] }

// processes lists the processes of this machine by their parents.
func processes() map[int][]int {
	children := map[int][]int{}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close() //nolint:errcheck // it was only read
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if parent := parentOf(name); parent > 0 {
			children[parent] = append(children[parent], pid)
		}
	}
	return children
}

// parentOf is the parent of a process, 0 if it is gone.
func parentOf(pid string) int {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 || fields[0] == "Z" {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// Foreground makes the group of a process the foreground of the terminal of descriptor 0.
func Foreground(pid int) {
	group, err := unix.Getpgid(pid)
	if err != nil {
		return // it is gone
	}
	var set, before unix.Sigset_t
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	set.Val[0] = 1 << (unix.SIGTTOU - 1) // this process may be in the background, and is not to be stopped
	if unix.PthreadSigmask(unix.SIG_BLOCK, &set, &before) != nil {
		return
	}
	_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, group) // without it, the next reader takes it
	_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
}

// InForeground reports whether descriptors 0 and 1 are a terminal, and this process is in its
// foreground. In a pipeline, the others of its group need the terminal, too.
func InForeground() bool {
	group, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	_, other := unix.IoctlGetInt(1, unix.TIOCGPGRP)
	return err == nil && other == nil && group == unix.Getpgrp()
}
