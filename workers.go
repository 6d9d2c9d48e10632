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
	// sweepTime is how long a worker waits for work, at least, before it ends.
	sweepTime = time.Second
)

// errNoReturn stands for the panic of a job that ended its goroutine instead of returning.
var errNoReturn = errors.New("an evaluation ended its goroutine")

// workers are reusable goroutines: a new goroutine's stack is small, and growing it for an
// evaluation costs more than evaluating a known call. The zero value is ready to use. It is
// safe for concurrent use.
type workers struct {
	mu       sync.Mutex
	idle     []*worker // the one that worked last is at the end, and works next
	least    int       // the fewest that were idle at once since the last sweep
	sweeping bool      // a sweep is due
}

// job is work for a worker.
type job interface{ do() }

// worker does one job after another. It ends when jobs is closed, or with a job that does not
// return.
type worker struct {
	jobs chan job
	done chan any // of each job, nil or what it panicked with; nobody has to receive it
	// left is set by whoever comes first: the worker when a job ends, or whoever waited
	// for that and gave up. In the latter case the job counts in stuck until it ends.
	left  atomic.Bool
	stuck *atomic.Int64
}

// hire returns an idle worker, or a new one.
func (ws *workers) hire(stuck *atomic.Int64) *worker {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if last := len(ws.idle) - 1; last >= 0 {
		w := ws.idle[last]
		ws.idle[last], ws.idle = nil, ws.idle[:last]
		ws.least = min(ws.least, last)
		return w
	}
	w := &worker{jobs: make(chan job, 1), done: make(chan any, 1), stuck: stuck}
	go w.work()
	return w
}

// rest takes back a worker whose job has returned.
func (ws *workers) rest(w *worker) {
	w.left.Store(false)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.idle) == maxIdle {
		close(w.jobs)
		return
	}
	ws.idle = append(ws.idle, w)
	if !ws.sweeping {
		ws.sweeping = true
		time.AfterFunc(sweepTime, ws.sweep)
	}
}

// sweep ends the workers that had nothing to do since the last sweep.
func (ws *workers) sweep() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, w := range ws.idle[:ws.least] {
		close(w.jobs)
	}
	ws.idle = append([]*worker(nil), ws.idle[ws.least:]...)
	ws.least = len(ws.idle)
	if ws.sweeping = ws.least > 0; ws.sweeping {
		time.AfterFunc(sweepTime, ws.sweep)
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
		waited := w.left.CompareAndSwap(false, true)
		w.done <- panicked
		if !waited {
			w.stuck.Add(-1)
		}
	}()
	work.do()
	return true
}
