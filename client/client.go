package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"gavel"
)

// Limits of a client. Gavel decides within a second, and a queued call waits two at most.
const (
	// DefaultTimeout is how long a decision may take if Config does not say.
	DefaultTimeout = 5 * time.Second
	// maxAnswer is the number of bytes of the largest answer that is read.
	maxAnswer = 8 << 20
)

// Config says where Gavel is, and with which credential to ask. Exactly one of Socket and
// URL must be set.
type Config struct {
	// Socket is the path of Gavel's unix socket.
	Socket string
	// URL is the address of Gavel, such as http://127.0.0.1:8181. A host other than this
	// machine needs https, because the token would cross the network unencrypted.
	URL string
	// Token is the credential. It may be empty on the socket, for a process of Gavel's user.
	Token string
	// TokenFile is a file with the credential, read for every request, so that it can be
	// replaced. At most one of Token and TokenFile may be set.
	TokenFile string
	// Timeout limits one decision; zero means DefaultTimeout.
	Timeout time.Duration
	// Pins requests the pins of commands, for whoever compares them before they run.
	Pins bool
	// Transport carries requests to URL; nil means one without a proxy. It is where
	// certificates are configured.
	Transport http.RoundTripper
}

// Client asks one Gavel. It is safe for concurrent use.
type Client struct {
	config Config
	base   string
	http   *http.Client
}

// New returns a client. It does not connect: a server that is down is an error of each call.
func New(config Config) (*Client, error) {
	if (config.Socket == "") == (config.URL == "") {
		return nil, errors.New("gavel client: set exactly one of Socket and URL")
	}
	if config.Token != "" && config.TokenFile != "" {
		return nil, errors.New("gavel client: set at most one of Token and TokenFile")
	}
	if config.Timeout < 0 {
		return nil, fmt.Errorf("gavel client: the timeout %s is negative", config.Timeout)
	}
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	base, transport, err := reach(config)
	if err != nil {
		return nil, fmt.Errorf("gavel client: %w", err)
	}
	// An answer that comes from elsewhere is not an answer: redirects are not followed.
	here := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{config: config, base: base, http: &http.Client{Transport: transport, CheckRedirect: here}}, nil
}

// reach returns the base URL and the transport for requests to it.
func reach(config Config) (string, http.RoundTripper, error) {
	if config.Socket != "" {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", config.Socket)
		}
		return "http://gavel", &http.Transport{DialContext: dial}, nil
	}
	at, err := url.Parse(config.URL)
	if err != nil {
		return "", nil, err
	}
	if at.Host == "" || at.RawQuery != "" || at.Fragment != "" || at.User != nil {
		return "", nil, fmt.Errorf("URL %q is not an address such as http://127.0.0.1:8181", config.URL)
	}
	switch at.Scheme {
	case "https":
	case "http":
		if !loopback(at.Hostname()) {
			return "", nil, fmt.Errorf("URL %q is on another machine, and the token would cross the network unencrypted; use https", config.URL)
		}
	default:
		return "", nil, fmt.Errorf("URL %q is neither http nor https; set Socket for a unix socket", config.URL)
	}
	if config.Transport != nil {
		return strings.TrimSuffix(config.URL, "/"), config.Transport, nil
	}
	return strings.TrimSuffix(config.URL, "/"), &http.Transport{}, nil // no Proxy: it would answer for Gavel
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Error says why there is no decision. The call must not run.
type Error struct {
	Doing  string // what the client was doing
	Status int    // of the HTTP answer; 0 without one
	Code   string // of Gavel's error, if it gave one
	Fix    string // what to do, if Gavel said so
	Err    error
}

