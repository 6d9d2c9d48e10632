package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// waiting counts the requests that wait for people. Each holds a connection for as
// long as a person takes, so that without a bound one caller could take all that the
// process may have.
type waiting struct {
	most, mostEach int

	mu   sync.Mutex
	all  int
	each map[string]int // by credential; never 0
}

// enter lets a request of a credential in, until leave is called, or says why not.
func (w *waiting) enter(credential string) (leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.each[credential] >= w.mostEach:
		return nil, &apiError{Code: codeTooManyWaiting, Message: fmt.Sprintf("%d requests of this credential wait for people already", w.mostEach),
			Fix: "end some of them, and try again after Retry-After seconds; one WebSocket on GET /rpc waits for many answers"}
	case w.all >= w.most:
		return nil, &apiError{Code: codeOverloaded, Message: fmt.Sprintf("%d requests wait for people already", w.most),
			Fix: "try again after Retry-After seconds; the question stays open meanwhile"}
	}
	w.all++
	w.each[credential]++
	return func() { w.leave(credential) }, nil
}

func (w *waiting) leave(credential string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all--
	if w.each[credential]--; w.each[credential] == 0 {
		delete(w.each, credential)
	}
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
	r.Body = &body{r.Body, control}
	return r
}

// body lifts the time limit of reading when it ends.
type body struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read reads on.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
