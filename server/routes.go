package server

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"gavel"
)

// unmatched is the route label of requests that no route answers.
const unmatched = "unmatched"

// handler answers a request of a caller who may make it, or returns an error
// without having written anything.
type handler func(w http.ResponseWriter, r *http.Request, from caller) error

// route is one row of the table of routes.
type route struct {
	method, path string
	need         right // what the caller must hold; 0 asks for no credential
	limited      bool  // runs when the gate lets it in
	handle       handler
}

// Access is what a caller must hold for a [Route].
type Access uint8

// What a route may ask for.
const (
	AccessAny       Access = iota // some credential, whatever it is for
	AccessAsk                     // ask for approvals: the scopes decide, gateway and approve
	AccessApprove                 // see and answer questions: the scope approve
	AccessAllowlist               // the allowlist file: the scopes approve and admin
	AccessAdmin                   // pause agents: the scope admin
)

func (a Access) right() right {
	switch a {
	case AccessAny:
		return rightStatus // every scope has it
	case AccessAsk:
		return rightAsk
	case AccessApprove:
		return rightApprove
	case AccessAllowlist:
		return rightAllowlist
	case AccessAdmin:
		return rightAdmin
	}
	return ^right(0) // what nobody holds
}

// Route is a route that another part of the program answers. Handle returns an error
// without having written anything; a *gavel.ApprovalError has its own status.
type Route struct {
	Method, Path string
	Need         Access
	// Long marks requests that wait for people: they have no time limit, and count as
	// waiting. What they do besides waiting they ask the gate for themselves.
	Long   bool
	Handle func(w http.ResponseWriter, r *http.Request, from gavel.Caller) error
}

// routes is the one table of routes. HEAD is answered wherever GET is.
func (s *Server) routes() []route {
	list := s.ownRoutes()
	for _, extra := range s.cfg.Routes {
		list = append(list, route{extra.Method, extra.Path, extra.Need.right(), !extra.Long,
			func(w http.ResponseWriter, r *http.Request, from caller) error {
				if extra.Method != http.MethodGet {
					if err := checkMedia(r.Header); err != nil {
						return err
					}
				}
				if !extra.Long {
					return extra.Handle(w, r, from.shown())
				}
				leave, err := s.gate.Wait(from.credential())
				if err != nil {
					return err
				}
				defer leave()
				r, stop := whileValid(r, from.valid)
				defer stop()
				return extra.Handle(w, unhurried(w, r), from.shown())
			}})
	}
	return list
}

func (s *Server) ownRoutes() []route {
	return []route{
		{http.MethodPost, "/v1/decisions", rightDecide, true, s.postDecision},
		{http.MethodPost, "/v1/decisions/batch", rightDecide, true, s.postBatch},
		{http.MethodPost, "/v1/tools", rightTools, true, s.postTools},
		{http.MethodGet, "/v1/agents", rightStatus, true, s.getAgents},
		{http.MethodPost, "/v1/agents/{id}/pause", rightAdmin, true, s.postPause},
		{http.MethodPost, "/v1/agents/{id}/resume", rightAdmin, true, s.postResume},
		{http.MethodGet, "/v1/status", rightStatus, true, s.getStatus},
		{http.MethodGet, "/metrics", rightStatus, false, s.getMetrics()},
		{http.MethodGet, "/health", 0, false, s.getHealth},
		{http.MethodGet, "/ready", 0, false, s.getReady},
	}
}

func (s *Server) router() http.Handler {
	router := chi.NewRouter()
	for _, rt := range s.routes() {
		h := s.serve(rt)
		router.Method(rt.method, rt.path, h)
		if rt.method == http.MethodGet {
			router.Method(http.MethodHead, rt.path, h)
		}
	}
	router.NotFound(s.serve(route{path: unmatched, handle: notFound}).ServeHTTP)
	router.MethodNotAllowed(s.serve(route{path: unmatched, handle: methodNotAllowed}).ServeHTTP)
	return router
}

// methods returns the methods that a path answers to, sorted.
func (s *Server) methods(path string) []string {
	var methods []string
	for _, rt := range s.routes() {
		if matches(rt.path, path) {
			methods = append(methods, rt.method)
		}
	}
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	return methods
}

