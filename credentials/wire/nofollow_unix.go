//go:build unix

package wire

import "syscall"

// nofollow refuses to open a symbolic link.
const nofollow = syscall.O_NOFOLLOW
