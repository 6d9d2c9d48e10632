package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel"
	"gavel/internal/secrets"
)

// indent is where the details of a line begin.
const indent = "    "

// tree writes one explanation.
func (a *app) tree(call gavel.Call, d gavel.Decision) {
	name := ""
	if call.ID != "" {
		name = "  (" + clean(call.ID) + ")"
	}
	a.printf("%s %s wants %s%s\n", a.paint(bold, "call"), clean(call.Agent.ID), clean(call.Tool.Name), name)
	if d.Facts != nil {
		a.facts(*d.Facts)
	}
	if len(d.Overrides) > 0 {
		a.printf("%s\n", a.paint(bold, "overrides"))
	}
	for _, override := range d.Overrides {
		a.printf("  %s\n", clean(override))
	}
	if len(d.Layers) > 0 {
		a.printf("%s\n", a.paint(bold, "layers"))
	}
	longest := 0
	for _, layer := range d.Layers {
		longest = max(longest, width(layer.Layer))
	}
	for _, layer := range d.Layers {
		a.layer(layer, longest+2)
	}
	a.printf("%s %s\n", a.paint(bold, "decision"), a.paint(effectColour(d.Effect), d.Effect.String()))
	for _, reason := range d.Reasons {
		a.reason(reason)
		if reason.Span != nil && d.Facts != nil && d.Facts.Exec != nil {
			a.underline(d.Facts.Exec.Command, *reason.Span)
		}
	}
	if d.Exec != nil {
		a.plan(d.Effect, *d.Exec)
	}
	if d.Change != nil {
		a.showChange(d.Change)
	}
}

// facts writes a summary of the facts.
func (a *app) facts(f gavel.Facts) {
	a.printf("%s\n", a.paint(bold, "facts"))
	where := "not in a sandbox"
	if f.Agent.Sandboxed {
		where = "in a sandbox"
	}
	a.printf("  agent    %s, depth %d, %s\n", clean(f.Agent.ID), f.Agent.Depth, where)
	if len(f.Agent.Parents) > 0 {
		ids := make([]string, len(f.Agent.Parents))
		for i, parent := range f.Agent.Parents {
			ids[i] = parent.ID
		}
		a.printf("  parents  %s\n", clean(strings.Join(ids, ", ")))
	}
	if f.Model.Provider != "" || f.Model.ID != "" {
		a.printf("  model    %s\n", clean(strings.Trim(f.Model.Provider+"/"+f.Model.ID, "/")))
	}
	a.printf("  sender   %s\n", clean(senderOf(f)))
	tool := f.Tool.Name
	if f.Tool.Given != f.Tool.Name {
		tool += ", written " + f.Tool.Given
	}
	a.printf("  tool     %s\n", clean(tool))
	if f.Exec != nil {
		a.execFacts(*f.Exec, f.Environment)
	}
}

func senderOf(f gavel.Facts) string {
	who := strings.Trim(f.Sender.Channel+":"+f.Sender.ID, ":")
	if who == "" {
		who = "not stated"
	}
	if f.Sender.Owner {
		return who + ", the owner"
	}
	return who + ", not known to be the owner"
}

// execFacts writes the analyzed command, or where the analysis failed.
func (a *app) execFacts(e gavel.ExecFacts, env gavel.EnvironmentFacts) {
	looked := "on this machine"
	if env.Claimed {
		looked = "as the call claims"
	}
	a.printf("  command  for %s, programs %s\n", clean(e.Shell), looked)
	if e.Refusal != nil {
		a.printf("%snot understood: %s\n", indent, clean(e.Refusal.Construct))
		return
	}
	masker := secrets.New()
	for i, segment := range e.Segments {
		words, _ := masker.Words(segment.Argv)
		program := segment.Executable.Real
		if !segment.Executable.Found {
			program = "not found"
		}
		a.printf("%s%d. %s  →  %s\n", indent, i+1, clean(strings.Join(words, " ")), clean(program))
	}
}

