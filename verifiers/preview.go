package verifiers

import (
	"fmt"

	"gavel"
	"gavel/internal/redact"
)

// Preview is what verifiers would be asked about a call, for gavel explain, which does not ask them.
type Preview struct {
	Verifiers []string       `json:"verifiers"`
	Scope     string         `json:"scope"` // the path of the setting that selected the tool
	Params    map[string]any `json:"params"`
	Redacted  []string       `json:"redacted"` // JSON pointers
	Digest    string         `json:"digest"`   // of the unredacted parameters
	// AfterPerson is true if verifiers would be asked only after a person has agreed.
	AfterPerson bool `json:"afterPerson,omitempty"`
}

// PreviewOf returns what verifiers would be asked, or nil if none would be. It returns an error if
// the question could not be asked.
func PreviewOf(asks *gavel.Asks, facts *gavel.Facts) (*Preview, error) {
	if asks == nil || facts == nil {
		return nil, nil
	}
	digest, err := Digest(facts.Tool.Params)
	if err != nil {
		return nil, fmt.Errorf("show what verifiers would be asked: %w", err)
	}
	params, redacted := redact.New().Parameters(facts.Tool.Params, asks.Redact)
	p := &Preview{Scope: asks.Scope, Params: params, Redacted: redacted, Digest: digest, Verifiers: []string{}}
	for _, v := range asks.Verifiers {
		p.Verifiers = append(p.Verifiers, v.Name)
	}
	return p, nil
}
