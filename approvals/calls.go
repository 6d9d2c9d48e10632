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

// calls keeps what questions are about, so that whoever waits for an answer can have the call
// decided again. It is kept in memory only, because a record holds no more than people see. A
// call without room is not kept: then its asker has to ask again.
type calls struct {
	mu     sync.Mutex
	by     map[string]keptCall // by the id of the approval
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
	if c.by == nil {
		c.by, c.shares = map[string]keptCall{}, map[string]int{}
	}
	if c.bytes+len(text) > maxCalls || c.shares[asker]+len(text) > callShare {
		return
	}
	c.by[id] = keptCall{*call, asker, len(text)}
	c.bytes += len(text)
	c.shares[asker] += len(text)
}

// forget drops the call of an approval.
func (c *calls) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.by[id]
	if !ok {
		return
	}
	delete(c.by, id)
	c.bytes -= known.bytes
	if c.shares[known.asker] -= known.bytes; c.shares[known.asker] == 0 {
		delete(c.shares, known.asker)
	}
}

// Asked returns the call that an approval is about, as it was asked. It is unknown after a
// restart, and for calls that were too large to keep.
func (m *Manager) Asked(id string) (call gavel.Call, known bool) {
	m.calls.mu.Lock()
	defer m.calls.mu.Unlock()
	kept, known := m.calls.by[id]
	return kept.call, known
}
