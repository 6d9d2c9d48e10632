package approvals

import (
	"encoding/json"
	"sync"

	"gavel"
)

// Limits of the calls that are kept, in bytes: of one, of one credential, and of all.
const (
	maxCall   = 32 << 10
	maxCalls  = 32 << 20
	callShare = maxCalls / 8
)

// calls keeps the calls that questions are about, so that a call can be decided again once it is
// approved. Calls are kept in memory only, because the stored record has no more than people see.
// If there is no room for a call, its asker must ask again.
type calls struct {
	mu     sync.Mutex
	byID   map[string]keptCall // by the id of the approval
	bytes  int
	shares map[string]int // bytes by credential
}

type keptCall struct {
	call  gavel.Call
	asker string
	bytes int
}

// keep keeps a call, if there is room for it.
func (c *calls) keep(id, asker string, call *gavel.Call) {
	if call == nil {
		return
	}
	text, err := json.Marshal(call)
	if err != nil || len(text) > maxCall {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID, c.shares = map[string]keptCall{}, map[string]int{}
	}
	if c.bytes+len(text) > maxCalls || c.shares[asker]+len(text) > callShare {
		return
	}
	c.byID[id] = keptCall{*call, asker, len(text)}
	c.bytes += len(text)
	c.shares[asker] += len(text)
}

// forget drops the call of an approval.
func (c *calls) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.byID[id]
	if !ok {
		return
	}
	delete(c.byID, id)
	c.bytes -= known.bytes
	if c.shares[known.asker] -= known.bytes; c.shares[known.asker] == 0 {
		delete(c.shares, known.asker)
	}
}

// CallOf returns the call that an approval is about, as the agent made it. It is unknown after a
// restart, and for calls that were too large to keep.
func (m *Manager) CallOf(id string) (call gavel.Call, known bool) {
	m.calls.mu.Lock()
	defer m.calls.mu.Unlock()
	kept, known := m.calls.byID[id]
	return kept.call, known
}
