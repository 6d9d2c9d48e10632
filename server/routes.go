package server

import (
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"gavel"
	"gavel/server/access"
)

// unmatched is the route label of requests that no route answers.
const unmatched = "unmatched"

// handler answers a request of a caller who has the right to make it. If it returns an error, it
// has written nothing.
type handler func(w http.ResponseWriter, r *http.Request, from caller) error

// route is a row of the table of routes, with its handler.
type route struct {
	access.Route
	handle handler
}

// Handler answers the requests of one row of the table of routes in another package. If it returns
// an error, it has written nothing. A *gavel.ApprovalError has a status of its own.
type Handler func(w http.ResponseWriter, r *http.Request, from gavel.Caller) error

// ownHandlers returns the handlers of the rows that this package answers, by their keys.
func (s *Server) ownHandlers() map[string]handler {
	own := map[string]handler{
		"POST /v1/decisions":          s.postDecision,
		"POST /v1/decisions/batch":    s.postBatch,
		"POST /v1/tools":              s.postTools,
		"POST /hooks/{host}":          s.postHook,
		"POST /v1/runs":               s.postRun,
		"GET /v1/agents":              s.getAgents,
		"POST /v1/agents/{id}/pause":  s.postPause,
		"POST /v1/agents/{id}/resume": s.postResume,
		"GET /v1/status":              s.getStatus,
		"GET /metrics":                s.getMetrics(),
		"GET /health":                 s.getHealth,
		"GET /ready":                  s.getReady,
	}
	if s.cfg.Directives != nil {
		own["POST /v1/directives"] = s.postDirectives
	}
	return own
}

// openRoutes connects the table of routes with the handlers. A row without a handler is left out; a
// handler without a row, or for a row that has one already, is an error.
func (s *Server) openRoutes() error {
	own, others := s.ownHandlers(), maps.Clone(s.cfg.Handlers)
	if s.cfg.Only != nil {
		maps.DeleteFunc(own, func(key string, _ handler) bool { return !slices.Contains(s.cfg.Only, key) })
	}
	for _, row := range access.Routes() {
		handle, answered := own[row.Key()]
		if !answered {
			var other Handler
			if other, answered = others[row.Key()]; !answered {
				continue
			}
			delete(others, row.Key())
			handle = s.delegate(row, other)
		}
		s.routes = append(s.routes, route{row, handle})
	}
	for key := range others {
		return fmt.Errorf("the handler of %s answers no row of the table of routes, or one that the server answers itself", key)
	}
	return nil
}

// delegate returns the handler of a row that another package answers.
func (s *Server) delegate(row access.Route, handle Handler) handler {
	return func(w http.ResponseWriter, r *http.Request, from caller) error {
		if row.Share != access.Waits {
			return handle(w, r, from.public())
		}
		leave, err := s.limiter.Wait(from.credential())
		if err != nil {
			return err
		}
		defer leave()
		r, stop := whileValid(r, from.valid)
		defer stop()
		return handle(w, withoutDeadlines(w, r), from.public())
	}
}

func (s *Server) router() http.Handler {
	router := chi.NewRouter()
	for _, rt := range s.routes {
		h := s.serve(rt)
		router.Method(rt.Method, rt.Path, h)
		if rt.Method == http.MethodGet {
			router.Method(http.MethodHead, rt.Path, h)
		}
	}
	router.NotFound(s.serve(route{access.Route{Path: unmatched, Share: access.Free}, s.notFound}).ServeHTTP)
	router.MethodNotAllowed(s.serve(route{access.Route{Path: unmatched, Share: access.Free}, methodNotAllowed}).ServeHTTP)
	return router
}

// methods returns the methods that a path answers to, sorted.
func (s *Server) methods(path string) []string {
	var methods []string
	for _, rt := range s.routes {
		if matches(rt.Path, path) {
			methods = append(methods, rt.Method)
		}
	}
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	return methods
}

// matches reports whether a path fits the pattern of a route. A part in braces matches any part
// that is not empty.
func matches(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, have, func(w, h string) bool { return w == h || strings.HasPrefix(w, "{") && h != "" })
}

// serve adds to a route what all routes share: metrics, recovery, headers, and the steps of
// admit.
func (s *Server) serve(rt route) http.Handler {
	count := s.metrics.forRoute(rt.Path)
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
			count.request(answer.status, time.Since(start))
			if v != nil && answer.aborted {
				panic(http.ErrAbortHandler)
			}
		}()
		header := answer.Header()
		header["Cache-Control"], header["X-Content-Type-Options"] = s.headers.noStore, s.headers.noSniff
		if from, err := s.admit(answer, r, rt); err != nil {
			s.refuse(r, from, err)
			s.fail(answer, r, err)
		}
	})
}

// admit passes a request to its handler if it comes from here, its caller has the right, its
// body is complete, and there is capacity.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, rt route) (from caller, err error) {
	conn := connOf(r)
	if conn != nil && conn.credential.Load() == nil {
		w.Header().Set("Connection", "close") // only a caller with a credential may keep a connection; removed below
	}
	if err := checkOrigin(r); err != nil {
		return from, err
	}
	if rt.Need != access.Open {
		if from, err = s.authenticate(r); err != nil {
			return from, err
		}
		if conn != nil {
			if err := conn.setCredential(from.credential()); err != nil {
				return from, err
			}
			w.Header().Del("Connection")
		}
		if err := from.require(rt.Need); err != nil {
			return from, err
		}
	}
	body, err := s.receive(w, r, rt, from)
	if err != nil {
		return from, err
	}
	defer body.release()
	if rt.Share != access.Runs {
		return from, rt.handle(w, r, from)
	}
	leave, err := s.limiter.Enter(r.Context(), from.credential(), body.size())
	if err != nil {
		return from, err
	}
	defer leave()
	if answer, ok := w.(*recorder); ok {
		answer.leave = leave // a client that reads an answer slowly must not keep others out
	}
	return from, rt.handle(w, r, from)
}

// panicked answers for a handler that panicked. If the answer has already begun, the connection is
// cut instead.
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

func (s *Server) notFound(_ http.ResponseWriter, r *http.Request, _ caller) error {
	fix := "use POST /v1/decisions, POST /v1/decisions/batch, POST /v1/tools, GET /v1/status, /health, /ready or /metrics"
	if s.cfg.Only != nil {
		var served []string
		for _, rt := range s.routes {
			served = append(served, rt.Key())
		}
		fix = "use " + strings.Join(served, ", ")
	}
	return &apiError{Code: codeNotFound, Message: "nothing is served at this path", Fix: fix}
}

func methodNotAllowed(_ http.ResponseWriter, r *http.Request, _ caller) error {
	return &apiError{Code: codeMethodNotAllowed, Message: "this path does not support this method",
		Fix: "use a method of the Allow header"}
}

// recorder records the status of an answer, and whether it has begun.
type recorder struct {
	http.ResponseWriter
	status  int
	wrote   bool
	aborted bool   // the connection must be cut
	leave   func() // to be called when the answer begins; may be nil
}

// WriteHeader records the status.
func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status = status
		r.begin()
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write records that the answer has begun.
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

// Unwrap returns the wrapped writer, for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
