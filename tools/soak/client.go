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
	ledger      *ledger
}

// requestTimeout is longer than any request takes. The longest requests wait for a person.
const requestTimeout = 2 * time.Minute

// client returns a client with its own connections and a token of a scope. If scope is "", it
// sends no token, which the unix socket accepts.
func (s *soak) client(socket bool, scope string) *client {
	c := &client{base: s.server.listen, token: s.server.tokens[scope], ledger: s.ledger}
	transport := &http.Transport{}
	if socket {
		c.base = "http://localhost"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", s.server.socket)
		}
	}
	c.http = &http.Client{Transport: transport, Timeout: requestTimeout}
	return c
}

func (c *client) close() { c.http.CloseIdleConnections() }

// mostRetries is how often a request is repeated that the server had no turn for.
const mostRetries = 30

// sendJSON sends a request with a JSON body, or without a body if it is nil. The caller closes the
// body of the answer. If the server has no turn for the request in time, it is sent again after a second,
// as the answer says: on a busy machine that is to be expected. The ledger counts how often.
func (c *client) sendJSON(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("encode a request: %w", err)
		}
	}
	for tries := 0; ; tries++ {
		answer, err := c.send(ctx, method, path, text)
		if err != nil || answer.StatusCode != http.StatusTooManyRequests || tries == mostRetries {
			return answer, err
		}
		_ = answer.Body.Close() // it was refused
		c.ledger.recordRetry()
		pause(ctx, time.Second)
	}
}

// post sends a POST request with this body. The caller closes the body of the answer.
func (c *client) post(ctx context.Context, path string, text []byte) (*http.Response, error) {
	return c.send(ctx, http.MethodPost, path, text)
}

func (c *client) send(ctx context.Context, method, path string, text []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("create a request: %w", err)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	request.Header.Set("Content-Type", "application/json")
	return c.http.Do(request)
}

// do sends a request and decodes the answer into v, unless v is nil. It reports a failure unless the
// answer has the status 200 and can be decoded, or has one of the expected statuses. ok is true only
// in the first case.
func (c *client) do(method, path string, body, v any, expected ...int) (ok bool) {
	answer, err := c.sendJSON(context.Background(), method, path, body) // the end of the run does not cancel it
	if err != nil {
		c.ledger.report(requestFailed, "%s %s: %s", method, path, err)
		return false
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		c.ledger.report(requestFailed, "%s %s: %s", method, path, err)
	case slices.Contains(expected, answer.StatusCode):
	case answer.StatusCode != http.StatusOK:
		c.ledger.report(requestFailed, "%s %s: %s: %s", method, path, answer.Status, text)
	case v == nil:
		return true
	default:
		if err = json.Unmarshal(text, v); err == nil {
			return true
		}
		c.ledger.report(requestFailed, "%s %s: %s: %.200s", method, path, err, text)
	}
	return false
}

// call is a call to be decided. probe is the name of the probe, or "" if it is none.
type call struct {
	gavel.Call
	probe string
}

// decide requests one decision.
func (c *client) decide(which call) (d gavel.Decision, ok bool) {
	start := time.Now()
	if ok = c.do(http.MethodPost, "/v1/decisions", which.Call, &d); ok {
		c.ledger.recordDecisions([]string{which.probe}, []gavel.Decision{d}, time.Since(start))
	}
	return d, ok
}

// decideAll requests a batch of decisions.
func (c *client) decideAll(list []call) {
	var body struct {
		Calls []gavel.Call `json:"calls"`
	}
	var names []string
	for _, call := range list {
		body.Calls, names = append(body.Calls, call.Call), append(names, call.probe)
	}
	var answer struct{ Decisions []gavel.Decision }
	start := time.Now()
	if c.do(http.MethodPost, "/v1/decisions/batch", body, &answer) {
		c.ledger.recordDecisions(names, answer.Decisions, time.Since(start))
	}
}

// scrape reads the metrics.
func (c *client) scrape() (string, error) {
	answer, err := c.sendJSON(context.Background(), http.MethodGet, "/metrics", nil)
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
