package gavel

import (
	"context"
	"time"
)

// Policy returns the snapshot in force. A request keeps the one it got. Current returns nil
// until a policy was first loaded.
type Policy interface {
	Current() Snapshot
}

// Snapshot is one compiled, immutable policy. Implementations are safe for
// concurrent use and never fail: an evaluation error is a Deny.
type Snapshot interface {
	// Revision is the hash of everything that the snapshot was made from.
	Revision() string
	// AnalyzerSettings returns what the analyzer must know about the policy. It never changes.
	AnalyzerSettings() *AnalyzerSettings
	// Overrides are the flags and variables that win over the configuration. They never change.
	Overrides() []string
	// Decide judges facts. The result has neither ID nor Call.
	Decide(ctx context.Context, facts Facts, explain bool) Decision
	// Tools reports every tool for facts without a tool.
	Tools(ctx context.Context, facts Facts) ToolReport
	// Masks reports whether the policy has mask rules at all.
	Masks() bool
	// Mask evaluates data.system.log.mask, as OPA has it, over a decision-log
	// event in JSON types. No such rule means no mask rules.
	Mask(ctx context.Context, event map[string]any) ([]MaskRule, error)
}

// MaskRule is one change to a decision-log event before it is written.
type MaskRule struct {
	Op    string // remove or upsert
	Path  string // JSON pointer below /input or /result, such as /input/tool/params/text
	Value any    // of upsert
}

// PolicyStatus says which policy is in force, and whether a newer one failed.
type PolicyStatus struct {
	Source   string    `json:"source"`   // the path that the policy comes from, or "built-in"
	Revision string    `json:"revision"` // of the snapshot in force; "" when there is none
	LoadedAt time.Time `json:"loadedAt,omitzero"`
	// Overrides are the flags and variables that win over the configuration.
	Overrides []string `json:"overrides,omitempty"`
	// StaleSince is when a newer policy first failed to load; zero while the policy in force
	// is current.
	StaleSince time.Time `json:"staleSince,omitzero"`
	Problems   []Problem `json:"problems,omitempty"` // why the newer policy failed
	Reloads    uint64    `json:"reloads"`            // snapshots that were put in force
	Failures   uint64    `json:"failures"`           // loads that failed
	// Evaluator is what evaluates the policy at present: "compiled", "topdown" or "both".
	// Uncompiled lists what topdown evaluates nevertheless.
	Evaluator  string       `json:"evaluator,omitempty"`
	Uncompiled []Uncompiled `json:"uncompiled,omitempty"`
	// Remembered counts answers of the policy from the cache, Evaluated the others; both
	// since the start.
	Remembered uint64 `json:"remembered"`
	Evaluated  uint64 `json:"evaluated"`
}

// Uncompiled is a query of the policy that could not be compiled.
type Uncompiled struct {
	Query string `json:"query"`
	Why   string `json:"why"`
}
