package decisionlog

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"gavel"
)

// plain is the event as the built-in redaction leaves it, without a round trip through
// JSON types. The parameters are a copy, and what they hide stays hidden in it.
func (l *Log) plain(space *bytes.Buffer, event gavel.Event) ([]byte, error) {
	var masked []string
	facts, decision := event.Facts, shown(event.Decision)
	if len(facts.Tool.Params) > 0 { // a copy already
		masked = hideContent(facts.Tool.Params, "/input/tool/params", masked)
	}
	if decision.Exec != nil && len(decision.Exec.Env) > 0 {
		exec := *decision.Exec
		exec.Env = make(map[string]string, len(exec.Env))
		for _, name := range slices.Sorted(maps.Keys(decision.Exec.Env)) {
			exec.Env[name] = redacted
			masked = append(masked, "/result/exec/env/"+escape(name))
		}
		decision.Exec = &exec
	}
	e := l.entry(event, &facts, &decision)
	e.Masked = masked
	return encode(space, e)
}

// document is an entry in JSON types, for what changes it.
func (l *Log) document(event gavel.Event, facts *gavel.Facts, decision *gavel.Decision) (map[string]any, error) {
	out, err := tree(l.entry(event, facts, decision))
	if err != nil {
		return nil, fmt.Errorf("encode the event: %w", err)
	}
	return out.(map[string]any), nil
}

// entry is a line of the log. Without input and result it says nothing about the call
// but its id.
type entry struct {
	Labels      map[string]string     `json:"labels"`
	DecisionID  string                `json:"decision_id"`
	Bundles     map[string]revisionOf `json:"bundles,omitempty"`
	Path        string                `json:"path"`
	RequestedBy string                `json:"requested_by,omitempty"`
	Timestamp   string                `json:"timestamp"`
	Input       *gavel.Facts          `json:"input,omitempty"`
	Result      *gavel.Decision       `json:"result,omitempty"`
	Masked      []string              `json:"masked,omitempty"`
	Metrics     struct {
		Analysis   int64 `json:"timer_analysis_ns"`
		Evaluation int64 `json:"timer_rego_query_eval_ns"`
	} `json:"metrics"`
	Custom struct {
		Revision string `json:"revision"`
		Call     string `json:"call"`
	} `json:"custom"`
}

type revisionOf struct {
	Revision string `json:"revision"`
}

func (l *Log) entry(event gavel.Event, facts *gavel.Facts, decision *gavel.Decision) *entry {
	revision := event.Decision.Revision
	e := &entry{Labels: l.labels, DecisionID: event.Decision.ID, Path: entrypoint, RequestedBy: event.RequestedBy,
		Timestamp: event.Timestamp.UTC().Format(time.RFC3339Nano), Input: facts, Result: decision}
	e.Metrics.Analysis, e.Metrics.Evaluation = event.Analysis.Nanoseconds(), event.Evaluation.Nanoseconds()
	e.Custom.Revision, e.Custom.Call = revision, event.Decision.Call
	if revision != "" {
		e.Bundles = map[string]revisionOf{"policy": {revision}}
	}
	return e
}
