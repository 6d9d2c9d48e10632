package bundles

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/bundles/config"
	"gavel/internal/nearest"
)

// finding is an element of data.gavel.check.problems, unknown_tools, warnings or newer_tools.
type finding struct {
	Path       string   `json:"path"`
	Message    string   `json:"message"`
	Value      string   `json:"value"`
	Candidates []string `json:"candidates"`
	Fix        string   `json:"fix"`
}

// checkConfiguration evaluates the rules about the configuration. Their problems, and those that
// the schema found, are an error. Everything else becomes notes.
func (s *Snapshot) checkConfiguration(ctx context.Context, problems []gavel.Problem) error {
	bySchema := len(problems) > 0
	found, err := s.findings(ctx, queryProblems)
	if err != nil && bySchema { // the rules may fail if a value does not have the type that the schema demands
		sortProblems(problems)
		return policyError(problems)
	}
	if err != nil {
		return err
	}
	for _, finding := range found {
		if finding.Path != "" || !bySchema { // without a path it says, for stock OPA, that the schema found problems
			problems = append(problems, s.problemAt(finding, finding.Message))
		}
	}
	unknown, err := s.findings(ctx, queryUnknownTools)
	if err != nil {
		return err
	}
	for _, finding := range unknown {
		if nearest.Mistakable(finding.Value, finding.Candidates) != "" {
			finding.Fix = "correct the name; to name a plugin's tool, end the name with *"
			problems = append(problems, s.problemAt(finding, fmt.Sprintf("unknown tool %q", finding.Value)))
			continue
		}
		finding.Fix = "nothing, if a plugin provides it; a list with only such entries is dropped when the plugins are loaded (R6)"
		s.notes.Warnings = append(s.notes.Warnings, s.problemAt(finding, fmt.Sprintf("%q is not a core tool: it matches only plugin tools", finding.Value)))
	}
	warnings, err := s.findings(ctx, queryWarnings)
	if err != nil {
		return err
	}
	for _, finding := range warnings {
		s.notes.Warnings = append(s.notes.Warnings, s.problemAt(finding, finding.Message))
	}
	newer, err := s.findings(ctx, queryNewerTools)
	if err != nil {
		return err
	}
	s.notes.Edition, _ = config.LookUp(s.document.Data, "tools", "catalog").(string)
	s.notes.Newer = slices.Clone(s.document.Newer)
	for _, finding := range newer {
		s.notes.Newer = append(s.notes.Newer, finding.Path)
	}
	slices.Sort(s.notes.Newer)
	s.notes.Warnings = append(s.notes.Warnings, s.warnings...)
	s.notes.Ignored = s.document.Ignored
	sortProblems(problems)
	sortProblems(s.notes.Warnings)
	return policyError(problems)
}

// findings evaluates a query for findings. A policy that replaces the gavel root need not have it.
func (s *Snapshot) findings(ctx context.Context, query string) ([]finding, error) {
	if !slices.Contains(s.defined, query) {
		return nil, nil
	}
	term, err := s.eval(ctx, query, ast.NewObject())
	if err != nil {
		return nil, fmt.Errorf("check the configuration: %w", err)
	}
	if term == nil {
		return nil, fmt.Errorf("evaluate %s: undefined", query)
	}
	value, err := ast.JSON(term.Value)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", query, err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", query, err)
	}
	var found []finding
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("read %s: %w", query, err)
	}
	return found, nil
}

// problemAt returns a finding as a problem, with its location in the configuration.
func (s *Snapshot) problemAt(f finding, message string) gavel.Problem {
	p := gavel.Problem{Path: f.Path, File: s.document.File, Message: message, Fix: f.Fix}
	p.Line, p.Column, _ = s.document.Locate(f.Path)
	p.Nearest = nearest.Name(f.Value, f.Candidates)
	return p
}

// sortProblems sorts problems by file and line.
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
