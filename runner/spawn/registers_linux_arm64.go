package spawn

import (
	"errors"

	"golang.org/x/sys/unix"
)

// registers are the registers of a stopped process.
type registers struct{ unix.PtraceRegsArm64 }

// holdsScripts reports whether system calls of this machine are known.
const holdsScripts = true

const general = 1 // NT_PRSTATUS

func (r *registers) read(pid int) error {
	return unix.PtraceGetRegSetArm64(pid, general, &r.PtraceRegsArm64)
}

func (r *registers) write(pid int) error {
	return unix.PtraceSetRegSetArm64(pid, general, &r.PtraceRegsArm64)
}

func (r *registers) stack() uint64 { return r.Sp }

// native refuses what has other numbers of system calls: programs of 32 bits.
func (r *registers) native() error {
	const bits32 = 0x10
	if r.Pstate&bits32 != 0 {
		return errors.New("it is a program of 32 bits, whose system calls are not known here")
	}
	return nil
}

// opens returns the argument with the path, if the system call opens a file by a path.
func (r *registers) opens() (path *uint64, ok bool) {
	if r.Regs[8] == unix.SYS_OPENAT || r.Regs[8] == unix.SYS_OPENAT2 {
		return &r.Regs[1], true
	}
	return nil, false
}

// result is what the system call returned, and the argument that was exchanged.
func (r *registers) result() (result uint64, path *uint64) { return r.Regs[0], &r.Regs[1] }

// moves returns the descriptor of which the system call makes another one.
func (r *registers) moves() (from uint64, ok bool) {
	switch r.Regs[8] {
	case unix.SYS_DUP, unix.SYS_DUP3:
		return r.Regs[0], true
	case unix.SYS_FCNTL:
		return r.Regs[0], r.Regs[1] == unix.F_DUPFD || r.Regs[1] == unix.F_DUPFD_CLOEXEC
	}
	return 0, false
}
