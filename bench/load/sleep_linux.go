package load

import (
	"syscall"
	"time"
)

// sleepUntil sleeps in the kernel, which wakes up within 0.1 ms. time.Sleep of an
// otherwise idle program is up to 1 ms late, more than most answers take.
func sleepUntil(moment time.Time) {
	for left := time.Until(moment); left > 0; left = time.Until(moment) {
		request := syscall.NsecToTimespec(int64(left))
		_ = syscall.Nanosleep(&request, nil) // when a signal ends it, it sleeps again
	}
}
