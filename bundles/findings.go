package bundles

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/nearest"
)

// finding is one element of data.gavel.check.problems, unknown_tools or warnings.
type finding struct {
	Path       string   `json:"path"`
	Message    string   `json:"message"`
	Value      string   `json:"value"`
	Candidates []string `json:"candidates"`
	Fix        string   `json:"fix"`
}

// check evaluates the rules about the configuration, and adds their findings to the schema's
// objections.
func (s *Snapshot) check(ctx context.Context, wrong []gavel.Problem) error {
	bySchema := len(wrong) > 0
	found, err := s.findings(ctx, queryProblems)
	if err != nil && bySchema { // the rules count on the shape that the schema demands
		sortProblems(wrong)
		return problems(wrong)
	}
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Path != "" || !bySchema { // stock OPA's report of the schema's objections
			wrong = append(wrong, s.problemAt(f, f.Message))
		}
	}
	unknown, err := s.findings(ctx, queryUnknown)
	if err != nil {
		return err
	}
	for _, f := range unknown {
		if nearest.Mistakable(f.Value, f.Candidates) != "" {
			f.Fix = "correct the name; to name a plugin's tool, end the name with *"
			wrong = append(wrong, s.problemAt(f, fmt.Sprintf("unknown tool %q", f.Value)))
			continue
		}
		f.Fix = "nothing, if a plugin provides it; a list with only such entries is dropped when the plugins are loaded (R6)"
		s.notes.Warnings = append(s.notes.Warnings, s.problemAt(f, fmt.Sprintf("%q is not a core tool: it matches only plugin tools", f.Value)))
	}
	warnings, err := s.findings(ctx, queryWarnings)
	if err != nil {
		return err
	}
	for _, f := range warnings {
		s.notes.Warnings = append(s.notes.Warnings, s.problemAt(f, f.Message))
	}
	newer, err := s.findings(ctx, queryNewer)
	if err != nil {
		return err
	}
	s.notes.Edition, _ = at(s.document.Data, "tools", "catalog").(string)
	s.notes.Newer = slices.Clone(s.document.Newer)
	for _, f := range newer {
		s.notes.Newer = append(s.notes.Newer, f.Path)
	}
	slices.Sort(s.notes.Newer)
	s.notes.Warnings = append(s.notes.Warnings, s.unread...)
	s.notes.PassedOver = s.document.PassedOver
	sortProblems(wrong)
	sortProblems(s.notes.Warnings)
	return problems(wrong)
}

func (s *Snapshot) findings(ctx context.Context, query string) ([]finding, error) {
	if !slices.Contains(s.defined, query) {
		return nil, nil // optional for a policy's own root
	}
	term, err := s.eval(ctx, query, ast.NewObject())
	if err != nil {
		return nil, internal("check the configuration", err)
	}
	if term == nil {
		return nil, fmt.Errorf("evaluate %s: undefined", query)
	}
	value, err := ast.JSON(term.Value)
	if err != nil {
		return nil, internal("read "+query, err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, internal("read "+query, err)
	}
	var found []finding
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, internal("read "+query, err)
	}
	return found, nil
}

// problemAt adds the location in the configuration to a finding.
func (s *Snapshot) problemAt(f finding, message string) gavel.Problem {
	p := gavel.Problem{Path: f.Path, File: s.document.File, Message: message, Fix: f.Fix}
	p.Line, p.Column, _ = s.document.Locate(f.Path)
	p.Nearest = nearest.Name(f.Value, f.Candidates)
	return p
}

func sortProblems(list []gavel.Problem) {
	slices.SortStableFunc(list, func(a, b gavel.Problem) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Path+a.Message, b.Path+b.Message)
	})
}
