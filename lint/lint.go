// Package lint looks for mistakes in a policy that can still be loaded: rules and entries
// without effect, programs that are not what they seem, people who cannot be asked.
package lint

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/programs"
	"gavel/bundles"
	"gavel/bundles/config"
	"gavel/rego"
)

// Linter looks for mistakes in policies that can be loaded. It is safe for concurrent use if its
// functions are.
type Linter struct {
	// Tables returns the tables of programs. It is called only for a policy that names programs.
	Tables func() (analyzer.Tables, error)
	// Observer returns the analyzer that reads the examples of rules. It is called only for a policy with
	// rules.
	Observer func() (*analyzer.Analyzer, error)
	Files    Files
}

// Warnings returns warnings about settings of a policy that have no effect, or permit more than they
// seem to. pdp must decide by this policy. An error means that not everything could be examined.
func (l *Linter) Warnings(ctx context.Context, snapshot *bundles.Snapshot, pdp *gavel.PDP) ([]gavel.Problem, error) {
	document := snapshot.Document()
	tables, err := l.Tables()
	if err != nil {
		return nil, err
	}
	here, err := unusableNames(ctx, snapshot, pdp)
	if err != nil {
		return nil, err
	}
	kinds, err := programs.Meanings(rego.Policy)
	if err != nil {
		return nil, err
	}
	packs, err := deadPacks(document)
	if err != nil {
		return nil, err
	}
	return slices.Concat(l.Files.writable(document), l.broad(document, tables), l.ruleWarnings(document, tables, kinds), here,
		shadowed(document), l.Files.patterns(document), packs, tooFew(document), unlimited(ctx, document, pdp)), nil
}

func sorted(section map[string]any) []string { return slices.Sorted(maps.Keys(section)) }

// findings collects findings about a configuration, with the line of each setting.
type findings struct {
	document *config.Document
	list     []gavel.Problem
}

// add adds a finding about the setting at a path. The returned finding may be completed until
// the next call of add.
func (f *findings) add(path, fix, format string, args ...any) *gavel.Problem {
	p := gavel.Problem{Path: path, File: f.document.File, Message: fmt.Sprintf(format, args...), Fix: fix}
	p.Line, p.Column, _ = f.document.Locate(path)
	f.list = append(f.list, p)
	return &f.list[len(f.list)-1]
}
