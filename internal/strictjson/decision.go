package strictjson

import (
	"maps"
	"slices"
	"strconv"

	"gavel"
)

// decisionWriter writes a decision as [Write] does, without reflection, which takes a
// fifth of the time. Explanations, what an ask offers, obligations of web tools, how commands run, pins, and texts that JSON does not hold
// as they are, are left to the library. A test fills every member of the types and holds
// the two against one another: a member that is not written here fails it.
type decisionWriter struct {
	text  []byte
	plain bool
}

// appendDecision appends a decision and a line feed. When it reports false, what it
// returns means nothing.
func appendDecision(text []byte, d *gavel.Decision) ([]byte, bool) {
	if d.Terms != nil || d.Approval != nil || d.Web != nil || d.Change != nil || len(d.Layers) > 0 || d.Facts != nil || d.Exec != nil && (d.Exec.Lifecycle != nil || d.Exec.Offer != nil || d.Exec.Pins != nil) {
		return text, false
	}
	w := decisionWriter{text: text, plain: true}
	w.raw(`{"id":`).string(d.ID)
	w.optional(`,"call":`, d.Call)
	w.raw(`,"decision":`).string(d.Effect.String())
	w.raw(`,"reasons":[`)
	for i := range d.Reasons {
		w.next(i).reason(&d.Reasons[i])
	}
	w.raw(`]`)
	if d.Exec != nil {
		w.exec(d.Exec)
	}
	w.list(`,"verify":`, d.Verify)
	w.raw(`,"revision":`).string(d.Revision)
	w.list(`,"overrides":`, d.Overrides)
	w.raw("}\n")
	return w.text, w.plain
}

func (w *decisionWriter) raw(text string) *decisionWriter {
	w.text = append(w.text, text...)
	return w
}

// next writes the comma before every element but the first.
func (w *decisionWriter) next(i int) *decisionWriter {
	if i > 0 {
		w.text = append(w.text, ',')
	}
	return w
}

// string writes a text of printable ASCII, which only quotes and backslashes are escaped in.
func (w *decisionWriter) string(text string) {
	w.text = append(w.text, '"')
	for i := range len(text) {
		c := text[i]
		switch {
		case c < ' ' || c > '~':
			w.plain = false
			return
		case c == '"' || c == '\\':
			w.text = append(w.text, '\\')
		}
		w.text = append(w.text, c)
	}
	w.text = append(w.text, '"')
}

func (w *decisionWriter) number(n int) { w.text = strconv.AppendInt(w.text, int64(n), 10) }

// optional writes a member that is left out when it is empty.
func (w *decisionWriter) optional(name, text string) {
	if text != "" {
		w.raw(name).string(text)
	}
}

func (w *decisionWriter) strings(list []string) {
	w.raw(`[`)
	for i, text := range list {
		w.next(i).string(text)
	}
	w.raw(`]`)
}

// list is optional for a list.
func (w *decisionWriter) list(name string, list []string) {
	if len(list) > 0 {
		w.raw(name).strings(list)
	}
}

func (w *decisionWriter) reason(r *gavel.Reason) {
	w.raw(`{"layer":`).string(r.Layer)
	w.raw(`,"code":`).string(r.Code)
	w.raw(`,"message":`).string(r.Message)
	w.optional(`,"fix":`, r.Fix)
	if r.Source != (gavel.Source{}) {
		w.source(&r.Source)
	}
	if r.Span != nil {
		w.raw(`,"span":{"start":`).number(r.Span.Start)
		w.raw(`,"end":`).number(r.Span.End)
		w.raw(`}`)
	}
	w.raw(`}`)
}

func (w *decisionWriter) source(s *gavel.Source) {
	w.raw(`,"source":{`)
	begin := len(w.text)
	comma := func() *decisionWriter { return w.next(len(w.text) - begin) }
	if s.Path != "" {
		comma().raw(`"path":`).string(s.Path)
	}
	if s.File != "" {
		comma().raw(`"file":`).string(s.File)
	}
	if s.Line != 0 {
		comma().raw(`"line":`).number(s.Line)
	}
	if s.From != "" {
		comma().raw(`"from":`).string(s.From)
	}
	w.raw(`}`)
}

func (w *decisionWriter) exec(e *gavel.Exec) {
	w.raw(`,"exec":{"host":`).string(e.Host)
	w.optional(`,"node":`, e.Node)
	if len(e.Segments) > 0 {
		w.raw(`,"segments":[`)
		for i := range e.Segments {
			w.next(i).segment(&e.Segments[i])
		}
		w.raw(`]`)
	}
	w.optional(`,"command":`, e.Command)
	if len(e.Env) > 0 {
		w.raw(`,"env":{`)
		for i, name := range slices.Sorted(maps.Keys(e.Env)) {
			w.next(i).string(name)
			w.raw(`:`).string(e.Env[name])
		}
		w.raw(`}`)
	}
	w.list(`,"pathPrepend":`, e.PathPrepend)
	if e.Sandbox != nil {
		w.sandbox(e.Sandbox)
	}
	if e.Synchronous {
		w.raw(`,"synchronous":true`)
	}
	if e.Writes != nil {
		w.raw(`,"writes":{"under":`).strings(e.Writes.Under)
		w.raw(`,"inexact":`).strings(e.Writes.Inexact)
		w.raw(`}`)
	}
	w.list(`,"ignored":`, e.Ignored)
	w.raw(`}`)
}

func (w *decisionWriter) sandbox(s *gavel.Sandbox) {
	w.raw(`,"sandbox":{`)
	begin := len(w.text)
	comma := func() *decisionWriter { return w.next(len(w.text) - begin) }
	if s.Backend != "" {
		comma().raw(`"backend":`).string(s.Backend)
	}
	if s.Scope != "" {
		comma().raw(`"scope":`).string(s.Scope)
	}
	if s.WorkspaceAccess != "" {
		comma().raw(`"workspaceAccess":`).string(s.WorkspaceAccess)
	}
	if s.Root != "" {
		comma().raw(`"root":`).string(s.Root)
	}
	w.raw(`}`)
}

func (w *decisionWriter) segment(s *gavel.ExecSegment) {
	w.raw(`{"argv":`).strings(s.Argv)
	w.optional(`,"by":`, s.By)
	if len(s.Dynamic) > 0 {
		w.raw(`,"dynamic":[`)
		for i, at := range s.Dynamic {
			w.next(i).number(at)
		}
		w.raw(`]`)
	}
	if len(s.Wrappers) > 0 {
		w.raw(`,"wrappers":[`)
		for i, words := range s.Wrappers {
			w.next(i).strings(words)
		}
		w.raw(`]`)
	}
	w.raw(`}`)
}
