//go:build unix

package server

import "golang.org/x/sys/unix"

// descriptors is how many files and connections this process may have open.
func descriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return assumed
	}
	return int(min(uint64(limit.Cur), 1<<20))
}

// assumed is for a system that does not say.
const assumed = 256
