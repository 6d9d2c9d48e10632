package verifiers

import (
	"fmt"

	"gavel"
	"gavel/internal/redact"
)

// Preview is what verifiers would be asked about a call, for gavel explain. Nobody is asked.
type Preview struct {
	Verifiers []string       `json:"verifiers"`
	Scope     string         `json:"scope"` // the path of the setting that selected the tool
	Params    map[string]any `json:"params"`
	Redacted  []string       `json:"redacted"` // JSON pointers
	Digest    string         `json:"digest"`   // of the unredacted parameters
	// AfterPerson is true if they would be asked only once a person has agreed.
	AfterPerson bool `json:"afterPerson,omitempty"`
}

// PreviewOf returns what verifiers would be asked; nil if none would be. A question that cannot
// be asked is an error.
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
