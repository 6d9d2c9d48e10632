package spawn

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

// Numbers of ioctl where it is not unix.SYS_IOCTL: for programs of 32 bits, and for those of x32.
const (
	ioctl32  = 54
	ioctlX32 = 1<<30 | 514
)

// keepFromTyping keeps this thread, and what it starts, from typing into a terminal. What a command
// types is read when it has ended, by the shell of the person at the terminal, as that person's.
func keepFromTyping() error {
	code, err := bpf.Assemble(typing())
	if err != nil {
		return fmt.Errorf("keep the command from typing into terminals: %w", err)
	}
	filters := make([]unix.SockFilter, len(code))
	for i, c := range code {
		filters[i] = unix.SockFilter{Code: c.Op, Jt: c.Jt, Jf: c.Jf, K: c.K}
	}
	program := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	// A filter that may slow the whole command down, as older kernels do with it, is not wanted.
	for _, flags := range []uintptr{unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, 0} {
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
		if errno == 0 {
			return nil
		}
		if err = errno; !errors.Is(errno, unix.EINVAL) {
			break
		}
	}
	return fmt.Errorf("the kernel cannot keep the command from typing into terminals: seccomp: %w", err)
}

// typing is a filter of system calls that permits everything but the two requests that type.
func typing() []bpf.Instruction {
	const number, arch, request = 0, 4, 24 // where the kernel shows them: offsets in struct seccomp_data
	low := uint32(request)
	if cpu.IsBigEndian {
		low += 4
	}
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: arch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AUDIT_ARCH_I386, SkipTrue: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AUDIT_ARCH_ARM, SkipTrue: 3},
		bpf.LoadAbsolute{Off: number, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_IOCTL, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: ioctlX32, SkipTrue: 2, SkipFalse: 5},
		bpf.LoadAbsolute{Off: number, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: ioctl32, SkipFalse: 3},
		bpf.LoadAbsolute{Off: low, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCLINUX, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
	}
}
