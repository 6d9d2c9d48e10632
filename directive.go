package gavel

import (
	"context"
	"time"
)

// States of SessionValuesFacts.
const (
	SessionsRead    = "read"
	SessionsUnknown = "unknown"
)

// StoredSession is what directives have set for one session.
type StoredSession struct {
	Key   string `json:"key"`
	Agent string `json:"agent"`
	StoredValues
	By        string    `json:"by"` // who set the last value: channel and id of the sender
	ExpiresAt time.Time `json:"expiresAt"`
}

// Sessions knows what directives have set. Implementations are safe for concurrent use.
type Sessions interface {
	// Observe returns what holds for the session of a call. It never fails: if that is
	// unknown, the state is SessionsUnknown.
	Observe(call *Call) SessionValuesFacts
}

// SessionKeeper stores what directives set.
type SessionKeeper interface {
	Sessions
	// Set stores the values that are not empty, beside what is stored for the session already,
	// and returns all of them. All expire together.
	Set(ctx context.Context, set StoredSession) (StoredSession, error)
}
