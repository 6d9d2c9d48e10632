package hosts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel"
)

// Dialect describes the events of a host that uses Claude Code's dialect.
type Dialect struct {
	Events []string // names of the events that ask about a call
	Past   []string // prefixes of the names of events that come after a call
	Table  func() (Table, error)
}

// Open begins to read a request, of which host, event and tool are set. It returns the call without the
// tool, and the table of tools. If the event asks about no call, it sets r.NoOpinion instead. An unknown
// event that names a tool is an error, because it may ask about a call.
func (o Dialect) Open(p Payload, r *Request, session string) (base gavel.Call, table Table, err error) {
	if !slices.Contains(o.Events, r.Event) {
		past := slices.ContainsFunc(o.Past, func(begins string) bool { return strings.HasPrefix(r.Event, begins) })
		if (p.Has("tool_name") || r.Tool != "") && !past {
			return base, nil, fmt.Errorf("the event %q is unknown, and asks about a tool", r.Event)
		}
		r.NoOpinion = true
		return base, nil, nil
	}
	if r.Tool == "" {
		return base, nil, errors.New("the payload names no tool")
	}
	if base, err = BaseOf(r.Host, r.Event, session, p.Text("cwd")); err != nil {
		return base, nil, err
	}
	if id := p.Text("tool_use_id"); len(id) <= gavel.MaxName {
		base.ID = id // for the decision log
	}
	table, err = o.Table()
	return base, table, err
}
