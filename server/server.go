// Package server serves decisions over HTTP, on loopback TCP and on a unix socket.
//
// gavel/server/access has the only table of routes, gavel.Scopes the only table of rights, and
// errors.go the only table of errors. A decision is never an HTTP error: if deciding fails, the
// answer is a 200 that denies; if something fails before, it is an error without a decision.
package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gavel"
	"gavel/internal/rescue"
	"gavel/internal/secrets"
)

// Defaults of Config, and fixed limits.
const (
	defaultMaxBody       = 1 << 20
	defaultMaxBatch      = 100
	defaultMaxConcurrent = 256
	defaultMaxWaiting    = 2048
	defaultMaxBytes      = 64 << 20
	defaultHeaderTimeout = 5 * time.Second
	defaultReadTimeout   = 10 * time.Second
	defaultWriteTimeout  = 30 * time.Second
	defaultIdleTimeout   = 2 * time.Minute
	defaultShutdownGrace = 10 * time.Second

	maxHeader = 16 << 10 // bytes of request line and headers
	maxPooled = 64 << 10 // larger buffers are not kept for the next request
)

// Config defines what a server serves, to whom, and within which limits. A zero field has the
// default that its comment names.
type Config struct {
	PDP    *gavel.PDP                // decides; required, with every field that it requires
	Status func() gavel.PolicyStatus // of the policy in force; required; called for every /v1/status, /ready and /metrics

	Tokens Tokens // bearer tokens that never change; the zero value accepts none
	// Identities know other tokens, and client certificates. The first one that knows a credential
	// identifies its owner.
	Identities []gavel.Identities
	// TLS secures TCP listeners; nil serves them without TLS.
	TLS *tls.Config
	// ClientCAs returns the current authorities of client certificates. A certificate that they did
	// not issue is ignored, even on a connection that is already open. Nil means that the
	// authorities never change.
	ClientCAs func() *x509.CertPool
	// Pauses stores which agents are paused; with nil, agents cannot be paused.
	Pauses gavel.PauseKeeper
	// Verifiers returns the state of the verifiers; nil leaves it out of the status.
	Verifiers func() []gavel.VerifierState
	// Audit records refused requests and pauses; nil records nothing.
	Audit gavel.Audit
	// SharedDecideAgents are the agents for which the shared token of the scope decide speaks, as
	// does a process on the unix socket without a token. Nil means main and coder, as in the starter
	// policy; an empty list means none.
	SharedDecideAgents []string
	// UID is the only user whose processes may use the unix socket. 0 means the user of this
	// process.
	UID uint32
	// AllowRemote permits TCP listeners beyond loopback. Tokens then cross the
	// network in the clear, unless something in front terminates TLS.
	AllowRemote bool

	// Handlers answer the rows of the table of routes, gavel/server/access, that the server does
	// not answer itself, by their keys. A row without a handler is answered with not_found.
	Handlers map[string]Handler

	// Only restricts the rows that the server answers itself to these keys. Nil means all.
	Only []string

	// Directives carries out directives of messages; with nil there is no route for them.
	Directives *gavel.DirectiveServices

	// Hooks answer hosts that post their hooks; nil answers none.
	Hooks Hooks

	MaxBody  int64 // bytes of one body; 1 MiB
	MaxBatch int   // calls in one batch; 100
	// Limiter limits the requests that run, that are held in memory and that wait for people, in total
	// and for each credential. Requests beyond that get 503 and 429. The default is a limiter with the
	// defaults of [LimiterConfig].
	Limiter *Limiter

	Conns ConnLimits // of connections

	HeaderTimeout time.Duration // from the beginning of a connection, or of a request, to the end of the headers; 5 s
	ReadTimeout   time.Duration // of a whole request; 10 s
	WriteTimeout  time.Duration // from the end of the headers to the end of the answer; 30 s
	IdleTimeout   time.Duration // of a connection between requests, once it has shown a credential; 2 min
	ShutdownGrace time.Duration // for running requests when Serve ends; 10 s

	Version  string               // of this build, for GET /v1/status
	Logger   *slog.Logger         // nothing is logged by default
	Registry *prometheus.Registry // a new one by default; New registers Gavel's, Go's and the process's metrics
	Now      func() time.Time     // time.Now
}

// Server is the HTTP decision API. It is safe for concurrent use.
type Server struct {
	cfg     Config
	log     *slog.Logger
	started time.Time
	metrics *metrics
	handler http.Handler
	limiter *Limiter
	routes  []route
	buffers sync.Pool // of *bytes.Buffer
	headers headers
	masker  *secrets.Masker // of what errors quote
	// refusals limits how many refused requests are recorded.
	refusals refusalLimiter
}

// headers are the values of headers that many answers have. They never change.
type headers struct{ noStore, noSniff, json []string }

// New checks cfg, fills in its defaults and registers the metrics. It neither
// listens nor starts anything.
func New(cfg Config) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("configure the server: %w", err)
	}
	cfg.fill()
	s := &Server{cfg: cfg, log: cfg.Logger, started: cfg.Now(), limiter: cfg.Limiter, masker: secrets.New(),
		headers: headers{[]string{"no-store"}, []string{"nosniff"}, []string{"application/json"}}}
	var err error
	if s.metrics, err = newMetrics(cfg.Registry, cfg.Status, cfg.PDP.Stuck, cfg.Now); err != nil {
		return nil, fmt.Errorf("configure the server: %w", err)
	}
	if err := s.openRoutes(); err != nil {
		return nil, fmt.Errorf("configure the server: %w", err)
	}
	s.handler = s.router()
	return s, nil
}

