//go:build !linux

package spawn

import (
	"errors"
	"syscall"
	"time"
)

type group struct{}

// Start needs Linux.
func Start(Spec) (*Process, error) { return nil, errLinux() }

// Within needs Linux.
func Within(string, []string, Script) (State, error) { return State{}, errLinux() }

// Enter needs Linux.
func Enter() error { return errLinux() }

// Shield needs Linux.
func Shield() error { return errLinux() }

// Signal needs Linux.
func (p *Process) Signal(syscall.Signal) {}

// Terminate needs Linux.
func (p *Process) Terminate(time.Duration) State { return State{Code: 255} }

// Sweep needs Linux.
func (p *Process) Sweep(time.Duration) {}

func errLinux() error { return errors.New("commands are run on Linux only") }

// Adopt needs Linux.
func Adopt() error { return errLinux() }

// KillStrays needs Linux.
func KillStrays(func(pid int) bool) {}

// Foreground needs Linux.
func Foreground(int) {}

// InForeground needs Linux.
func InForeground() bool { return false }
