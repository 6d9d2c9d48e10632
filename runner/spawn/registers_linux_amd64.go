package spawn

import (
	"errors"

	"golang.org/x/sys/unix"
)

// registers are the registers of a stopped process.
type registers struct{ unix.PtraceRegs }

// holdsScripts reports whether system calls of this machine are known.
const holdsScripts = true

func (r *registers) read(pid int) error  { return unix.PtraceGetRegs(pid, &r.PtraceRegs) }
func (r *registers) write(pid int) error { return unix.PtraceSetRegs(pid, &r.PtraceRegs) }
func (r *registers) stack() uint64       { return r.Rsp }

// native refuses what has other numbers of system calls: programs of 32 bits.
func (r *registers) native() error {
	const code64, x32 = 0x33, 0x40000000
	if r.Cs != code64 || r.Orig_rax&x32 != 0 {
		return errors.New("it is a program of 32 bits, whose system calls are not known here")
	}
	return nil
}

// opens returns the argument with the path, if the system call opens a file by a path that is
// absolute or of the working directory.
func (r *registers) opens() (path *uint64, ok bool) {
	switch r.Orig_rax {
	case unix.SYS_OPEN:
		return &r.Rdi, true
	case unix.SYS_OPENAT, unix.SYS_OPENAT2:
		return &r.Rsi, true
	}
	return nil, false
}

// result is what the system call returned, and the argument that was exchanged.
func (r *registers) result() (result uint64, path *uint64) {
	path, _ = r.opens()
	return r.Rax, path
}

// moves returns the descriptor of which the system call makes another one.
func (r *registers) moves() (from uint64, ok bool) {
	switch r.Orig_rax {
	case unix.SYS_DUP, unix.SYS_DUP2, unix.SYS_DUP3:
		return r.Rdi, true
	case unix.SYS_FCNTL:
		return r.Rdi, r.Rsi == unix.F_DUPFD || r.Rsi == unix.F_DUPFD_CLOEXEC
	}
	return 0, false
}
