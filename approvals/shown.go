package approvals

import (
	"fmt"
	"slices"
	"strings"

	"gavel"
	"gavel/grant"
	"gavel/internal/display"
	"gavel/internal/secrets"
)

// Limits on how much of a question people are shown, in characters and parts.
const (
	maxShown     = 4000
	maxField     = 300
	maxSegments  = 32 // the rest are only counted
	maxParts     = 32 // hazards, wrappers, variables or reasons
	maxSegmented = 12_000
)

// Sanitise returns a request for display: every text is sanitised and cut, and Notes describe
// the changes. Nothing else does this, so that a list, a page, a webhook and a chat show the
// same. A request that is already sanitised is returned unchanged.
func Sanitise(r gavel.ApprovalRequest, offer []string) gavel.ApprovalRequest {
	if r.Sanitised {
		return r
	}
	return sanitise(r, offer, secrets.New())
}

func sanitise(r gavel.ApprovalRequest, offer []string, masker *secrets.Masker) gavel.ApprovalRequest {
	s := Sanitiser{masker: masker}
	shown := gavel.ApprovalRequest{Sanitised: true, Tool: r.Tool, Agent: r.Agent, Session: r.Session, Host: r.Host, Node: r.Node, Revision: r.Revision,
		Cwd: s.Path(r.Cwd), Command: s.Text(r.Command), Params: s.Text(r.Params), Reasons: []gavel.Reason{}}
	if r.Given != r.Command {
		shown.Given = s.Text(r.Given)
	}
	shown.Env = s.list("variables", r.Env, s.Field)
	shown.Variables = s.list("variables", r.Variables, s.Field)
	for _, reason := range r.Reasons[:min(len(r.Reasons), maxParts)] {
		shown.Reasons = append(shown.Reasons, gavel.Reason{Layer: reason.Layer, Code: s.Field(reason.Code), Message: s.Field(reason.Message)})
	}
	for i, file := range r.Files {
		if i == maxParts {
			s.note(fmt.Sprintf("has %d more files than are shown", len(r.Files)-i))
			break
		}
		file.Path = s.Path(file.Path)
		shown.Files = append(shown.Files, file)
	}
	room := maxSegmented
	for i, segment := range r.Segments {
		if i == maxSegments || room <= 0 {
			s.note(fmt.Sprintf("has %d more commands than are shown one by one", len(r.Segments)-i))
			break
		}
		v := s.segment(segment, offer)
		room -= len(v.Command) + len(v.Program)
		shown.Segments = append(shown.Segments, v)
	}
	shown.Notes = s.Notes
	return shown
}

// Sanitiser sanitises texts and collects notes about the changes.
type Sanitiser struct {
	Notes  []string
	masker *secrets.Masker // nil masks nothing
}

// Text sanitises a long text.
func (s *Sanitiser) Text(text string) string { return s.clean(text, maxShown, display.Clean) }

// Field sanitises a short text.
func (s *Sanitiser) Field(text string) string { return s.clean(text, maxField, display.Clean) }

// Path sanitises the name of a program or a file. It also marks letters that only phonetic
// alphabets use.
func (s *Sanitiser) Path(text string) string { return s.clean(text, maxField, display.CleanPath) }

func (s *Sanitiser) clean(text string, limit int, clean func(string, int) display.Text) string {
	if s.masker != nil {
		masked, found := s.masker.Text(text)
		if text = masked; len(found) > 0 {
			s.note(noteMasked)
		}
	}
	shown := clean(text, limit)
	for _, note := range shown.Notes {
		s.note(note)
	}
	return shown.Text
}

func (s *Sanitiser) note(note string) {
	if !slices.Contains(s.Notes, note) {
		s.Notes = append(s.Notes, note)
	}
}

// shownInFull reports whether people see everything that would run. If not, nobody can allow it
// permanently.
func shownInFull(b *grant.Bound) bool {
	return len(b.Argv) <= maxSegments && len(b.Env) <= maxParts && !display.Clean(b.Command, maxShown).Cut && !display.Clean(b.Params, maxShown).Cut
}

// list applies show to at most maxParts texts, and notes how many are left out.
func (s *Sanitiser) list(what string, list []string, show func(string) string) []string {
	var shown []string
	for i, text := range list {
		if i == maxParts {
			s.note(fmt.Sprintf("has %d more %s than are shown", len(list)-i, what))
			break
		}
		shown = append(shown, show(text))
	}
	return shown
}

func (s *Sanitiser) segment(segment gavel.ApprovalSegment, offer []string) gavel.ApprovalSegment {
	v := gavel.ApprovalSegment{Command: s.Text(Words(s.masked(segment.Argv)))}
	if len(segment.Argv) > 0 {
		v.Program = s.Path(segment.Argv[0])
		if slices.Contains(offer, segment.Argv[0]) {
			v.Admitted = v.Program
		}
	}
	var wrappers, marks []string
	for _, wrapper := range segment.Wrappers {
		wrappers = append(wrappers, Words(s.masked(wrapper)))
	}
	for _, index := range segment.Dynamic {
		if index < len(segment.Argv) {
			marks = append(marks, "produced at run time: "+segment.Argv[index])
		} else {
			marks = append(marks, "further words are produced at run time")
		}
	}
	for _, hazard := range segment.Hazards {
		marks = append(marks, strings.TrimSpace(hazard.Kind+": "+hazard.Option+" "+hazard.Argument))
	}
	var patterns []string
	for _, match := range segment.Fits {
		patterns = append(patterns, describeMatches(match))
	}
	v.Patterns = s.list("patterns", patterns, s.Path)
	v.Through = s.list("wrappers", wrappers, s.Field)
	v.Marks = s.list("hazards", marks, s.Field)
	return v
}

// describeMatches describes which files a glob matches.
func describeMatches(f gavel.Fitting) string {
	switch {
	case !f.Known:
		return quote(f.Pattern) + " fits files that Gavel cannot see"
	case f.Count == 0:
		return quote(f.Pattern) + " fits no file"
	}
	files := "files"
	if f.Count == 1 {
		files = "file"
	}
	text := fmt.Sprintf("%s fits %d %s: %s", quote(f.Pattern), f.Count, files, Words(f.Names))
	if f.Count > len(f.Names) {
		text += fmt.Sprintf(" and %d more", f.Count-len(f.Names))
	}
	return text
}

// noteMasked notes that masked text is shown; it is bound anyway.
const noteMasked = "contains masked values that look like secrets"

// masked returns words with their secrets masked.
func (s *Sanitiser) masked(words []string) []string {
	if s.masker == nil {
		return words
	}
	masked, found := s.masker.Words(words)
	if len(found) > 0 {
		s.note(noteMasked)
	}
	return masked
}

// variables returns names and values, with secrets masked. A nil masker masks nothing.
func variables(env [][2]string, masker *secrets.Masker) []string {
	var list []string
	for _, pair := range env {
		value := pair[1]
		if masker != nil && masker.Name(pair[0]) {
			value = secrets.Redacted
		}
		list = append(list, pair[0]+"="+value)
	}
	return list
}

// Words formats an argv as one line, quoting words where a shell would need it.
func Words(argv []string) string {
	quoted := make([]string, len(argv))
	for i, word := range argv {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

// quote quotes a word where a shell would need it.
func quote(word string) string {
	plain := func(r rune) bool {
		return r > 0x7f || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
