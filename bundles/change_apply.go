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

// trial returns a snapshot of the same policy with edits to its configuration. It shares the
// compiled Rego and the overrides.
func (s *Snapshot) trial(ctx context.Context, edits []proposedEdit) (*Snapshot, error) {
	text, err := s.applyEdits(edits)
	if err != nil {
		return nil, err
	}
	compilation, err := s.compilation.get()
	if err != nil {
		return nil, err
	}
	document, problems := compilation.reader.Read(s.document.File, text)
	if document == nil {
		return nil, policyError(problems)
	}
	p := &policy{compiledRego: s.compiledRego, document: document, schemaProblems: problems, revision: s.revision, text: text}
	return p.snapshot(ctx, Config{Path: s.policyName, ResolveLink: s.resolveLink, Overrides: s.overrides})
}

func (s *Snapshot) applyEdits(edits []proposedEdit) ([]byte, error) {
	list := make([]config.Edit, len(edits))
	for i, edit := range edits {
		list[i] = config.Edit{Op: edit.Op, Path: edit.Path, Value: edit.Value}
	}
	return config.Apply(s.document.File, s.text, list)
}

// describeChange returns the change that edits make.
func (s *Snapshot) describeChange(edits []proposedEdit, decided gavel.Decision) gavel.Change {
	text, err := s.applyEdits(edits)
	if err != nil {
		return gavel.Change{None: err.Error()}
	}
	file := s.document.File
	patch := diff.Diff("a/"+file, s.text, "b/"+file, text)
	_, patch, _ = bytes.Cut(patch, []byte("\n")) // drop the line "diff a/… b/…"
	if permits(&decided) {
		decided.Effect = gavel.Allow // if the verifiers agree
	}
	return gavel.Change{Verify: decided.Verify, Patch: string(patch), File: file, Line: firstAddedLine(string(patch)), Admits: describeAdmits(edits),
		Decision: decided.Effect.String(), Text: text, Before: s.text}
}

// describeAdmits says in one line what edits permit, and for whom.
func describeAdmits(edits []proposedEdit) string {
	var parts []string
	for i, edit := range edits {
		parts = append(parts, edit.Admits)
		if edit.Others != "" && (i+1 == len(edits) || edits[i+1].Others != edit.Others) {
			parts[len(parts)-1] += ", for " + edit.Others
		}
	}
	return strings.Join(parts, "; also ")
}

// firstAddedLine returns the number, in the new file, of the first line that a patch adds.
func firstAddedLine(patch string) int {
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
