package bundles

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"gavel"
	"gavel/bundles/config"
)

// trial returns a snapshot of the same policy with an edited configuration and the same
// overrides. It shares the compiled program.
func (s *Snapshot) trial(ctx context.Context, edits []candidate) (*Snapshot, error) {
	text, err := s.edited(edits)
	if err != nil {
		return nil, err
	}
	made, err := s.parts.get()
	if err != nil {
		return nil, err
	}
	document, wrong := made.reader.Read(s.document.File, text)
	if document == nil {
		return nil, problems(wrong)
	}
	p := &policy{program: s.program, document: document, wrong: wrong, revision: s.revision, text: text}
	return p.snapshot(ctx, Config{Path: s.source, Leads: s.leads, Overrides: s.overrides})
}

func (s *Snapshot) edited(edits []candidate) ([]byte, error) {
	list := make([]config.Edit, len(edits))
	for i, edit := range edits {
		list[i] = config.Edit{Op: edit.Op, Path: edit.Path, Value: edit.Value}
	}
	return config.Apply(s.document.File, s.text, list)
}

// shown returns the change that the edits make.
func (s *Snapshot) shown(edits []candidate, decided gavel.Decision) gavel.Change {
	text, err := s.edited(edits)
	if err != nil {
		return gavel.Change{None: err.Error()}
	}
	file := s.document.File
	patch := diff.Diff("a/"+file, s.text, "b/"+file, text)
	_, patch, _ = cutLine(patch) // the line that names the command
	if permits(&decided) {
		decided.Effect = gavel.Allow // if the verifiers agree
	}
	return gavel.Change{Verify: decided.Verify, Patch: string(patch), File: file, Line: firstAdded(string(patch)), Admits: admits(edits),
		Decision: decided.Effect.String(), Text: text, Was: s.text}
}

// admits says in one line what the edits permit, and for whom.
func admits(edits []candidate) string {
	var parts []string
	for i, edit := range edits {
		parts = append(parts, edit.Admits)
		if edit.Whom != "" && (i+1 == len(edits) || edits[i+1].Whom != edit.Whom) {
			parts[len(parts)-1] += ", for " + edit.Whom
		}
	}
	return strings.Join(parts, "; also ")
}

func cutLine(text []byte) (line, rest []byte, found bool) { return bytes.Cut(text, []byte("\n")) }

// firstAdded returns the number, in the new file, of the first line that a patch adds.
func firstAdded(patch string) int {
	number := 0
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "@@"):
			if _, err := fmt.Sscanf(line[strings.Index(line, "+"):], "+%d", &number); err != nil {
				return 0
			}
			number--
		case strings.HasPrefix(line, "+++"):
		case strings.HasPrefix(line, "+"):
			return number + 1
		case strings.HasPrefix(line, " "):
			number++
		}
	}
	return 0
}