func (c *Config) check() error {
	switch {
	case c.PDP == nil:
		return errors.New("PDP is missing")
	case c.PDP.Analyzer == nil || c.PDP.Policy == nil || c.PDP.NewID == nil || c.PDP.Now == nil:
		return errors.New("PDP needs an Analyzer, a Policy, NewID and Now")
	case c.Status == nil:
		return errors.New("Status is missing")
	case c.MaxBody < 0 || c.MaxBatch < 0:
		return errors.New("MaxBody and MaxBatch must not be negative")
	case c.HeaderTimeout < 0 || c.ReadTimeout < 0 || c.WriteTimeout < 0 || c.IdleTimeout < 0 || c.ShutdownGrace < 0:
		return errors.New("HeaderTimeout, ReadTimeout, WriteTimeout, IdleTimeout and ShutdownGrace must not be negative")
	}
	return nil
}

func (c *Config) fill() {
	c.MaxBody = orDefault(c.MaxBody, defaultMaxBody)
	c.MaxBatch = orDefault(c.MaxBatch, defaultMaxBatch)
	c.Conns = c.Conns.WithDefaults()
	c.HeaderTimeout = min(orDefault(c.HeaderTimeout, defaultHeaderTimeout), orDefault(c.ReadTimeout, defaultReadTimeout))
	c.ReadTimeout = orDefault(c.ReadTimeout, defaultReadTimeout)
	c.WriteTimeout = orDefault(c.WriteTimeout, defaultWriteTimeout)
	c.IdleTimeout = orDefault(c.IdleTimeout, defaultIdleTimeout)
	c.ShutdownGrace = orDefault(c.ShutdownGrace, defaultShutdownGrace)
	c.UID = orDefault(c.UID, uint32(os.Getuid()))
	if c.SharedDecideAgents == nil {
		c.SharedDecideAgents = []string{"main", "coder"}
	}
	c.Logger = orDefault(c.Logger, slog.New(slog.DiscardHandler))
	if c.Registry == nil {
		c.Registry = prometheus.NewRegistry()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Limiter == nil {
		c.Limiter = NewLimiter(LimiterConfig{Now: c.Now})
	}
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

// Handler returns the API for use in another HTTP server. Requests that do not come through
// [Server.Serve] are treated as loopback TCP: they need a token and a loopback Host.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers on the listeners, which it owns and closes, until ctx ends or one of them fails or
// panics. It then accepts no new requests, and gives running ones Config.ShutdownGrace to finish. It
// returns nil if ctx ended and every request finished. Listeners other than unix sockets and
// loopback TCP are refused; see [Config.AllowRemote].
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	if err := s.checkListeners(listeners); err != nil {
		for _, ln := range listeners {
			_ = ln.Close()
		}
		return fmt.Errorf("serve: %w", err)
	}
	running := context.WithoutCancel(ctx) // the end of ctx must not cut a decision short
	srv := &http.Server{
		Handler:                      s.handler,
		ReadHeaderTimeout:            s.cfg.HeaderTimeout,
		ReadTimeout:                  s.cfg.ReadTimeout,
		WriteTimeout:                 s.cfg.WriteTimeout,
		IdleTimeout:                  s.cfg.IdleTimeout,
		MaxHeaderBytes:               maxHeader,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		BaseContext:                  func(net.Listener) context.Context { return running },
		ConnContext:                  s.connContext,
		ConnState:                    connState,
	}
	var serving sync.WaitGroup
	failed := make(chan error, len(listeners))
	for _, ln := range listeners {
		serving.Go(func() {
			err := rescue.Call(func() error { return srv.Serve(s.secured(newLimitedListener(ln, s.cfg.Conns))) })
			if !errors.Is(err, http.ErrServerClosed) {
				if stack := rescue.Stack(err); stack != "" {
					s.log.Error("a listener panicked", "listener", ln.Addr().String(), "error", err, "stack", stack)
				}
				failed <- fmt.Errorf("serve %s: %w", ln.Addr(), err)
			}
		})
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	err = errors.Join(err, s.shutdown(running, srv))
	serving.Wait()
	return err
}

func (s *Server) shutdown(ctx context.Context, srv *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ShutdownGrace)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were still running after %s and were cut off: %w", s.cfg.ShutdownGrace, err), srv.Close())
	}
	return nil
}

// secured returns a TCP listener with TLS, if TLS is configured, and any other listener unchanged.
func (s *Server) secured(ln net.Listener) net.Listener {
	if _, ok := ln.Addr().(*net.TCPAddr); !ok || s.cfg.TLS == nil {
		return ln
	}
	return tls.NewListener(ln, s.cfg.TLS)
}

func (s *Server) checkListeners(listeners []net.Listener) error {
	if len(listeners) == 0 {
		return errors.New("there is nothing to listen on")
	}
	for _, ln := range listeners {
		switch addr := ln.Addr().(type) {
		case *net.UnixAddr:
		case *net.TCPAddr:
			if err := s.checkLoopback(addr); err != nil {
				return err
			}
		default:
			return fmt.Errorf("listener %s is neither TCP nor a unix socket", addr)
		}
	}
	return nil
}
