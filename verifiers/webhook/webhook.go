// Package webhook asks a verifier over HTTPS (VERIFIER-4): it posts the question, signed, and
// reads the answer strictly. It decides nothing: what an answer means is the policy's.
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
	URL     string // https, or http of a loopback address where AllowHTTP says so
	Headers map[string]string
	// Credentials are what no text of the verifier may show: texts that are not empty, of Headers.
	Credentials []string
	// Secret signs requests, and Previous as well while keys are exchanged. Response is the key
	// of signed answers; with it, an allow without a valid signature is a mismatch. A zero key
	// is none.
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

// New checks a configuration. It neither connects nor looks names up.
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

// Close closes connections that nobody uses.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Ask implements gavel.Verifier. A connection that cannot be made or breaks before an answer
// begins, and the statuses 429, 502, 503 and 504, are tried again with the same bytes, as long
// as there is time and Retry-After permits it. An answer that was read is never asked for again.
func (c *Client) Ask(ctx context.Context, q *gavel.VerifierQuestion) gavel.VerifierReply {
	body, err := Body(q)
	if err != nil {
		return gavel.VerifierReply{Outcome: gavel.VerifierMalformed, Detail: "the question cannot be written as JSON"}
	}
	wait := firstPause
	for attempt := 1; ; attempt++ {
		said := c.attempt(ctx, q, body)
		said.reply.Attempts = attempt
		wait = max(wait, said.after)
		if !said.again || attempt == maxAttempts || !roomFor(ctx, wait) {
			return said.reply
		}
		c.cfg.Pause(ctx, wait)
		if ctx.Err() != nil {
			ended := over(ctx)
			ended.Attempts = attempt
			return ended
		}
		wait *= 2
	}
}

// attempted is the result of one attempt: whether another may help, and after which time.
type attempted struct {
	reply gavel.VerifierReply
	again bool
	after time.Duration
}

// attempt asks once. An answer that began and cannot be read to the end of its header is
// malformed, not unreachable: somebody answered. So is any error after the question was sent
// that is not the end of a connection.
func (c *Client) attempt(ctx context.Context, q *gavel.VerifierQuestion, body []byte) attempted {
	var asked, began atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest:         func(info httptrace.WroteRequestInfo) { asked.Store(info.Err == nil) },
		GotFirstResponseByte: func() { began.Store(true) },
	})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.URL, bytes.NewReader(body))
	if err != nil {
		return attempted{reply: gavel.VerifierReply{Outcome: gavel.VerifierUnreachable, Detail: "the url cannot be used"}}
	}
	for name, value := range c.cfg.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Idempotency-Key", q.RequestID)
	outgoing.Sign(request.Header, []outgoing.Key{c.cfg.Secret, c.cfg.Previous}, q.RequestID, c.cfg.Now(), body)
	response, err := c.http.Transport.RoundTrip(request) // what a client adds are cookies and redirects
	if err != nil {
		if ctx.Err() != nil {
			return attempted{reply: over(ctx)}
		}
		if began.Load() || asked.Load() && !broken(err) {
			return attempted{reply: malformed("it is not HTTP, its header is too large, or it ended too early")}
		}
		detail, final := unreachable(err)
		return attempted{reply: gavel.VerifierReply{Outcome: gavel.VerifierUnreachable, Detail: detail}, again: !final}
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	reply := c.read(ctx, q, response)
	reply.Status = response.StatusCode
	if reply.Outcome != gavel.VerifierStatus {
		return attempted{reply: reply}
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return attempted{reply: reply, again: true, after: c.retryAfter(response.Header.Get("Retry-After"))}
	}
	return attempted{reply: reply}
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

// roomFor reports whether there is time for a pause and another attempt.
func roomFor(ctx context.Context, wait time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	end, limited := ctx.Deadline()
	return !limited || time.Until(end) > wait
}

// over is the reply when the context has ended.
func over(ctx context.Context) gavel.VerifierReply {
	if errors.Is(context.Cause(ctx), gavel.ErrVerifierTime) {
		return gavel.VerifierReply{Outcome: gavel.VerifierTimeout}
	}
	return gavel.VerifierReply{Outcome: gavel.VerifierEnded}
}

func statusText(code int) string { return fmt.Sprintf("status %d", code) }
