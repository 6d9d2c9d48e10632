// Package spawn starts one command under the limits of the kernel, and ends it with everything
// that it has started. It judges nothing, and knows no decision.
package spawn

import (
	"os"
	"syscall"
	"time"
)

// Grace is how long a command has between the request to end and its end.
const Grace = 5 * time.Second

// Spec is a command that is ready to start.
type Spec struct {
	// Program is run by its descriptor; if it is nil, Path is run.
	Program *os.File
	Path    string
	Argv    []string
	Env     []string
	Dir     *os.File
	// Files are the descriptors of the command, from 0. It has no others.
	Files []*os.File
	// Terminal makes the command the foreground of the terminal of descriptor 0. Any other command
	// has a session of its own.
	Terminal bool
	// Session makes descriptor 0 the terminal of that session.
	Session bool
	Limits  Limits
	// Script is what a shell reads; nil for anything else.
	Script *Script
	// Loaded is called when the program is loaded and has not begun; an error ends it there.
	Loaded func(pid int) error
	// Unstopped returns the program to run where a program cannot be stopped before it begins,
	// so that Loaded cannot be called.
	Unstopped func() (*os.File, error)
}

// Script is a script that a shell opens by its name, and of which it is to read a sealed copy. The
// shell keeps the name, so that the script finds files beside itself. Its system calls are traced
// until it has taken the copy for its script: each time it opens the name, it opens the copy.
type Script struct {
	At   int    // the word of Argv that names it
	Copy string // what is opened instead, such as /proc/self/fd/3
	Dir  string // where the command runs
}

// Limits are what a command may use. Zero members do not limit.
type Limits struct {
	Seconds   uint64 // of processor time
	Memory    uint64 // bytes of address space
	FileSize  uint64 // bytes of a file that it writes
	Files     uint64 // open descriptors
	Processes uint64 // of the user, or of the command where there are control groups
	// Write are the only directories in which the command may write, but for devices such as
	// /dev/null. Nil does not limit, an empty list permits none.
	Write []string
	// Exact are directories and files to which it may write, too, with no link on the way. One
	// that is not there so is left out. A list that is not nil limits as Write does.
	Exact []string
	// Required refuses to start where the kernel cannot hold a limit.
	Required bool
}

// State is how a command ended.
type State struct {
	Code   int // 0 to 255; 128 and the number of the signal if one ended it
	Signal syscall.Signal
	// Stopped is true if it did not end, but was stopped by a signal of job control.
	Stopped bool
	// Unheld says why it was killed before its script began; nil if it was not.
	Unheld error
}

// Process is a running command.
type Process struct {
	Pid   int
	Notes []string // what the kernel of this machine could not do
	group *group
	// spared are children that this process had before: they are not the command's.
	spared map[int]bool
	ended  chan State
	tell   chan State
}

// Ended is closed after the state of the end was sent.
func (p *Process) Ended() <-chan State { return p.ended }

// Stopped tells when job control stops the command.
func (p *Process) Stopped() <-chan State { return p.tell }
