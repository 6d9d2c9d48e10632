// Package rescue prevents a panic in one goroutine from ending the whole process. The caller
// decides what follows: to continue if nothing is lost, and to refuse if the state is
// unclear.
package rescue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// Panic is a panic as an error. Its text may be shown to the caller of a request; the stack
// is for the log only.
type Panic struct {
	Value any
	Stack string
}

// Error returns what the panic said.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Call returns the error of f, or a [Panic].
func Call(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{v, string(debug.Stack())}
		}
	}()
	return f()
}

// Stack is the stack of the [Panic] in an error; "" when it holds none.
func Stack(err error) string {
	var panicked *Panic
	if errors.As(err, &panicked) {
		return panicked.Stack
	}
	return ""
}

// Run calls f, logs a panic with its stack, and reports whether f returned. What says
// what could not be done, as in "expire approvals".
func Run(log *slog.Logger, what string, f func()) (returned bool) {
	err := Call(func() error { f(); return nil })
	if err != nil {
		log.Error("a part of Gavel panicked", "while", what, "panic", err, "stack", Stack(err))
	}
	return err == nil
}

// Keep runs f until it returns or ctx ends; after a panic it runs f again, after a pause.
func Keep(ctx context.Context, log *slog.Logger, what string, pause time.Duration, f func()) {
	for ctx.Err() == nil && !Run(log, what, f) {
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}
