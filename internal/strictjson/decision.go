package strictjson

import (
	"maps"
	"slices"
	"strconv"

	"gavel"
)

// decisionEncoder writes a decision as [Write] does, without reflection, which takes a
// fifth of the time. Explanations, what an ask offers, obligations of web tools, how commands run, pins, and texts that JSON does not hold
// as they are, are left to the library. A test fills every member of the types and holds
// the two against one another: a member that is not written here fails it.
type decisionEncoder struct {
	buf []byte
	ok  bool
}

// appendDecisionFast appends a decision and a line feed. When it reports false, what it
// returns means nothing.
func appendDecisionFast(buf []byte, d *gavel.Decision) ([]byte, bool) {
	if d.Terms != nil || d.Approval != nil || d.Web != nil || d.Change != nil || len(d.Layers) > 0 || d.Facts != nil || d.Exec != nil && (d.Exec.Lifecycle != nil || d.Exec.Offer != nil || d.Exec.Pins != nil) {
		return buf, false
	}
	e := decisionEncoder{buf: buf, ok: true}
	e.raw(`{"id":`).string(d.ID)
	e.stringMember(`,"call":`, d.Call)
	e.raw(`,"decision":`).string(d.Effect.String())
	e.raw(`,"reasons":[`)
	for i := range d.Reasons {
		e.comma(i).reason(&d.Reasons[i])
	}
	e.raw(`]`)
	if d.Exec != nil {
		e.exec(d.Exec)
	}
	e.listMember(`,"verify":`, d.Verify)
	e.raw(`,"revision":`).string(d.Revision)
	e.listMember(`,"overrides":`, d.Overrides)
	e.raw("}\n")
	return e.buf, e.ok
}

func (e *decisionEncoder) raw(text string) *decisionEncoder {
	e.buf = append(e.buf, text...)
	return e
}

// comma writes the comma before every element but the first.
func (e *decisionEncoder) comma(i int) *decisionEncoder {
	if i > 0 {
		e.buf = append(e.buf, ',')
	}
	return e
}

// string writes a text of printable ASCII, which only quotes and backslashes are escaped in.
func (e *decisionEncoder) string(text string) {
	e.buf = append(e.buf, '"')
	for i := range len(text) {
		c := text[i]
		switch {
		case c < ' ' || c > '~':
			e.ok = false
			return
		case c == '"' || c == '\\':
			e.buf = append(e.buf, '\\')
		}
		e.buf = append(e.buf, c)
	}
	e.buf = append(e.buf, '"')
}

func (e *decisionEncoder) int(n int) { e.buf = strconv.AppendInt(e.buf, int64(n), 10) }

// stringMember writes a member that is left out when it is empty.
func (e *decisionEncoder) stringMember(name, text string) {
	if text != "" {
		e.raw(name).string(text)
	}
}

func (e *decisionEncoder) strings(list []string) {
	e.raw(`[`)
	for i, text := range list {
		e.comma(i).string(text)
	}
	e.raw(`]`)
}

// listMember is optional for a list.
func (e *decisionEncoder) listMember(name string, list []string) {
	if len(list) > 0 {
		e.raw(name).strings(list)
	}
}

func (e *decisionEncoder) reason(r *gavel.Reason) {
	e.raw(`{"layer":`).string(r.Layer)
	e.raw(`,"code":`).string(r.Code)
	e.raw(`,"message":`).string(r.Message)
	e.stringMember(`,"fix":`, r.Fix)
	if r.Source != (gavel.Source{}) {
		e.source(&r.Source)
	}
	if r.Span != nil {
		e.raw(`,"span":{"start":`).int(r.Span.Start)
		e.raw(`,"end":`).int(r.Span.End)
		e.raw(`}`)
	}
	e.raw(`}`)
}

func (e *decisionEncoder) source(s *gavel.Source) {
	e.raw(`,"source":{`)
	start := len(e.buf)
	comma := func() *decisionEncoder { return e.comma(len(e.buf) - start) }
	if s.Path != "" {
		comma().raw(`"path":`).string(s.Path)
	}
	if s.File != "" {
		comma().raw(`"file":`).string(s.File)
	}
	if s.Line != 0 {
		comma().raw(`"line":`).int(s.Line)
	}
	if s.From != "" {
		comma().raw(`"from":`).string(s.From)
	}
	e.raw(`}`)
}

func (e *decisionEncoder) exec(exec *gavel.Exec) {
	e.raw(`,"exec":{"host":`).string(exec.Host)
	e.stringMember(`,"node":`, exec.Node)
	if len(exec.Segments) > 0 {
		e.raw(`,"segments":[`)
		for i := range exec.Segments {
			e.comma(i).segment(&exec.Segments[i])
		}
		e.raw(`]`)
	}
	e.stringMember(`,"command":`, exec.Command)
	if len(exec.Env) > 0 {
		e.raw(`,"env":{`)
		for i, name := range slices.Sorted(maps.Keys(exec.Env)) {
			e.comma(i).string(name)
			e.raw(`:`).string(exec.Env[name])
		}
		e.raw(`}`)
	}
	e.listMember(`,"pathPrepend":`, exec.PathPrepend)
	if exec.Sandbox != nil {
		e.sandbox(exec.Sandbox)
	}
	if exec.Synchronous {
		e.raw(`,"synchronous":true`)
	}
	if exec.Writes != nil {
		e.raw(`,"writes":{"under":`).strings(exec.Writes.Under)
		e.raw(`,"inexact":`).strings(exec.Writes.Inexact)
		e.raw(`}`)
	}
	e.listMember(`,"ignored":`, exec.Ignored)
	e.raw(`}`)
}

func (e *decisionEncoder) sandbox(s *gavel.Sandbox) {
	e.raw(`,"sandbox":{`)
	start := len(e.buf)
	comma := func() *decisionEncoder { return e.comma(len(e.buf) - start) }
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
	e.raw(`}`)
}

func (e *decisionEncoder) segment(s *gavel.ExecSegment) {
	e.raw(`{"argv":`).strings(s.Argv)
	e.stringMember(`,"by":`, s.By)
	if len(s.Dynamic) > 0 {
		e.raw(`,"dynamic":[`)
		for i, at := range s.Dynamic {
			e.comma(i).int(at)
		}
		e.raw(`]`)
	}
	if len(s.Wrappers) > 0 {
		e.raw(`,"wrappers":[`)
		for i, words := range s.Wrappers {
			e.comma(i).strings(words)
		}
		e.raw(`]`)
	}
	e.raw(`}`)
}
