// Package approvalapi is the interface for asking and answering (APPROVALS-4): REST, JSON-RPC
// over HTTP and WebSocket, server-sent events, and JSON lines on a unix socket. The caller's
// credential determines which requests it may make, and the manager checks again (R33).
package approvalapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/grant"
	"gavel/internal/secrets"
	"gavel/internal/strictjson"
)

// Limits of requests.
const (
	maxBody    = 1 << 20 // bytes of one message
	maxRunning = 64      // requests of one connection at a time
	writeTime  = 10 * time.Second
	pingEvery  = 30 * time.Second
)

// Config configures the API. All fields but PublicKey, Verifier, Nodes, Limiter and Logger are
// required.
type Config struct {
	People *approvals.Manager
	File   *allowlist.File
	PDP    *gavel.PDP
	// Verifier and PublicKey check grants. Nil means that this server issues none.
	Verifier  *grant.Verifier
	PublicKey []byte        // PEM
	Nodes     Nodes         // nil if there are none
	Limiter   gavel.Limiter // limits JSON-RPC requests that run, are in memory or wait; nil limits nothing
	Lines     int           // concurrent connections of the operators' socket; 256
	// LeastToken is the minimum length of the operators' socket token. A shorter one, written
	// into the file by hand, is never accepted.
	LeastToken int
	// SocketPerson is the name of the person who uses the operators' socket; "" for none.
	SocketPerson string
	// Closing is closed when the server stops; waiting clients then get an error.
	Closing <-chan struct{}
	Logger  *slog.Logger // nil discards
}

// API answers requests. It is safe for concurrent use.
type API struct {
	cfg      Config
	log      *slog.Logger
	masker   *secrets.Masker // of what errors quote
	outcomes outcomes
}

// New checks cfg.
func New(cfg Config) (*API, error) {
	if cfg.People == nil || cfg.File == nil || cfg.PDP == nil || cfg.Closing == nil {
		return nil, errors.New("approvalapi: People, File, PDP and Closing are required")
	}
	if cfg.Lines == 0 {
		cfg.Lines = maxLines
	}
	if cfg.Limiter == nil {
		cfg.Limiter = unlimited{}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &API{cfg: cfg, log: cfg.Logger, masker: secrets.New()}, nil
}

// Handlers returns the handlers of the routes about approvals, by the keys of the table of routes.
func (a *API) Handlers() map[string]func(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	return map[string]func(w http.ResponseWriter, r *http.Request, from gavel.Caller) error{
		"GET /v1/approvals":               a.getApprovals,
		"GET /v1/approvals/events":        a.getEvents,
		"GET /v1/approvals/{id}":          a.getApproval,
		"POST /v1/approvals/{id}/resolve": a.postResolve,
		"GET /v1/approvals/{id}/wait":     a.getWait,
		"GET /v1/allowlists/{agent}":      a.getAllowlist,
		"PUT /v1/allowlists/{agent}":      a.putAllowlist,
		"POST /v1/grants/verify":          a.postVerify,
		"GET /v1/grants/key":              a.getKey,
		"POST /rpc":                       a.postRPC,
		"GET /rpc":                        a.getSocket,
	}
}

// untilStopped returns a context that also ends when the server stops.
func (a *API) untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-a.cfg.Closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// body reads a body of at most maxBody bytes. Its error is a *gavel.BodyError.
func body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, &gavel.BodyError{Err: err}
	}
	return text, nil
}

// read reads a body strictly into v.
func read(w http.ResponseWriter, r *http.Request, v any) error {
	text, err := body(w, r)
	if err != nil {
		return err
	}
	return strictjson.Unmarshal(text, v)
}

// respond writes v as the answer, with status 200.
func respond(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_ = strictjson.Write(w, v) // it fails only if the client is gone
	return nil
}

// stoppingError returns the error for waiting clients if the server is stopping, and err otherwise.
func (a *API) stoppingError(err error) error {
	select {
	case <-a.cfg.Closing:
		return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "Gavel is stopping", Fix: "wait again when it is running again"}
	default:
		return err
	}
}

// unlimited is a limiter without limits.
type unlimited struct{}

func (unlimited) Reserve(string, int) (func(), error)                { return func() {}, nil }
func (unlimited) Enter(context.Context, string, int) (func(), error) { return func() {}, nil }
func (unlimited) Wait(string) (func(), error)                        { return func() {}, nil }
