package server

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"sync"
	"time"
)

// recheck is how often a request that waits is asked whether its credential still holds.
const recheck = time.Second

// whileValid ends a request soon after its credential is revoked or expires.
func whileValid(r *http.Request, valid func() bool) (*http.Request, context.CancelFunc) {
	ctx, cancel := validContext(r.Context(), valid)
	return r.WithContext(ctx), cancel
}

// validContext is the same for a context.
func validContext(ctx context.Context, valid func() bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	var check *time.Timer // and no goroutine, of which a thousand calls would have a thousand
	check = time.AfterFunc(math.MaxInt64, func() {
		if ctx.Err() != nil || !valid() {
			cancel()
			return
		}
		check.Reset(recheck)
	})
	check.Reset(recheck) // not before it is known to its function
	return ctx, func() { check.Stop(); cancel() }
}

// waits is called when a decision waits for verifiers: the request counts as one that waits, and
// gives its turn to others; its time limits are lifted, and it ends with its credential. Its body
// was read before. A batch waits once for each of its calls.
func (s *Server) waits(w http.ResponseWriter, from caller) func(context.Context) (context.Context, func(), error) {
	var mu sync.Mutex
	waiting := 0
	control := http.NewResponseController(w)
	return func(ctx context.Context) (context.Context, func(), error) {
		leave, err := s.gate.Wait(from.credential())
		if err != nil {
			return nil, nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		if answer, ok := w.(*recorder); ok && waiting == 0 && answer.leave != nil {
			answer.leave()
		}
		waiting++
		_ = control.SetWriteDeadline(time.Time{}) // what cannot be lifted ends the request early
		_ = control.SetReadDeadline(time.Time{})
		valid, stop := validContext(ctx, from.valid)
		return valid, func() {
			stop()
			leave()
			mu.Lock()
			defer mu.Unlock()
			if waiting--; waiting == 0 && ctx.Err() == nil {
				_ = control.SetWriteDeadline(time.Now().Add(s.cfg.WriteTimeout))
			}
		}, nil
	}
}

// unhurried lifts the time limits of a request that waits for people: that of its answer
// now, and the limit for reading when the body has been read. What cannot be lifted ends the
// request early, and it is made again.
func unhurried(w http.ResponseWriter, r *http.Request) *http.Request {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Time{})
	if r.Body == nil || r.Body == http.NoBody {
		_ = control.SetReadDeadline(time.Time{})
		return r
	}
	r = r.WithContext(r.Context()) // the server's own is not changed
	r.Body = &unhurriedBody{r.Body, control}
	return r
}

// unhurriedBody lifts the time limit of reading when it ends.
type unhurriedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read continues to read the body.
func (b *unhurriedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
