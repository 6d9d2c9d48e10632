package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// recheck is how often a request that waits is asked whether its credential still holds.
const recheck = time.Second

// whileValid ends a request soon after its credential is revoked or expires.
func whileValid(r *http.Request, valid func() bool) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	go func() {
		ticker := time.NewTicker(recheck)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if !valid() {
					cancel()
					return
				}
			}
		}
	}()
	return r.WithContext(ctx), cancel
}

// unhurried lifts the time limits of a request that waits for people: that of its answer
// now, and that of reading when the body has been read. What cannot be lifted ends the
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

// Read reads on.
func (b *unhurriedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
