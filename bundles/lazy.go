package bundles

import (
	"context"
	"sync"
	"time"

	"gavel/internal/rescue"
)

// idleTimeout is how long a released value is kept after its last use.
const idleTimeout = time.Minute

// lazy holds a value that takes much memory and can be created again. get creates it. After release,
// it is dropped when it was not used for idleTimeout. Callers may keep the value that they got. lazy is
// safe for concurrent use.
type lazy[T any] struct {
	create func() (T, error) // called in a separate goroutine; a panic becomes an error

	mu       sync.Mutex
	current  *pending[T] // nil if there is no value
	released bool
	timer    *time.Timer // evicts the value; nil until it is used after release
}

// pending is a value that is being created. It is ready when done is closed.
type pending[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// set stores a value that exists already.
func (l *lazy[T]) set(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current = &pending[T]{done: make(chan struct{}), value: value}
	close(l.current.done)
}

// get returns the value. It creates it if there is none.
func (l *lazy[T]) get() (T, error) { return l.getContext(context.Background()) }

// getContext is get until ctx ends. The creation goes on after that, for the next caller.
func (l *lazy[T]) getContext(ctx context.Context) (value T, err error) {
	p := l.start()
	select { // a value that is ready is returned even if ctx has ended
	case <-p.done:
		return p.value, p.err
	default:
	}
	select {
	case <-p.done:
		return p.value, p.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// start returns the value, and starts to create it if there is none.
func (l *lazy[T]) start() *pending[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.released:
	case l.timer == nil:
		l.timer = time.AfterFunc(idleTimeout, l.evict)
	default:
		l.timer.Reset(idleTimeout)
	}
	if l.current == nil {
		p := &pending[T]{done: make(chan struct{})}
		l.current = p
		go func() {
			defer close(p.done)
			p.err = rescue.Call(func() (err error) {
				p.value, err = l.create()
				return err
			})
			if p.err != nil {
				l.forget(p)
			}
		}()
	}
	return l.current
}

// forget drops a value that could not be created, so that the next caller tries again.
func (l *lazy[T]) forget(p *pending[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current == p {
		l.current = nil
	}
}

// release drops the value. From now on it is kept only while it is used.
func (l *lazy[T]) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.released, l.current = true, nil
}

// evict drops the value.
func (l *lazy[T]) evict() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current = nil
}
