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

// hooksPath is where hosts post their hooks. Every answer there has status 200, because many hosts
// run the tool after any other status.
const hooksPath = "/hooks/"

// Hooks answers hosts, each in the format that it obeys.
type Hooks interface {
	// Answer returns the body for a payload of a host. decide decides all calls in it, or none.
	Answer(ctx context.Context, from HookCaller, payload []byte, decide DecideAll) []byte
	// Fail returns a body that denies, for a payload that was not read, or could not be.
	Fail(host string, payload []byte, err error) []byte
}

// DecideAll decides calls, all or none.
type DecideAll = func(context.Context, []gavel.Call) ([]gavel.Decision, error)

// HookCaller has what the URL of a hook contains.
type HookCaller struct {
	Host       string
	Agent      string // ?agent=; "" means the name of the host
	Unattended bool   // ?unattended=true: no person is at the host
	Probe      bool   // ?probe=true: a test; no agent makes the call
}

// postHook answers POST /hooks/{host}.
func (s *Server) postHook(w http.ResponseWriter, r *http.Request, from caller) error {
	if s.cfg.Hooks == nil {
		return s.notFound(w, r, from)
	}
	hook, err := parseHookURL(access.Part(r, "host"), r.URL)
	if err != nil {
		return err
	}
	payload := bytes.Clone(body(r)) // it may still be read after the request has ended
	s.answerHook(w, s.cfg.Hooks.Answer(r.Context(), hook, payload, func(ctx context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
		for i := range calls {
			if err := from.setCaller(&calls[i], ""); err != nil {
				return nil, err
			}
		}
		options := from.options(decideOptions{})
		options.BeginWait = s.waitHook(w, from)
		decisions := s.cfg.PDP.DecideAll(ctx, calls, options)
		for i := range decisions {
			from.removeHiddenFacts(&decisions[i])
			s.metrics.decided(&decisions[i])
		}
		return decisions, nil
	}))
	return nil
}

// parseHookURL parses ?agent=, ?unattended= and ?probe=. Anything else is an error.
func parseHookURL(host string, u *url.URL) (HookCaller, error) {
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

// answerHook writes a body for a host.
func (s *Server) answerHook(w http.ResponseWriter, text []byte) {
	header := w.Header()
	header["Content-Type"] = s.headers.json
	header["Content-Length"] = []string{strconv.Itoa(len(text))}
	w.WriteHeader(http.StatusOK)
	if _, err := w.Write(text); err != nil {
		s.log.Debug("answer not delivered", "error", err)
	}
}

// failHook reports whether a request is a hook, and if so answers it with a denial.
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
