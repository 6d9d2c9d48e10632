package bundles

import (
	"context"
	"sync"
	"time"

	"gavel/internal/rescue"
)

// restTime is how long something is kept after its last use, once it was released.
const restTime = time.Minute

// briefly keeps a value that takes much memory and can be made again. After release it is made when
// somebody needs it, and dropped when nobody has used it for a while. It is safe for concurrent use.
type briefly[T any] struct {
	create func() (T, error) // a panic is an error

	mu       sync.Mutex
	current  *making[T] // nil if there is none
	released bool
	timer    *time.Timer // drops the current one; nil before the first use after the release
}

// making is a value that is being made, or is made once done is closed.
type making[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// put keeps a value that is made already.
func (b *briefly[T]) put(value T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current = &making[T]{done: make(chan struct{}), value: value}
	close(b.current.done)
}

// get returns the value.
func (b *briefly[T]) get() (T, error) { return b.within(context.Background()) }

// within is get for as long as ctx lasts. A value that takes longer is still made, for
// whoever comes next.
func (b *briefly[T]) within(ctx context.Context) (value T, err error) {
	m := b.begin()
	select {
	case <-m.done:
		return m.value, m.err
	default:
	}
	select {
	case <-m.done:
		return m.value, m.err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// begin makes the value unless somebody does or did.
func (b *briefly[T]) begin() *making[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.released:
	case b.timer == nil:
		b.timer = time.AfterFunc(restTime, b.drop)
	default:
		b.timer.Reset(restTime)
	}
	if b.current == nil {
		m := &making[T]{done: make(chan struct{})}
		b.current = m
		go func() {
			defer close(m.done)
			m.err = rescue.Call(func() (err error) {
				m.value, err = b.create()
				return err
			})
			if m.err != nil {
				b.failed(m)
			}
		}()
	}
	return b.current
}

// failed makes the next one who needs the value try again.
func (b *briefly[T]) failed(m *making[T]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current == m {
		b.current = nil
	}
}

// release drops the value, and from now on keeps it only while it is used.
func (b *briefly[T]) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.released, b.current = true, nil
}

// drop drops the value. Whoever uses it keeps it.
func (b *briefly[T]) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current = nil
}
