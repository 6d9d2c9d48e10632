package runner

import (
	"math"
	"time"

	"gavel"
)

// Lifecycle is how a command runs and what is reported about it: what the call or the command line says,
// or else the configuration, or else the default. Members of the configuration are those of
// tools.exec.
type Lifecycle struct{ Configured *gavel.Lifecycle }

// Limit returns how long a command may run. A stated 0 means that nothing is stated.
func (l Lifecycle) Limit(stated time.Duration) time.Duration {
	return l.first(stated, time.Second, l.configured().TimeoutSec, Timeout)
}

// Yield returns after how long a command goes to the background.
func (l Lifecycle) Yield(stated, otherwise time.Duration) time.Duration {
	return l.first(stated, time.Millisecond, l.configured().BackgroundMs, otherwise)
}

// Cleanup returns how long an ended session is kept.
func (l Lifecycle) Cleanup(stated, otherwise time.Duration) time.Duration {
	return l.first(stated, time.Millisecond, l.configured().CleanupMs, otherwise)
}

// Notice returns after how long it is reported that an approved command is still running; a negative
// time means never.
func (l Lifecycle) Notice(stated, otherwise time.Duration) time.Duration {
	given := l.configured().ApprovalRunningNoticeMs
	if stated == 0 && given != nil && *given == 0 {
		return -1
	}
	return l.first(stated, time.Millisecond, given, otherwise)
}

// Tells reports whether the end of a command in the background is announced. quiet is set by the
// command line. empty is true for a success without output, which can be left out.
func (l Lifecycle) Tells(quiet, empty bool) bool {
	c := l.configured()
	switch {
	case quiet, c.NotifyOnExit != nil && !*c.NotifyOnExit:
		return false
	case empty && c.NotifyOnExitEmptySuccess != nil:
		return *c.NotifyOnExitEmptySuccess
	}
	return true
}

func (l Lifecycle) configured() gavel.Lifecycle {
	if l.Configured == nil {
		return gavel.Lifecycle{}
	}
	return *l.Configured
}

// first returns the first of these that is set: stated, a number of the configuration in the given
// unit, otherwise.
func (Lifecycle) first(stated, unit time.Duration, given *int64, otherwise time.Duration) time.Duration {
	switch {
	case stated != 0:
		return stated
	case given == nil || *given <= 0:
		return otherwise
	case *given > math.MaxInt64/int64(unit):
		return math.MaxInt64
	}
	return time.Duration(*given) * unit
}
