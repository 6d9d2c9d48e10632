package hosts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel"
)

// Opening is how the payloads begin of hosts that speak like Claude Code.
type Opening struct {
	Events []string // about a call that is to be decided
	Past   []string // how the names of events begin that come after a call
	Table  func() (Table, error)
}

// Open sorts a request, which has its host, event and tool, by its event. It returns the call
// without the tool, and the table of tools. If the event is not about a call that is to come,
// r.NoOpinion is set instead. An unknown event that names a tool is an error: it may ask.
func (o Opening) Open(p Payload, r *Request, session string) (base gavel.Call, table Table, err error) {
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