// matches reports whether a path is one of a route's, whose parts in braces stand for
// any.
func matches(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, have, func(w, h string) bool { return w == h || strings.HasPrefix(w, "{") && h != "" })
}

// serve wraps a route in what holds for all: measurement, recovery, headers,
// and the steps of admit.
func (s *Server) serve(rt route) http.Handler {
	duration := s.metrics.duration.WithLabelValues(rt.path)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		answer := &recorder{ResponseWriter: w, status: http.StatusOK}
		s.metrics.inFlight.Inc()
		defer func() {
			v := recover()
			if v != nil {
				s.panicked(answer, r, v)
			}
			s.metrics.inFlight.Dec()
			s.metrics.request(rt.path, answer.status)
			duration.Observe(time.Since(start).Seconds())
			if v != nil && answer.aborted {
				panic(http.ErrAbortHandler)
			}
		}()
		answer.Header().Set("Cache-Control", "no-store")
		answer.Header().Set("X-Content-Type-Options", "nosniff")
		if from, err := s.admit(answer, r, rt); err != nil {
			s.refuse(r, from, err)
			s.fail(answer, r, err)
		}
	})
}

// admit lets a request through to its handler: from here, by a caller who may, when all of
// its body is there, while there is room.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, rt route) (from caller, err error) {
	conn := connOf(r)
	if conn != nil && conn.credential.Load() == nil {
		w.Header().Set("Connection", "close") // unless a credential is shown: nobody else keeps a connection
	}
	if err := guard(r); err != nil {
		return from, err
	}
	if rt.need != 0 {
		if from, err = s.authenticate(r); err != nil {
			return from, err
		}
		if conn != nil {
			if err := conn.shows(from.credential()); err != nil {
				return from, err
			}
			w.Header().Del("Connection")
		}
		if err := from.require(rt.need); err != nil {
			return from, err
		}
	}
	body, err := s.receive(w, r, rt, from)
	if err != nil {
		return from, err
	}
	defer body.release()
	if !rt.limited {
		return from, rt.handle(w, body.request, from)
	}
	leave, err := s.gate.Enter(r.Context(), from.credential(), body.size())
	if err != nil {
		return from, err
	}
	defer leave()
	if answer, ok := w.(*recorder); ok {
		answer.leave = leave // whoever reads an answer slowly keeps nobody out meanwhile
	}
	return from, rt.handle(w, body.request, from)
}

// panicked answers for a handler that panicked. An answer that was begun cannot
// be taken back; its connection is cut instead.
func (s *Server) panicked(answer *recorder, r *http.Request, v any) {
	if v != http.ErrAbortHandler {
		s.log.ErrorContext(r.Context(), "panic in a handler", "method", r.Method, "path", r.URL.Path,
			"panic", fmt.Sprint(v), "stack", string(debug.Stack()))
	}
	if answer.wrote || v == http.ErrAbortHandler {
		answer.aborted = true
		return
	}
	s.fail(answer, r, fmt.Errorf("panic: %v", v))
}

func notFound(_ http.ResponseWriter, r *http.Request, _ caller) error {
	return &apiError{Code: codeNotFound, Message: "there is nothing at this path",
		Fix: "use POST /v1/decisions, POST /v1/decisions/batch, POST /v1/tools, GET /v1/status, /health, /ready or /metrics"}
}

func methodNotAllowed(_ http.ResponseWriter, r *http.Request, _ caller) error {
	return &apiError{Code: codeMethodNotAllowed, Message: "this path does not answer to this method",
		Fix: "use a method of the Allow header"}
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status  int
	wrote   bool
	aborted bool   // the connection must be cut
	leave   func() // to be called when the answer begins; may be nil
}

// WriteHeader remembers the status.
func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status = status
		r.begin()
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write remembers that the answer has begun.
func (r *recorder) Write(p []byte) (int, error) {
	r.begin()
	return r.ResponseWriter.Write(p)
}

func (r *recorder) begin() {
	if !r.wrote && r.leave != nil {
		r.leave()
	}
	r.wrote = true
}

// Unwrap gives http.ResponseController the writer below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
