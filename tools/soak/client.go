package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"gavel"
)

// client sends requests as one caller, over TCP or the unix socket.
type client struct {
	http        *http.Client
	base, token string
	book        *ledger
}

// answersWithin is longer than any request may take. The longest ones wait for a person.
const answersWithin = 30 * time.Second

// client returns a client with its own connections. Without a scope it sends no token, which
// the unix socket accepts.
func (s *soak) client(socket bool, scope string) *client {
	c := &client{base: s.server.listen, token: s.server.tokens[scope], book: s.book}
	transport := &http.Transport{}
	if socket {
		c.base = "http://localhost"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", s.server.socket)
		}
	}
	c.http = &http.Client{Transport: transport, Timeout: answersWithin}
	return c
}

func (c *client) close() { c.http.CloseIdleConnections() }

// open sends a request. The caller closes the body.
func (c *client) open(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("write a request: %w", err)
		}
	}
	return c.send(ctx, method, path, text)
}

// raw posts a body unchanged. The caller closes the answer's body.
func (c *client) raw(ctx context.Context, path string, text []byte) (*http.Response, error) {
	return c.send(ctx, http.MethodPost, path, text)
}

func (c *client) send(ctx context.Context, method, path string, text []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	request.Header.Set("Content-Type", "application/json")
	return c.http.Do(request)
}

// do sends a request and decodes its answer into v, unless v is nil. Any answer other than a
// complete 200 is recorded as a failure, except the expected statuses. In both cases ok is
// false.
func (c *client) do(method, path string, body, v any, expected ...int) (ok bool) {
	answer, err := c.open(context.Background(), method, path, body) // a request that was started is finished
	if err != nil {
		c.book.wrong(requestFailed, "%s %s: %s", method, path, err)
		return false
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		c.book.wrong(requestFailed, "%s %s: %s", method, path, err)
	case slices.Contains(expected, answer.StatusCode):
	case answer.StatusCode != http.StatusOK:
		c.book.wrong(requestFailed, "%s %s: %s: %s", method, path, answer.Status, text)
	case v == nil:
		return true
	default:
		if err = json.Unmarshal(text, v); err == nil {
			return true
		}
		c.book.wrong(requestFailed, "%s %s: %s: %.200s", method, path, err, text)
	}
	return false
}

// call is one call to be decided. probe is its name if it is a probe.
type call struct {
	gavel.Call
	probe string
}

// decide asks for one decision.
func (c *client) decide(one call) (d gavel.Decision, ok bool) {
	began := time.Now()
	if ok = c.do(http.MethodPost, "/v1/decisions", one.Call, &d); ok {
		c.book.decided([]string{one.probe}, []gavel.Decision{d}, time.Since(began))
	}
	return d, ok
}

// decideAll asks for a batch of decisions.
func (c *client) decideAll(list []call) {
	var body struct {
		Calls []gavel.Call `json:"calls"`
	}
	var names []string
	for _, one := range list {
		body.Calls, names = append(body.Calls, one.Call), append(names, one.probe)
	}
	var answer struct{ Decisions []gavel.Decision }
	began := time.Now()
	if c.do(http.MethodPost, "/v1/decisions/batch", body, &answer) {
		c.book.decided(names, answer.Decisions, time.Since(began))
	}
}

// scrape reads the metrics.
func (c *client) scrape() (string, error) {
	answer, err := c.open(context.Background(), http.MethodGet, "/metrics", nil)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	return string(text), err
}
