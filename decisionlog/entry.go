package decisionlog

import (
	"fmt"
	"time"

	"gavel"
)

// entryDocument returns an entry as maps and slices, so that it can be masked and cut.
func (l *Log) entryDocument(event gavel.Event, facts *gavel.Facts, decision *gavel.Decision) (map[string]any, error) {
	out, err := toJSONTypes(l.entry(event, facts, decision))
	if err != nil {
		return nil, fmt.Errorf("encode the event: %w", err)
	}
	return out.(map[string]any), nil
}

// entry is a line of the log in the shape of OPA's EventV1.
type entry struct {
	Labels      map[string]string         `json:"labels"`
	DecisionID  string                    `json:"decision_id"`
	Bundles     map[string]bundleRevision `json:"bundles,omitempty"`
	Path        string                    `json:"path"`
	RequestedBy string                    `json:"requested_by,omitempty"`
	Timestamp   string                    `json:"timestamp"`
	Input       *gavel.Facts              `json:"input,omitempty"`
	Result      *gavel.Decision           `json:"result,omitempty"`
	Masked      []string                  `json:"masked,omitempty"`
	Metrics     struct {
		Analysis   int64 `json:"timer_analysis_ns"`
		Evaluation int64 `json:"timer_rego_query_eval_ns"`
	} `json:"metrics"`
	Custom struct {
		Revision string `json:"revision"`
		Call     string `json:"call"`
	} `json:"custom"`
}

type bundleRevision struct {
	Revision string `json:"revision"`
}

func (l *Log) entry(event gavel.Event, facts *gavel.Facts, decision *gavel.Decision) *entry {
	revision := event.Decision.Revision
	e := &entry{Labels: l.labels, DecisionID: event.Decision.ID, Path: entrypoint, RequestedBy: event.RequestedBy,
		Timestamp: event.Timestamp.UTC().Format(time.RFC3339Nano), Input: facts, Result: decision}
	e.Metrics.Analysis, e.Metrics.Evaluation = event.Analysis.Nanoseconds(), event.Evaluation.Nanoseconds()
	e.Custom.Revision, e.Custom.Call = revision, event.Decision.Call
	if revision != "" {
		e.Bundles = map[string]bundleRevision{"policy": {revision}}
	}
	return e
}
