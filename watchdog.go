package gavel

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// maxStuck limits how many evaluations may keep running past their time limit. Each may
	// occupy a core, so beyond this no further evaluation starts.
	maxStuck = 8
	// stopGrace is how long an evaluation may take to stop after its time limit before it
	// counts as stuck. It is cancelled, and usually stops within microseconds.
	stopGrace = 20 * time.Millisecond
)

// watchdog limits the time of analysis and policy. It cannot stop work that does not stop by
// itself, but the caller gets an answer in time, and the number of stuck evaluations is
// limited. The zero value is ready to use.
type watchdog struct {
	stuck   atomic.Int64
	workers workers
}

// Stuck returns how many evaluations are running past their time limit. It is safe for
// concurrent use.
func (p *PDP) Stuck() int { return int(p.watchdog.stuck.Load()) }

// watched runs work and returns its result. If the context ends first, or too many evaluations are
// stuck, it returns a reason to deny, and the result is discarded. work must not write to anything
// that its caller reads. Without a deadline, work runs in this goroutine.
func watched[T any](ctx context.Context, p *PDP, work func() T) (answer T, late *Reason) {
	f := &functionJob[T]{work: work}
	if late = p.watch(ctx, f); late == nil {
		answer = f.answer
	}
	return answer, late
}

// functionJob is a job that calls a functionJob.
type functionJob[T any] struct {
	work   func() T
	answer T
}

func (f *functionJob[T]) do() { f.answer = f.work() }

// watch runs a job in the same way; the job stores its result itself. If it returns nil, the job is
// complete. Otherwise the job may still be running, and must not be read.
func (p *PDP) watch(ctx context.Context, work job) *Reason {
	if _, limited := ctx.Deadline(); !limited {
		work.do()
		return nil
	}
	if p.Stuck() >= maxStuck {
		return &Reason{Layer: "gavel", Code: CodeOverloaded,
			Message: fmt.Sprintf("%d evaluations exceeded their time limit and are still running; no further evaluation starts", maxStuck),
			Fix:     "find the slow rule in the server's log, and restart Gavel if they do not finish"}
	}
	if ctx.Err() != nil {
		return p.timeLimitReason()
	}
	w := p.watchdog.workers.get(&p.watchdog.stuck)
	w.jobs <- work
	select {
	case panicked := <-w.done:
		if panicked != nil {
			panic(panicked) // in the caller's goroutine, which recovers
		}
		p.watchdog.workers.put(w)
		return nil
	case <-ctx.Done():
	}
	p.abandon(w)
	return p.timeLimitReason()
}

// abandon gives up on a worker that exceeded its time limit. The worker is never reused.
func (p *PDP) abandon(w *worker) {
	close(w.jobs)
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-w.done:
		return
	case <-timer.C:
	}
	p.watchdog.stuck.Add(1)
	if !w.settled.CompareAndSwap(false, true) { // the job ended at the last moment
		p.watchdog.stuck.Add(-1)
	} else if p.OnOverdue != nil {
		p.OnOverdue(p.Stuck())
	}
}

// timeLimitReason is the reason when the time limit has passed.
func (p *PDP) timeLimitReason() *Reason {
	return &Reason{Layer: "gavel", Code: CodeEvaluationTimeout, Message: fmt.Sprintf("no decision within %s", p.Timeout),
		Fix: "look for a slow rule in the policy, or raise the time limit"}
}
