//go:build linux

package sessions

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"gavel"
)

// describe states in a call which session it is about, and what reads its input.
func (s *Session) describe(call *gavel.Call, host, node string) {
	environment := gavel.Environment{}
	if call.Environment != nil {
		environment = *call.Environment
	}
	environment.Process = &gavel.Process{Session: s.ID, Agent: s.Agent, Host: host, Node: node}
	if pid := s.reader(); pid > 0 {
		dir := "/proc/" + strconv.Itoa(pid)
		program, err := os.Readlink(dir + "/exe")
		cwd, wrong := os.Readlink(dir + "/cwd")
		if err == nil && wrong == nil && !strings.HasSuffix(program, " (deleted)") {
			environment.Process.Program, environment.Process.Cwd = program, cwd
			environment.Process.Waiting = s.waits(pid)
		}
	}
	call.Environment = &environment
}

// reader is the process that reads the input: the foreground of the terminal, or the command
// itself. 0 is unknown: several processes could read it, wherever they are in the tree.
func (s *Session) reader() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.start == nil || s.input == nil || !s.at.IsZero():
		return 0
	case !s.terminal:
		if all := processes(); len(all.children[s.process.Process.Pid]) == 1 && len(all.children[s.start.Pid]) == 0 {
			return s.start.Pid
		}
		return 0
	}
	raw, err := s.input.SyscallConn()
	if err != nil {
		return 0
	}
	group := 0
	if raw.Control(func(fd uintptr) { group, err = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP) }) != nil || err != nil {
		return 0
	}
	if all := processes(); all.members[group] != 1 || len(all.children[group]) > 0 {
		return 0
	}
	return group
}

// tree is what the processes of this machine are to one another.
type tree struct {
	children map[int][]int // by their parent; only those that have not ended
	members  map[int]int   // how many processes a group has
}

func processes() tree {
	all := tree{children: map[int][]int{}, members: map[int]int{}}
	names, err := os.ReadDir("/proc")
	if err != nil {
		return all // the reader is unknown
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + name.Name() + "/stat")
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // state, parent, group
		if err != nil || len(fields) < 3 || fields[0] == "Z" {
			continue
		}
		parent, wrong := strconv.Atoi(fields[1])
		group, err := strconv.Atoi(fields[2])
		if err == nil && wrong == nil {
			all.children[parent] = append(all.children[parent], pid)
			all.members[group]++
		}
	}
	return all
}

// waits reports whether a process waits for a new line of a terminal: it is in a call that reads
// or waits for descriptor 0, what was typed ended with a line, and it has taken all of that.
func (s *Session) waits(pid int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.terminal || s.partial || s.input == nil {
		return false
	}
	if s.sent.pid == pid && s.sent.sleeps == sleeps(pid) {
		return false // it has not woken up since
	}
	if n, err := pending(s.input); err != nil || n > 0 {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return false
	}
	number, err := strconv.Atoi(fields[0])
	return err == nil && (number == unix.SYS_READ && fields[1] == "0x0" || number == unix.SYS_PSELECT6 && fields[1] == "0x1")
}

// sent is who read a terminal when something was typed last, and how often it had slept by then.
type sent struct {
	pid    int
	sleeps string
}

// sleeps is how often a process has given up the processor to wait; "" is unknown.
func sleeps(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
	count, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(count)
}

// pending is how many bytes a terminal has that were typed, and that nobody has read. The kernel may
// still be on its way with what was typed; polling has it arrive.
func pending(terminal *os.File) (n int, err error) {
	raw, err := terminal.SyscallConn()
	if err != nil {
		return 0, err
	}
	controlled := raw.Control(func(fd uintptr) {
		peer, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, unix.TIOCGPTPEER, unix.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK)
		if errno != 0 {
			err = errno
			return
		}
		defer unix.Close(int(peer))                                                                   //nolint:errcheck // nothing was written
		if _, err = unix.Poll([]unix.PollFd{{Fd: int32(peer), Events: unix.POLLIN}}, 0); err == nil { //nolint:gosec // a descriptor
			n, err = unix.IoctlGetInt(int(peer), unix.TIOCINQ)
		}
	})
	return n, errors.Join(controlled, err)
}
