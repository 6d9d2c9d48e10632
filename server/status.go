package server

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gavel"
)

// statusAnswer is the answer to GET /v1/status.
type statusAnswer struct {
	Version       string             `json:"version"`
	StartedAt     time.Time          `json:"startedAt"`
	UptimeSeconds float64            `json:"uptimeSeconds"`
	Policy        gavel.PolicyStatus `json:"policy"`
	// Stuck is the number of evaluations that are still running after their time limit.
	Stuck int `json:"stuck"`
	// Paused are the paused agents. If they are unknown, Problems explains why.
	Paused   []gavel.Pause `json:"paused,omitempty"`
	Problems []string      `json:"problems,omitempty"`
	// Verifiers are the outside authorities that were asked since the start.
	Verifiers []gavel.VerifierState `json:"verifiers,omitempty"`
}

// readyAnswer is the answer to GET /health and GET /ready.
type readyAnswer struct {
	Status   string     `json:"status"`
	Revision string     `json:"revision,omitempty"`
	Stale    *staleness `json:"stale,omitempty"`
}

// staleness describes a newer policy that could not be loaded: since when, and why. Only callers who
// may read the status see why.
type staleness struct {
	Since    time.Time       `json:"since"`
	Problems []gavel.Problem `json:"problems,omitempty"`
}

// getStatus answers GET /v1/status.
func (s *Server) getStatus(w http.ResponseWriter, r *http.Request, _ caller) error {
	if err := noQuery(r.URL); err != nil {
		return err
	}
	paused, err := s.paused()
	var problems []string
	if err != nil {
		problems = []string{err.Error()}
	}
	var verifiers []gavel.VerifierState
	if s.cfg.Verifiers != nil {
		verifiers = s.cfg.Verifiers()
	}
	s.respond(w, r, http.StatusOK, statusAnswer{
		Verifiers:     verifiers,
		Paused:        paused,
		Problems:      problems,
		Version:       s.cfg.Version,
		StartedAt:     s.started.UTC(),
		UptimeSeconds: s.cfg.Now().Sub(s.started).Seconds(),
		Policy:        s.cfg.Status(),
		Stuck:         s.cfg.PDP.Stuck(),
	})
	return nil
}

// getHealth answers GET /health: the process is up.
func (s *Server) getHealth(w http.ResponseWriter, r *http.Request, _ caller) error {
	s.respond(w, r, http.StatusOK, readyAnswer{Status: "ok"})
	return nil
}

// getReady answers GET /ready: a policy is in force. A stale policy still decides, and the answer
// then has since when it is stale. Like /health it needs no credential. The problems are shown only
// to callers with one, because a problem may quote the configuration.
func (s *Server) getReady(w http.ResponseWriter, r *http.Request, _ caller) error {
	status := s.cfg.Status()
	if status.Revision == "" {
		return &apiError{Code: codeNoPolicy, Message: "no policy is loaded; every call is denied",
			Fix: "see GET /v1/status for why loading failed"}
	}
	answer := readyAnswer{Status: "ready", Revision: status.Revision}
	if !status.StaleSince.IsZero() {
		answer.Stale = &staleness{Since: status.StaleSince}
		if from, err := s.authenticate(r); err == nil && from.require(gavel.RightStatus) == nil {
			answer.Stale.Problems = status.Problems
		}
	}
	s.respond(w, r, http.StatusOK, answer)
	return nil
}

// getMetrics returns the handler of GET /metrics.
func (s *Server) getMetrics() handler {
	metrics := promhttp.HandlerFor(s.cfg.Registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	})
	return func(w http.ResponseWriter, r *http.Request, _ caller) error {
		metrics.ServeHTTP(w, r)
		return nil
	}
}
