package main

import (
	"bytes"
	"encoding/json"

	"gavel"
	"gavel/internal/strictjson"
)

// loggedLine is the part of a decision log line that is needed to decide it again.
type loggedLine struct {
	DecisionID string           `json:"decision_id"`
	Type       string           `json:"type"`
	Input      *json.RawMessage `json:"input"`
	Erased     []string         `json:"erased"`
	Masked     []string         `json:"masked"`
	Error      *json.RawMessage `json:"error"`
	Custom     struct {
		Call      string           `json:"call"`
		Truncated *json.RawMessage `json:"truncated"`
	} `json:"custom"`
}

// loggedFacts returns the facts of a decision log line and the id of its call. logged is false
// for a line of another kind. Incomplete facts are an error, because a rule may
// judge the complete ones differently.
func loggedFacts(line []byte) (facts gavel.Facts, call string, logged bool, err error) {
	var entry loggedLine
	if !bytes.Contains(line, []byte(`"decision_id"`)) || json.Unmarshal(line, &entry) != nil || entry.DecisionID == "" {
		return facts, "", false, nil
	}
	switch {
	case entry.Input == nil:
		err = incomplete("the line of the log has no facts", "decide a line with input; the others are about something else, or too large")
	case len(entry.Erased)+len(entry.Masked) > 0:
		err = incomplete("the line of the log has masked values, so that its facts are not those that were decided", "decide the call itself")
	case entry.Custom.Truncated != nil || entry.Error != nil:
		err = incomplete("the line of the log has cut texts, so that its facts are not those that were decided", "decide the call itself")
	default:
		err = strictjson.Unmarshal(*entry.Input, &facts)
	}
	return facts, entry.Custom.Call, true, err
}

// auditEvent reports whether a line is an event of the decision log that is not a decision, such
// as a login or an answer: there is nothing in it to decide.
func auditEvent(line []byte) bool {
	var entry struct {
		Type   string `json:"type"`
		Kind   string `json:"kind"`
		Labels struct {
			App string `json:"app"`
		} `json:"labels"`
	}
	return bytes.Contains(line, []byte(`"audit"`)) && json.Unmarshal(line, &entry) == nil &&
		entry.Type == "audit" && entry.Kind != "" && entry.Labels.App == "gavel"
}

func incomplete(message, fix string) error {
	return &strictjson.Error{Line: 1, Column: 1, Message: message, Fix: fix}
}
