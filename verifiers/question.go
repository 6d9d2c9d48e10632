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

// question returns the question about a call, without the parts that differ between verifiers.
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

// directory returns where a call runs. The parameters alone do not determine it.
func directory(facts *gavel.Facts) string {
	if facts.Exec == nil {
		return facts.Environment.Cwd
	}
	return cmp.Or(facts.Exec.Directory, facts.Exec.Workdir)
}

// Digest returns the SHA-256, in hexadecimal, of unredacted parameters in their canonical form
// (RFC 8785). Numbers are float64, as in calls that were read from JSON.
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

// cacheKey returns a key that is equal for the same question to the same endpoint about the same
// agent and session under the same policy.
func cacheKey(v gavel.AskedVerifier, q *gavel.VerifierQuestion) string {
	var key strings.Builder
	for _, part := range []string{v.Endpoint, q.Agent, q.Session, q.Provider, q.Directory, q.Tool, q.Digest, q.Revision} {
		fmt.Fprintf(&key, "%d:%s", len(part), part)
	}
	sum := sha256.Sum256([]byte(key.String()))
	return string(sum[:])
}

// cached reports whether the cache has an allow for the same question that has not expired.
func (h *Hub) cached(key string) bool {
	until, known := h.allows.Get(key)
	if known && !h.cfg.Now().Before(until) {
		h.allows.Remove(key)
		return false
	}
	return known
}
