package daemon

import (
	"os"
	"os/signal"
	"syscall"
)

// handleIgnored handles the signals that this process was started to ignore, as by nohup, until stop is
// called, and still does nothing about them. Tools would inherit that they are ignored, and then a
// client could not interrupt its tool; they do not inherit that they are handled.
func handleIgnored() (stop func()) {
	handled := make(chan os.Signal, 1) // nothing reads it, so that all but one signal are dropped
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(handled, s)
		}
	}
	return func() { signal.Stop(handled) }
}