// underline shows the line of the command in which a span begins, and underlines the span.
func (a *app) underline(command string, span gavel.Span) {
	start := min(max(span.Start, 0), len(command))
	end := min(max(span.End, start), len(command))
	from := strings.LastIndexByte(command[:start], '\n') + 1
	to := len(command)
	if i := strings.IndexByte(command[start:], '\n'); i >= 0 {
		to = start + i
	}
	end = min(end, to)
	if masked, found := secrets.New().Text(command[from:to]); len(found) > 0 { // the span belongs to the text that contains the secret
		a.printf("%s%s\n", indent, clean(masked))
		return
	}
	before, marked := clean(command[from:start]), clean(command[start:end])
	a.printf("%s%s%s%s\n", indent, before, marked, clean(command[end:to]))
	marks := strings.Repeat("^", max(1, width(marked)))
	a.printf("%s%s%s\n", indent, strings.Repeat(" ", width(before)), a.paint(red, marks))
}

// layer writes the verdict of one layer: what it permits, denies or asks, or that it does not
// apply to this call. Its name fills that many columns.
func (a *app) layer(l gavel.Layer, columns int) {
	mark, verdict := a.paint(red, "✗"), "neither permits nor objects"
	switch l.Verdict {
	case "permit":
		mark, verdict = a.paint(green, "✓"), "permits"
	case "deny":
		verdict = "denies"
	case "ask":
		mark, verdict = a.paint(yellow, "?"), "asks"
	case "not required":
		mark, verdict = a.paint(dim, "–"), "does not apply to this call"
		if l.Layer == "custom" {
			verdict = "does not object"
		}
	}
	required := ""
	if l.Required {
		required = a.paint(dim, " (required)")
	}
	a.printf("  %s %s%s: %s%s\n", mark, a.cut(clean(l.Layer), columns), clean(l.Title), verdict, required)
	for _, r := range l.Reasons {
		a.printf("%s%s: %s\n", indent+"  ", clean(r.Code), clean(r.Message))
	}
}

// reason writes one reason with the configuration line that decided.
func (a *app) reason(r gavel.Reason) {
	a.printf("  %s: %s\n", clean(r.Code), clean(r.Message))
	if r.Fix != "" {
		a.printf("%sfix     %s\n", indent, clean(r.Fix))
	}
	if r.Source.Path == "" {
		return
	}
	if r.Source.File == "" {
		a.printf("%ssource  %s%s\n", indent, clean(r.Source.Path), clean(fromWhom(r.Source)))
		return
	}
	shown := r.Source
	shown.File = fileOf(a.policy, shown.File)
	a.printf("%ssource  %s  (%s)\n", indent, clean(place(shown)), clean(r.Source.Path))
	if line, ok := quote(settings(a.policy, r.Source.File), r.Source.Line); ok {
		a.printf("%s  %4d | %s\n", indent, r.Source.Line, clean(line))
	}
}

func fromWhom(s gavel.Source) string {
	if s.From == "default" {
		return " (a default; no file sets it)"
	}
	return ""
}

// quote returns one line of a text; the first is 1.
func quote(text []byte, line int) (string, bool) {
	list := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(list) {
		return "", false
	}
	return strings.ReplaceAll(string(bytes.TrimRight(list[line-1], "\r")), "\t", "  "), true
}

// plan writes exactly what may be executed, and when.
func (a *app) plan(effect gavel.Effect, e gavel.Exec) {
	when := "runs on"
	if effect == gavel.Ask {
		when = "when approved, runs on"
	}
	host := e.Host
	if e.Node != "" {
		host += " " + e.Node
	}
	a.printf("%s %s\n", a.paint(bold, when), clean(host))
	command, _ := secrets.New().Text(e.Command)
	a.printf("%s%s\n", indent, clean(command))
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		a.printf("%swith %s set by the call\n", indent, clean(name))
	}
}

// count formats a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
