package main

import (
	"fmt"
	"strconv"
	"strings"

	"gavel"
)

// The columns of the table. Their widths are fixed, so that a row can be shown as soon as its
// call is read.
const (
	callColumn     = 18
	agentColumn    = 12
	toolColumn     = 13
	decisionColumn = 8
	sourceColumn   = 24
	leastReason    = 24
)

func (d *decider) header() {
	d.print("CALL", "AGENT", "TOOL", d.app.paint(bold, fit("DECISION", decisionColumn)), "SOURCE", "REASON")
}

func (d *decider) row(number int, call gavel.Call, decision gavel.Decision) {
	name := call.ID
	if name == "" {
		name = "line " + strconv.Itoa(number)
	}
	var reason gavel.Reason
	if len(decision.Reasons) > 0 {
		reason = decision.Reasons[0]
	}
	effect := d.app.paint(effectColour(decision.Effect), fit(decision.Effect.String(), decisionColumn))
	d.print(name, call.Agent.ID, call.Tool.Name, effect, place(reason.Source), reason.Code+": "+reason.Message)
}

// print writes one row. The effect is already padded, because colour codes would be counted as
// width. The reason stands last, because it may be long. The writer keeps its first error until
// it is flushed.
func (d *decider) print(name, agent, tool, effect, source, reason string) {
	reasonColumn := max(leastReason, d.app.columns()-callColumn-agentColumn-toolColumn-decisionColumn-sourceColumn-10)
	_, _ = fmt.Fprintf(d.out, "%s  %s  %s  %s  %s  %s\n", d.app.cut(clean(name), callColumn), d.app.cut(clean(agent), agentColumn),
		d.app.cut(clean(tool), toolColumn), effect, d.app.cut(clean(source), sourceColumn), strings.TrimRight(d.app.cut(clean(reason), reasonColumn), " "))
}

// change writes, below a row, the lines that would permit the call, or why there are none.
func (d *decider) change(change *gavel.Change) {
	switch {
	case change == nil:
	case change.None != "":
		_, _ = fmt.Fprintf(d.out, "%sno change: %s\n", indent, clean(change.None))
	default:
		for line := range strings.Lines(change.Patch) {
			if added := strings.HasPrefix(line, "+"); (added || strings.HasPrefix(line, "-")) && !strings.HasPrefix(line, "+++") && !strings.HasPrefix(line, "---") {
				_, _ = fmt.Fprintf(d.out, "%s%s\n", indent, clean(strings.TrimRight(line, "\r\n")))
			}
		}
		_, _ = fmt.Fprintf(d.out, "%sin %s:%d; it admits %s\n", indent, clean(change.File), change.Line, clean(change.Admits))
	}
}
