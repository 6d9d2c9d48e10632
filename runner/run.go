package runner

import (
	"context"
	"errors"
	"os"
	"time"

	"gavel/runner/spawn"
)

// Timeout is how long a command may run by default.
const Timeout = 1800 * time.Second

// Foreground says how a command runs in the foreground of this process.
type Foreground struct {
	Stdio [3]*os.File
	// Timeout ends the command; 0 does not.
	Timeout time.Duration
	// Terminal is true if descriptor 0 is a terminal whose foreground this process is.
	Terminal bool
	// Session gives the command a session of its own, with descriptor 0 as its terminal.
	Session bool
	// Outlive leaves what the command has left behind running.
	Outlive bool
	// Began is called with the id of the process; may be nil.
	Began func(pid int)
}

// Result is how a command ended.
type Result struct {
	spawn.State
	TimedOut bool
	Ended    bool // this process was asked to end, and ended it
	Duration time.Duration
}

// Run runs the plan, and ends it with everything that it has started. The process must have
// called spawn.Enter, and runs one command only. An error means that nothing ran.
func (p *Plan) Run(ctx context.Context, f Foreground) (Result, error) {
	began := time.Now()
	process, err := p.Start(ctx, f.Stdio, f.Terminal, f.Session)
	if err != nil {
		return Result{}, err
	}
	if f.Began != nil {
		f.Began(process.Pid)
	}
	result := f.await(ctx, process)
	if !f.Outlive {
		process.Sweep(spawn.Grace)
	}
	if f.Terminal {
		spawn.Foreground(os.Getpid())
	}
	result.Duration = time.Since(began)
	if result.Unheld != nil {
		return Result{}, p.runner.refuse(ctx, p.call, asRefusal(&Refusal{Code: CodeUnheld, Message: result.Unheld.Error(), Fix: "install the script where only root can write"}, &p.Decision))
	}
	return result, nil
}

// RecordEnd records how the command ended.
func (p *Plan) RecordEnd(ctx context.Context, result Result) error {
	end := Ended{Code: result.ExitCode(), Signal: int(result.Signal), TimedOut: result.TimedOut, Duration: result.Duration}
	return p.runner.record(ctx, end.Event(p.call.Agent.ID, p.call.Session.Key, p.Decision.ID))
}

// await waits for the end of the command, or ends it.
func (f *Foreground) await(ctx context.Context, process *spawn.Process) Result {
	var late <-chan time.Time
	if f.Timeout > 0 {
		timer := time.NewTimer(f.Timeout)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case state := <-process.Ended():
			return Result{State: state}
		case <-process.Stopped():
			if f.Terminal {
				suspend(process)
			}
		case <-late:
			return Result{State: process.Terminate(spawn.Grace), TimedOut: true}
		case <-ctx.Done():
			return Result{State: process.Terminate(spawn.Grace), Ended: true}
		}
	}
}

// ExitCode is the exit code that the starting process sees.
func (r Result) ExitCode() int {
	if r.TimedOut {
		return ExitTimeout
	}
	return r.Code
}

// Exit codes, as shells and timeout have them.
const (
	ExitRefused = 126
	ExitTimeout = 124
)

// IsRefusal reports whether an error is a refusal by a decision, or by the runner.
func IsRefusal(err error) bool {
	var refusal *Refusal
	return errors.As(err, &refusal)
}
