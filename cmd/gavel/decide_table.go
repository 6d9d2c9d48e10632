package main

import (
	"fmt"
	"strconv"
	"strings"

	"gavel"
)

// decisionColumn is as wide as the heading, which is longer than any decision.
const decisionColumn = 8

// widths are those of the columns of the table. They are fixed, so that a row can be shown as soon
// as its call is read.
type widths struct{ call, agent, tool, source int }

func (a *app) widths() widths {
	w := widths{call: 18, agent: 12, tool: 13}
	if a.columns() < 72 {
		w.call, w.agent = 10, 8
	}
	w.source = max(8, a.columns()-w.call-w.agent-w.tool-decisionColumn-8)
	return w
}

func (d *decider) header() {
	d.print("CALL", "AGENT", "TOOL", d.app.paint(bold, fit("DECISION", decisionColumn)), "SOURCE")
}

// row writes a decision: one line with the source of its first reason, and the reasons below it.
func (d *decider) row(number int, call gavel.Call, decision gavel.Decision) {
	name := call.ID
	if name == "" {
		name = "line " + strconv.Itoa(number)
	}
	source := ""
	if len(decision.Reasons) > 0 {
		source = place(decision.Reasons[0].Source)
	}
	effect := d.app.paint(effectColour(decision.Effect), fit(decision.Effect.String(), decisionColumn))
	d.print(name, call.Agent.ID, call.Tool.Name, effect, source)
	for _, reason := range decision.Reasons {
		text := reason.Code + ": " + reason.Message
		if other := place(reason.Source); other != source && other != "" {
			text += " (" + other + ")"
		}
		d.reason(clean(text))
	}
}

// reason writes one reason below its row: wrapped on a terminal, and on one line elsewhere, where
// it may be searched.
func (d *decider) reason(text string) {
	lines := []string{text}
	if d.app.terminal.stdout {
		lines = wrapped(text, d.app.columns()-len(indent))
	}
	for _, line := range lines {
		_, _ = fmt.Fprintf(d.out, "%s%s\n", indent, line)
	}
}

// print writes one row. The effect is already padded, because colour codes would be counted as
// width. The writer keeps its first error until it is flushed.
func (d *decider) print(name, agent, tool, effect, source string) {
	w := d.app.widths()
	row := fmt.Sprintf("%s  %s  %s  %s  %s", d.app.cut(clean(name), w.call), d.app.cut(clean(agent), w.agent),
		d.app.cut(clean(tool), w.tool), effect, d.app.cut(clean(source), w.source))
	_, _ = fmt.Fprintln(d.out, strings.TrimRight(row, " "))
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
