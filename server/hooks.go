package server

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gavel"
	"gavel/server/access"
)

// hooksPath is where hosts post their hooks. Every answer there has the status 200: many
// hosts run the tool after any other.
const hooksPath = "/hooks/"

// Hooks answer programs that run agents, in the form that each obeys.
type Hooks interface {
	// Answer is the body for a payload of a host. Decide decides all calls in it, or none.
	Answer(ctx context.Context, from HookCaller, payload []byte, decide DecideAll) []byte
	// Fail is the body that denies, for a payload that was not read, or could not be.
	Fail(host string, payload []byte, err error) []byte
}

// DecideAll decides calls, all or none.
type DecideAll = func(context.Context, []gavel.Call) ([]gavel.Decision, error)

// HookCaller is what the URL of a hook says.
type HookCaller struct {
	Host       string
	Agent      string // ?agent=; "" is the name of the host
	Unattended bool   // ?unattended=true: nobody is at the host
	Probe      bool   // ?probe=true: nobody makes the call
}

// postHook answers POST /hooks/{host}.
func (s *Server) postHook(w http.ResponseWriter, r *http.Request, from caller) error {
	if s.cfg.Hooks == nil {
		return s.notFound(w, r, from)
	}
	hook, err := hookCaller(access.Part(r, "host"), r.URL)
	if err != nil {
		return err
	}
	payload := bytes.Clone(body(r)) // it may be read for longer than the request lives
	s.answerHook(w, s.cfg.Hooks.Answer(r.Context(), hook, payload, func(ctx context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
		for i := range calls {
			if err := from.speak(&calls[i], ""); err != nil {
				return nil, err
			}
		}
		options := from.options(wanted{})
		options.Waits = s.waits(w, from)
		decisions := s.cfg.PDP.DecideAll(ctx, calls, options)
		for i := range decisions {
			from.spare(&decisions[i])
			s.metrics.decided(&decisions[i])
		}
		return decisions, nil
	}))
	return nil
}

// hookCaller reads ?agent=, ?unattended= and ?probe=, and refuses everything else.
func hookCaller(host string, u *url.URL) (HookCaller, error) {
	hook := HookCaller{Host: host}
	query, err := url.ParseQuery(u.RawQuery)
	for name, values := range query {
		switch {
		case err != nil || len(values) != 1:
		case name == "agent":
			hook.Agent = values[0]
			continue
		case name == "unattended" && (values[0] == "true" || values[0] == "false"):
			hook.Unattended = values[0] == "true"
			continue
		case name == "probe" && (values[0] == "true" || values[0] == "false"):
			hook.Probe = values[0] == "true"
			continue
		}
		err = errHookQuery()
	}
	if err != nil {
		return hook, errHookQuery()
	}
	return hook, nil
}

func errHookQuery() error {
	return &apiError{Code: codeInvalidQuery, Message: "the query is not understood",
		Fix: "use agent=ID, unattended=true or false and probe=true or false, each once, and nothing else"}
}

// answerHook writes an answer for a host.
func (s *Server) answerHook(w http.ResponseWriter, text []byte) {
	header := w.Header()
	header["Content-Type"] = s.headers.json
	header["Content-Length"] = []string{strconv.Itoa(len(text))}
	w.WriteHeader(http.StatusOK)
	if _, err := w.Write(text); err != nil {
		s.log.Debug("answer not delivered", "error", err)
	}
}

// failHook denies a hook that could not be answered, and reports whether the request is one.
func (s *Server) failHook(w http.ResponseWriter, r *http.Request, e *apiError) bool {
	host, ok := strings.CutPrefix(r.URL.Path, hooksPath)
	if !ok || s.cfg.Hooks == nil {
		return false
	}
	if e.Fix != "" {
		e = &apiError{Code: e.Code, Message: e.Message + "; " + e.Fix}
	}
	s.answerHook(w, s.cfg.Hooks.Fail(host, body(r), e))
	return true
}