// Error returns what failed, and why.
func (e *Error) Error() string {
	text := "gavel: " + e.Doing + ": " + e.Err.Error()
	if e.Fix != "" {
		text += "; " + e.Fix
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Decide asks for one decision. The error is an *Error, and then the decision is the zero
// value, which denies. A decision that is not an allow is not an error: look at its effect, or
// use Authorize.
func (c *Client) Decide(ctx context.Context, call gavel.Call) (gavel.Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	const doing = "ask for a decision"
	if call.ID == "" {
		call.ID = rand.Text()
	}
	body, err := json.Marshal(call)
	if err != nil {
		return gavel.Decision{}, &Error{Doing: doing, Err: err}
	}
	path := "/v1/decisions"
	if c.config.Pins {
		path += "?pins=true"
	}
	text, err := c.request(ctx, doing, http.MethodPost, path, body)
	if err != nil {
		return gavel.Decision{}, err
	}
	decision, err := read(text, call.ID)
	if err != nil {
		return gavel.Decision{}, &Error{Doing: doing, Status: http.StatusOK, Err: err}
	}
	return decision, nil
}

// answered is a decision without what is only in explanations, which no client requests. A decoder
// that never learns those types starts a millisecond earlier.
type answered struct {
	gavel.Decision
	Layers json.RawMessage `json:"layers"`
	Facts  json.RawMessage `json:"facts"`
}

// read reads a decision about the call with the given id.
func read(text []byte, call string) (gavel.Decision, error) {
	// Names are compared exactly, which encoding/json does not do for structs.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return gavel.Decision{}, fmt.Errorf("the answer is not a decision: %w", err)
	}
	for _, name := range []string{"id", "decision", "reasons", "revision"} {
		if _, given := members[name]; !given {
			return gavel.Decision{}, fmt.Errorf("the answer is not a decision: it has no %q", name)
		}
	}
	var plain answered
	if err := json.Unmarshal(text, &plain); err != nil {
		return gavel.Decision{}, fmt.Errorf("the answer is not a decision: %w", err)
	}
	decision := plain.Decision
	var effect *gavel.Effect
	if err := json.Unmarshal(members["decision"], &effect); err != nil || effect == nil {
		return gavel.Decision{}, fmt.Errorf("the answer is not a decision: %s is not an effect", members["decision"])
	}
	decision.Effect = *effect
	if decision.Call != call {
		return gavel.Decision{}, fmt.Errorf("the answer is about call %q, and %q was asked about", decision.Call, call)
	}
	if len(decision.Reasons) == 0 || decision.Revision == "" {
		return gavel.Decision{}, errors.New("the answer is not a decision: it has no reason, or no revision")
	}
	return decision, nil
}

// Record tells Gavel what became of a command that it allowed, for its decision log. It needs a
// credential of the scope gateway.
func (c *Client) Record(ctx context.Context, event gavel.RunEvent) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	const doing = "record what became of a command"
	body, err := json.Marshal(event)
	if err != nil {
		return &Error{Doing: doing, Err: err}
	}
	_, err = c.request(ctx, doing, http.MethodPost, "/v1/runs", body)
	return err
}

// request sends one request, and returns the body of a 200 in JSON. Anything else is an *Error.
func (c *Client) request(ctx context.Context, doing, method, path string, body []byte) ([]byte, error) {
	fail := func(status int, err error) error { return &Error{Doing: doing, Status: status, Err: err} }
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fail(0, err)
	}
	token, err := c.token()
	if err != nil {
		return nil, fail(0, err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, fail(0, err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read, or is worth nothing
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return nil, fail(answer.StatusCode, fmt.Errorf("read the answer: %w", err))
	}
	if len(text) > maxAnswer {
		return nil, fail(answer.StatusCode, fmt.Errorf("the answer is larger than %d bytes", maxAnswer))
	}
	if answer.StatusCode != http.StatusOK {
		return nil, refusal(doing, answer.StatusCode, text)
	}
	if media, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";"); strings.TrimSpace(media) != "application/json" {
		return nil, fail(answer.StatusCode, fmt.Errorf("the answer is %q and not JSON", media))
	}
	return text, nil
}

// refusal reads Gavel's error, if the answer is one.
func refusal(doing string, status int, text []byte) error {
	var said struct {
		Error struct{ Code, Message, Fix string }
	}
	if json.Unmarshal(text, &said) != nil || said.Error.Message == "" {
		return &Error{Doing: doing, Status: status, Err: fmt.Errorf("the answer is HTTP status %d", status)}
	}
	return &Error{Doing: doing, Status: status, Code: said.Error.Code, Fix: said.Error.Fix, Err: errors.New(said.Error.Message)}
}

// token returns the credential; "" if none is configured.
func (c *Client) token() (string, error) {
	if c.config.TokenFile == "" {
		return c.config.Token, nil
	}
	text, err := os.ReadFile(c.config.TokenFile)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("the token file %s is empty", c.config.TokenFile)
	}
	return token, nil
}
