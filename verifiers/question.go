package verifiers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
)

// question is what every verifier of a call is asked, without what differs between them.
func (h *Hub) question(decision *gavel.Decision, facts *gavel.Facts) (gavel.VerifierQuestion, error) {
	digest, err := Digest(facts.Tool.Params)
	if err != nil {
		return gavel.VerifierQuestion{}, err
	}
	params, redacted := h.redactor.Parameters(facts.Tool.Params, decision.Asks.Redact)
	q := gavel.VerifierQuestion{Tool: facts.Tool.Name, Params: params, Redacted: redacted, Digest: digest, Agent: facts.Agent.ID, Session: facts.Session.Key,
		Provider: facts.Sender.Channel, Directory: directory(facts), Revision: decision.Revision}
	for _, r := range decision.Asks.Reasons {
		q.Reasons = append(q.Reasons, gavel.Reason{Code: r.Code, Message: h.redactor.Text(r.Message)})
	}
	return q, nil
}

// directory is where a call runs. For the same parameters it can differ.
func directory(facts *gavel.Facts) string {
	if facts.Exec == nil {
		return facts.Environment.Cwd
	}
	return cmp.Or(facts.Exec.Directory, facts.Exec.Workdir)
}

// Digest is the SHA-256, in hexadecimal, of parameters in their canonical form (RFC 8785). It
// covers the parameters before anything is redacted. Numbers are float64, as calls
// are read.
func Digest(params map[string]any) (string, error) {
	if params == nil {
		params = map[string]any{}
	}
	text, err := json.Marshal(params)
	if err != nil {
		return "", fmt.Errorf("encode the parameters: %w", err)
	}
	canonical := jsontext.Value(text)
	if err := canonical.Canonicalize(); err != nil {
		return "", fmt.Errorf("canonicalize the parameters: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// memoryKey is equal for the same question of the same agent and session under the same policy.
func memoryKey(v gavel.AskedVerifier, q *gavel.VerifierQuestion) string {
	var key strings.Builder
	for _, part := range []string{v.Endpoint, q.Agent, q.Session, q.Provider, q.Directory, q.Tool, q.Digest, q.Revision} {
		fmt.Fprintf(&key, "%d:%s", len(part), part)
	}
	sum := sha256.Sum256([]byte(key.String()))
	return string(sum[:])
}

// remembers reports whether an allow of the same question still counts.
func (h *Hub) remembers(key string) bool {
	until, known := h.remembered.Get(key)
	if known && !h.cfg.Now().Before(until) {
		h.remembered.Remove(key)
		return false
	}
	return known
}
