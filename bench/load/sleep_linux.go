package load

import (
	"syscall"
	"time"
)

// sleepUntil sleeps with a system call, which is at most 0.1 ms late. In an otherwise idle program,
// time.Sleep is up to 1 ms late, which is longer than most answers take.
func sleepUntil(moment time.Time) {
	for left := time.Until(moment); left > 0; left = time.Until(moment) {
		request := syscall.NsecToTimespec(int64(left))
		_ = syscall.Nanosleep(&request, nil) // if a signal ends it, the loop sleeps again
	}
}
