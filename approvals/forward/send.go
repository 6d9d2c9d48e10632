package forward

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"gavel/internal/outgoing"
)

const (
	attemptTime = 10 * time.Second
	lastMoment  = 2 * time.Second // for a request on its way when Gavel stops
	maxAttempts = 6               // attempts per message, with 15 seconds of pauses in all
	maxAnswer   = 64 << 10        // bytes of a response that are read and discarded
	firstPause  = 500 * time.Millisecond
)

// newClient connects to no private address, unless the file permits them. Messages are rare, so
// each has a connection of its own.
func (e *endpoint) newClient() *http.Client {
	cfg := outgoing.ClientConfig{Timeout: attemptTime}
	if !e.AllowPrivate {
		cfg.Permit = checkPublic
	}
	return outgoing.NewClient(cfg)
}

// checkPublic refuses addresses that are not on the internet.
func checkPublic(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !outgoing.Public(at.Addr()) {
		return errors.New("the address is private; set allowPrivate to permit it")
	}
	return nil
}

// send posts a body, and retries temporary failures with the same id and bytes, so that a
// receiver can recognise duplicates. Errors never contain the URL, which may hold a token.
func (f *Forwarder) send(ctx context.Context, at *endpoint, id string, body []byte) error {
	wait := firstPause
	for n := 1; ; n++ {
		again := false
		err := f.queue.turn(ctx, func() (err error) {
			last, done := withGrace(ctx)
			defer done()
			again, err = f.attempt(last, at, id, body)
			return err
		})
		if err == nil || !again || n == maxAttempts || ctx.Err() != nil {
			return err
		}
		f.cfg.Pause(ctx, wait)
		wait *= 2
	}
}

// withGrace returns a context that ends a moment after ctx. A receiver that is accepting a message
// while Gavel stops can thus finish, and the message is not sent again after the next start.
func withGrace(ctx context.Context) (last context.Context, done func()) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		outgoing.Pause(last, lastMoment)
		cancel()
	})
	return last, func() { stop(); cancel() }
}

func (f *Forwarder) attempt(ctx context.Context, at *endpoint, id string, body []byte) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at.URL, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("the url cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "gavel")
	request.Header.Set("Idempotency-Key", id)
	key, err := outgoing.ParseKey(at.Secret)
	if err != nil {
		return false, err
	}
	outgoing.Sign(request.Header, []outgoing.Key{key}, id, f.cfg.Now(), body)
	answer, err := at.client.Do(request)
	if err != nil {
		return true, withoutURL(err)
	}
	defer answer.Body.Close()                                          //nolint:errcheck // it was only read
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // the response's content is ignored
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, status(answer.StatusCode)
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return false, status(answer.StatusCode)
	}
	return false, nil
}

func status(code int) error { return fmt.Errorf("the receiver answered with status %d", code) }

// withoutURL returns an error of the HTTP client without the URL.
func withoutURL(err error) error {
	var about *url.Error
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}
