package gavel

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxIdle limits how many workers may be idle. Any further worker ends with its job.
	maxIdle = 64
	// sweepInterval is how long a worker waits for work, at least, before it ends.
	sweepInterval = time.Second
)

// errNoReturn stands for the panic of a job that ended its goroutine instead of returning.
var errNoReturn = errors.New("an evaluation ended its goroutine")

// workers are reusable goroutines: a new goroutine's stack is small, and growing it for an
// evaluation costs more than evaluating a known call. The zero value is ready to use. It is
// safe for concurrent use.
type workers struct {
	mu        sync.Mutex
	idle      []*worker // the last one is used next
	leastIdle int       // the fewest that were idle at once since the last sweep
	sweeping  bool      // a sweep is due
}

// job is a unit of work for a worker.
type job interface{ do() }

// worker does one job after another. It ends when jobs is closed, or with a job that does not
// return.
type worker struct {
	jobs chan job
	done chan any // of each job, nil or the value of its panic; buffered, so that nobody has to receive it
	// settled is set by the worker when its job ends, or by abandon, whichever comes first. In the
	// latter case the job counts in stuck until it ends.
	settled atomic.Bool
	stuck   *atomic.Int64
}

// get returns an idle worker, or starts a new one.
func (ws *workers) get(stuck *atomic.Int64) *worker {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if last := len(ws.idle) - 1; last >= 0 {
		w := ws.idle[last]
		ws.idle[last], ws.idle = nil, ws.idle[:last]
		ws.leastIdle = min(ws.leastIdle, last)
		return w
	}
	w := &worker{jobs: make(chan job, 1), done: make(chan any, 1), stuck: stuck}
	go w.work()
	return w
}

// put takes back a worker whose job has returned.
func (ws *workers) put(w *worker) {
	w.settled.Store(false)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.idle) == maxIdle {
		close(w.jobs)
		return
	}
	ws.idle = append(ws.idle, w)
	if !ws.sweeping {
		ws.sweeping = true
		time.AfterFunc(sweepInterval, ws.sweep)
	}
}

// sweep ends the workers that had nothing to do since the last sweep.
func (ws *workers) sweep() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, w := range ws.idle[:ws.leastIdle] {
		close(w.jobs)
	}
	ws.idle = append([]*worker(nil), ws.idle[ws.leastIdle:]...)
	ws.leastIdle = len(ws.idle)
	if ws.sweeping = ws.leastIdle > 0; ws.sweeping {
		time.AfterFunc(sweepInterval, ws.sweep)
	}
}

func (w *worker) work() {
	for work := range w.jobs {
		if !w.do(work) {
			return
		}
	}
}

// do reports whether a job returned. The outcome is sent by a deferred call, because a job may
// end the goroutine.
func (w *worker) do(work job) (returned bool) {
	defer func() {
		var panicked any
		if !returned {
			if panicked = recover(); panicked == nil {
				panicked = errNoReturn
			}
		}
		waited := w.settled.CompareAndSwap(false, true)
		w.done <- panicked
		if !waited {
			w.stuck.Add(-1)
		}
	}()
	work.do()
	return true
}
