//go:build linux

package sessions

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"gavel/runner"
)

// launch starts the supervisor.
func (s *Session) launch(order runner.Order, e Exec) error {
	sockets, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("start a supervisor: %w", err)
	}
	here, there := os.NewFile(uintptr(sockets[0]), "supervisor"), os.NewFile(uintptr(sockets[1]), "runner")
	defer there.Close() //nolint:errcheck // nothing was written
	conn, err := net.FileConn(here)
	_ = here.Close()
	if err != nil {
		return fmt.Errorf("start a supervisor: %w", err)
	}
	s.control = conn.(*net.UnixConn) //nolint:forcetypeassert // the socket is one
	s.process = exec.Command(s.store.cfg.Supervisor[0], s.store.cfg.Supervisor[1:]...)
	s.process.Env, s.process.ExtraFiles = []string{}, []*os.File{there}
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.terminal = e.Pty
	connect := s.pipes
	if e.Pty {
		connect = func() ([]*os.File, error) { return s.openTerminal(e) }
	}
	given, err := connect()
	if err != nil && e.Pty { // a terminal is used when available
		s.notes = append(s.notes, "the command has no terminal: "+err.Error())
		s.terminal, order.Session = false, false
		for _, file := range given {
			_ = file.Close()
		}
		given, err = s.pipes()
	}
	if err == nil {
		err = s.process.Start()
	}
	for _, file := range given {
		_ = file.Close() // the supervisor has its own
	}
	if err == nil {
		err = json.NewEncoder(s.control).Encode(order)
	}
	if err != nil {
		_ = s.control.Close() // which ends a supervisor that has started
		if s.process.Process != nil {
			_ = s.process.Wait()
		}
		s.closeInput()
		return fmt.Errorf("start a supervisor: %w", err)
	}
	return nil
}

// pipes connects the command with pipes; both outputs are one.
func (s *Session) pipes() (given []*os.File, err error) {
	in, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, written, err := os.Pipe()
	if err != nil {
		return []*os.File{in, input}, err
	}
	s.input = input
	s.process.Stdin, s.process.Stdout, s.process.Stderr = in, written, written
	s.read(out)
	return []*os.File{in, written}, nil
}

// openTerminal connects the command with a pseudo-terminal.
func (s *Session) openTerminal(e Exec) (given []*os.File, err error) {
	master, slave, err := s.store.cfg.OpenTerminal()
	if err != nil {
		return nil, err
	}
	size := &pty.Winsize{Rows: e.Rows, Cols: e.Cols}
	if size.Rows == 0 || size.Cols == 0 {
		size.Rows, size.Cols = 24, 80
	}
	if err := pty.Setsize(master, size); err != nil {
		return []*os.File{master, slave}, err
	}
	s.input = master
	s.process.Stdin, s.process.Stdout, s.process.Stderr = slave, slave, slave
	s.read(master)
	return []*os.File{slave}, nil
}

// read copies what the command writes.
func (s *Session) read(from *os.File) {
	s.reading.Go(func() {
		_, _ = io.Copy(&s.out, from) // a terminal ends with an error
		if from != s.input {
			_ = from.Close()
		}
	})
}
