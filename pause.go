package gavel

import (
	"context"
	"time"
)

// States of PauseFacts.
const (
	PausePaused  = "paused"
	PauseUnknown = "unknown"
)

// EveryAgent is the name under which all agents are paused at once.
const EveryAgent = "*"

// CodePausesUnusable says that pauses cannot be read or written. It is part of the API.
const CodePausesUnusable = "pauses_unusable"

// Pause is the pause of one agent, which may do nothing until it ends.
type Pause struct {
	Agent string    `json:"agent"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until,omitzero"` // zero: until the agent is resumed
	Why   string    `json:"why"`
	By    string    `json:"by"` // the credential that paused it
}

// Pauses knows which agents are paused. Implementations are safe for concurrent use.
type Pauses interface {
	// Observe returns whether the agent or one of its ancestors is paused now. It never
	// fails: if that is unknown, the state is PauseUnknown.
	Observe(agent *AgentFacts) PauseFacts
}

// PauseKeeper stores which agents are paused, and lets administrators change that.
type PauseKeeper interface {
	Pauses
	// List returns the current pauses, by agent. An error means that they are unknown.
	List() ([]Pause, error)
	// Pause pauses an agent, replacing an existing pause.
	Pause(ctx context.Context, pause Pause) error
	// Resume ends an agent's pause. It returns false when the agent was not paused.
	Resume(ctx context.Context, agent string) (bool, error)
}
