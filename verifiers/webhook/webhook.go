// Package webhook asks a verifier over HTTPS (VERIFIER-4): it posts the signed question, and reads
// the answer strictly. It decides nothing: the policy defines what an answer means.
//
//	body.go      the bytes of a question
//	webhook.go   a client and its attempts
//	answer.go    one answer, read in exactly one way
//	dial.go      where it may connect to
package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"gavel"
	"gavel/internal/outgoing"
)

const (
	maxAttempts = 5
	firstPause  = 200 * time.Millisecond
	maxIdle     = 256 // connections that wait for the next question
	userAgent   = "gavel-verifier"
)

// Config defines a webhook. URL and Now are required.
type Config struct {
	URL     string // https, or http to a loopback address with AllowHTTP
	Headers map[string]string
	// Credentials are secret parts of Headers, none of them empty. They are masked in texts of the
	// verifier.
	Credentials []string
	// Secret signs requests, and Previous does so too during a key rotation. Response verifies
	// answers: with it, an allow without a valid signature is a mismatch. A zero key means none.
	Secret, Previous, Response outgoing.Key
	// RequireEcho demands the requestId in an allow.
	RequireEcho bool
	AllowHTTP   bool     // to loopback addresses
	Networks    []string // private networks that may be dialled
	CA          []byte   // authorities, in PEM; nil takes those of the system
	Certificate *tls.Certificate
	Now         func() time.Time
	// Pause waits between attempts, for as long as ctx lasts; nil sleeps.
	Pause func(ctx context.Context, wait time.Duration)
}

// Client implements gavel.Verifier. It is safe for concurrent use.
type Client struct {
	cfg  Config
	http *http.Client
}

// New checks cfg. It neither connects nor looks up names.
func New(cfg Config) (*Client, error) {
	at, err := url.Parse(cfg.URL)
	if err != nil || at.Host == "" || at.User != nil {
		return nil, errors.New("the url is not a URL of a host, without a user name")
	}
	if at.Scheme != "https" && !(at.Scheme == "http" && cfg.AllowHTTP) {
		return nil, errors.New("the url is not https; http needs allowHttp, and is for this machine only")
	}
	networks, err := parseNetworks(cfg.Networks)
	if err != nil {
		return nil, err
	}
	secure := &tls.Config{} //nolint:gosec // the client sets the lowest version
	if cfg.CA != nil {
		secure.RootCAs = x509.NewCertPool()
		if !secure.RootCAs.AppendCertsFromPEM(cfg.CA) {
			return nil, errors.New("tls.ca holds no certificate")
		}
	}
	if cfg.Certificate != nil {
		secure.Certificates = []tls.Certificate{*cfg.Certificate}
	}
	if cfg.Pause == nil {
		cfg.Pause = outgoing.Pause
	}
	guard := &dialGuard{networks: networks, loopbackOnly: at.Scheme == "http"}
	return &Client{cfg: cfg, http: outgoing.NewClient(outgoing.ClientConfig{Permit: guard.check, TLS: secure, Idle: maxIdle})}, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Ask implements gavel.Verifier. It retries with the same bytes if a connection fails before an
// answer begins, and after the statuses 429, 502, 503 and 504, as long as there is time and
// Retry-After permits it. Once it has read an answer, it never asks again.
func (c *Client) Ask(ctx context.Context, q *gavel.VerifierQuestion) gavel.VerifierReply {
	body, err := Body(q)
	if err != nil {
		return gavel.VerifierReply{Outcome: gavel.VerifierMalformed, Detail: "the question cannot be written as JSON"}
	}
	wait := firstPause
	for attempt := 1; ; attempt++ {
		result := c.attempt(ctx, q, body)
		result.reply.Attempts = attempt
		wait = max(wait, result.wait)
		if !result.retry || attempt == maxAttempts || !timeLeftFor(ctx, wait) {
			return result.reply
		}
		c.cfg.Pause(ctx, wait)
		if ctx.Err() != nil {
			ended := endedReply(ctx)
			ended.Attempts = attempt
			return ended
		}
		wait *= 2
	}
}

// attemptResult is the result of one attempt: the reply, and whether to retry after which time.
type attemptResult struct {
	reply gavel.VerifierReply
	retry bool
	wait  time.Duration
}

// attempt asks once. If an answer begins but its header cannot be read to the end, the outcome is
// malformed and not unreachable, because there was an answer. So is any error after the question was
// sent, except the end of the connection.
func (c *Client) attempt(ctx context.Context, q *gavel.VerifierQuestion, body []byte) attemptResult {
	var asked, began atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest:         func(info httptrace.WroteRequestInfo) { asked.Store(info.Err == nil) },
		GotFirstResponseByte: func() { began.Store(true) },
	})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.URL, bytes.NewReader(body))
	if err != nil {
		return attemptResult{reply: gavel.VerifierReply{Outcome: gavel.VerifierUnreachable, Detail: "the url cannot be used"}}
	}
	for name, value := range c.cfg.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Idempotency-Key", q.RequestID)
	outgoing.Sign(request.Header, []outgoing.Key{c.cfg.Secret, c.cfg.Previous}, q.RequestID, c.cfg.Now(), body)
	response, err := c.http.Transport.RoundTrip(request) // no cookies and no redirects, unlike Client.Do
	if err != nil {
		if ctx.Err() != nil {
			return attemptResult{reply: endedReply(ctx)}
		}
		if began.Load() || asked.Load() && !connectionEnded(err) {
			return attemptResult{reply: malformed("it is not HTTP, its header is too large, or it ended too early")}
		}
		detail, final := describeDialError(err)
		return attemptResult{reply: gavel.VerifierReply{Outcome: gavel.VerifierUnreachable, Detail: detail}, retry: !final}
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	reply := c.read(ctx, q, response)
	reply.Status = response.StatusCode
	if reply.Outcome != gavel.VerifierStatus {
		return attemptResult{reply: reply}
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return attemptResult{reply: reply, retry: true, wait: c.retryAfter(response.Header.Get("Retry-After"))}
	}
	return attemptResult{reply: reply}
}

// retryAfter reads seconds or a date; anything else is ignored.
func (c *Client) retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return at.Sub(c.cfg.Now())
	}
	return 0
}

// timeLeftFor reports whether there is time for a pause of wait and another attempt.
func timeLeftFor(ctx context.Context, wait time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	end, limited := ctx.Deadline()
	return !limited || time.Until(end) > wait
}

// endedReply returns the reply for a context that has ended.
func endedReply(ctx context.Context) gavel.VerifierReply {
	if errors.Is(context.Cause(ctx), gavel.ErrVerifierTime) {
		return gavel.VerifierReply{Outcome: gavel.VerifierTimeout}
	}
	return gavel.VerifierReply{Outcome: gavel.VerifierEnded}
}

func statusText(code int) string { return fmt.Sprintf("status %d", code) }
