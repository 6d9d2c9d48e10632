package gavel

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// maxStuck is how many evaluations may run on after their time is over. Each may take
	// a core, so that with so many of them no further one begins.
	maxStuck = 8
	// goingTime is how long an evaluation whose time is over has to end by itself before
	// it counts as stuck. It was told to stop, and mostly does within microseconds.
	goingTime = 20 * time.Millisecond
)

// watchdog bounds the time of what looks at a call: the analyzer and the policy. It
// cannot end what does not stop by itself, but whoever asked has an answer in time, and
// there is a bound to how much runs on. The zero value is ready.
type watchdog struct {
	stuck   atomic.Int64
	workers workers
}

// Stuck is how many evaluations run although their time is over. It is safe for
// concurrent use.
func (p *PDP) Stuck() int { return int(p.watchdog.stuck.Load()) }

// watched does work that answers with a T. When the context ends first, or when too many
// others did not end in time, the answer is a reason to deny, and what the work says is
// dropped. The work must not write to anything that its caller reads. Without a deadline
// it is done here and now.
func watched[T any](ctx context.Context, p *PDP, work func() T) (answer T, late *Reason) {
	if _, limited := ctx.Deadline(); !limited {
		return work(), nil
	}
	if p.Stuck() >= maxStuck {
		return answer, &Reason{Layer: "gavel", Code: CodeOverloaded,
			Message: fmt.Sprintf("%d evaluations exceeded their time limit and are still running; no further evaluation starts", maxStuck),
			Fix:     "find the slow rule in the server's log, and restart Gavel if they do not finish"}
	}
	if ctx.Err() != nil {
		return answer, p.tooLate()
	}
	said := new(T) // the worker's until it is done, and dropped when nobody waits for that
	w := p.watchdog.workers.hire(&p.watchdog.stuck)
	w.jobs <- func() { *said = work() }
	select {
	case panicked := <-w.done:
		if panicked != nil {
			panic(panicked) // of whoever asked, who recovers
		}
		p.watchdog.workers.rest(w)
		return *said, nil
	case <-ctx.Done():
	}
	p.abandon(w)
	return answer, p.tooLate()
}

// abandon leaves a worker whose time is over to itself. It never works again.
func (p *PDP) abandon(w *worker) {
	close(w.jobs)
	timer := time.NewTimer(goingTime)
	defer timer.Stop()
	select {
	case <-w.done:
		return
	case <-timer.C:
	}
	p.watchdog.stuck.Add(1)
	if !w.left.CompareAndSwap(false, true) { // it ended at the last moment
		p.watchdog.stuck.Add(-1)
	} else if p.Overdue != nil {
		p.Overdue(p.Stuck())
	}
}

// tooLate is the reason when time was over.
func (p *PDP) tooLate() *Reason {
	return &Reason{Layer: "gavel", Code: CodeEvaluationTimeout, Message: fmt.Sprintf("no decision within %s", p.Timeout),
		Fix: "look for a slow rule in the policy, or raise the time limit"}
}
