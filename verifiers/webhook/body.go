package webhook

import (
	"bytes"
	"encoding/json"
	"time"

	"gavel"
)

// question is the body of a request: first the keys of OpenClaw's proposal, in its order, and then
// Gavel's own keys.
type question struct {
	Version   int             `json:"version"`
	Timestamp string          `json:"timestamp"`
	RequestID string          `json:"requestId"`
	Tool      tool            `json:"tool"`
	Context   questionContext `json:"context"`

	ExpiresAt string   `json:"expiresAt,omitempty"`
	Digest    string   `json:"digest,omitempty"`
	Directory string   `json:"directory,omitempty"`
	Redacted  []string `json:"redacted,omitzero"`
	Policy    *policy  `json:"policy,omitempty"`
	Probe     bool     `json:"probe,omitempty"`
}

type tool struct {
	Name   string         `json:"name"`
	Params map[string]any `json:"params"`
}

type questionContext struct {
	AgentID         string `json:"agentId"`
	SessionKey      string `json:"sessionKey"`
	MessageProvider string `json:"messageProvider"`
}

type policy struct {
	Revision string           `json:"revision"`
	Reasons  []questionReason `json:"reasons"`
}

type questionReason struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Body returns the body for a question. The same question always has the same bytes.
func Body(q *gavel.VerifierQuestion) ([]byte, error) {
	b := question{Version: 1, Timestamp: timestamp(q.At), RequestID: q.RequestID, Tool: tool{q.Tool, q.Params},
		Context: questionContext{q.Agent, q.Session, q.Provider}, Digest: q.Digest, Directory: q.Directory, Redacted: q.Redacted, Probe: q.Probe}
	if b.Tool.Params == nil {
		b.Tool.Params = map[string]any{}
	}
	if !q.ExpiresAt.IsZero() {
		b.ExpiresAt = timestamp(q.ExpiresAt)
	}
	if q.Revision != "" {
		b.Policy = &policy{Revision: q.Revision, Reasons: []questionReason{}}
		for _, r := range q.Reasons {
			b.Policy.Reasons = append(b.Policy.Reasons, questionReason{r.Code, r.Message})
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(b); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

func timestamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
