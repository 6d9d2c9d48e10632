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

// recheck is the interval at which the credential of a waiting request is checked again.
const recheck = time.Second

// whileValid ends a request soon after its credential is revoked or expires.
func whileValid(r *http.Request, valid func() bool) (*http.Request, context.CancelFunc) {
	ctx, cancel := validContext(r.Context(), valid)
	return r.WithContext(ctx), cancel
}

// validContext returns a context that ends soon after valid returns false.
func validContext(ctx context.Context, valid func() bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	var check *time.Timer // not a goroutine: there may be thousands of calls
	check = time.AfterFunc(math.MaxInt64, func() {
		if ctx.Err() != nil || !valid() {
			cancel()
			return
		}
		check.Reset(recheck)
	})
	check.Reset(recheck) // only now, because the function uses check
	return ctx, func() { check.Stop(); cancel() }
}

// waitHook returns the function to call when a decision waits for verifiers. From then on the
// request counts as waiting instead of running, has no time limits, and ends when its credential is
// no longer valid. Its body has been read before. A batch waits once for each of its calls.
func (s *Server) waitHook(w http.ResponseWriter, from caller) func(context.Context) (context.Context, func(), error) {
	var mu sync.Mutex
	waiting := 0
	control := http.NewResponseController(w)
	return func(ctx context.Context) (context.Context, func(), error) {
		leave, err := s.limiter.Wait(from.credential())
		if err != nil {
			return nil, nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		if answer, ok := w.(*recorder); ok && waiting == 0 && answer.leave != nil {
			answer.leave()
		}
		waiting++
		_ = control.SetWriteDeadline(time.Time{}) // if this fails, the request ends early
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

// withoutDeadlines removes the time limits of a request that waits for people: the limit of its
// answer now, and the limit for reading once the body has been read. If that fails, the request ends
// early, and the client repeats it.
func withoutDeadlines(w http.ResponseWriter, r *http.Request) *http.Request {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Time{})
	if r.Body == nil || r.Body == http.NoBody {
		_ = control.SetReadDeadline(time.Time{})
		return r
	}
	r = r.WithContext(r.Context()) // a copy: the server's own request must not change
	r.Body = &deadlineBody{r.Body, control}
	return r
}

// deadlineBody removes the time limit for reading when its end is reached.
type deadlineBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read continues to read the body.
func (b *deadlineBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
