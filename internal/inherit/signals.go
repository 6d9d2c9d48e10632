package inherit

import (
	"os"
	"os/signal"
	"syscall"
)

// NoIgnoredSignals gives the programs that this process starts the default action of signals that this
// process was started to ignore, as nohup and shells in the background have it. This process goes on
// ignoring them.
func NoIgnoredSignals() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} { // Go replaces the others by itself
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal), sig) // nobody reads it; what is caught is not inherited
		}
	}
}
