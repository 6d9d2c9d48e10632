package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
	"gavel/bundles"
	"gavel/rego"
)

// source is the policy at path, or the shipped default, as bundles reads it.
func (a *app) source(path string, logger *slog.Logger) bundles.Config {
	return bundles.Config{Path: path, Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: a.now, Logger: logger, Programs: a.programs,
		Leads: a.linked, Verify: a.holdsRules}
}

// fixedPolicy hands out one snapshot for as long as a command runs.
type fixedPolicy struct{ snapshot *bundles.Snapshot }

// Current implements gavel.Policy.
func (p fixedPolicy) Current() gavel.Snapshot { return p.snapshot }

// observe returns the analyzer of this machine, and waits until it is ready.
type observe = func() (*analyzer.Analyzer, error)

// load makes the decision point of one command: the policy as it is now, no log.
func (a *app) load(ctx context.Context, path string) (*gavel.PDP, error) {
	return a.pdp(func(observe) (gavel.Policy, error) {
		snapshot, err := bundles.Load(ctx, a.source(path, nil))
		return fixedPolicy{snapshot}, located(path, err)
	})
}

// pdp makes a decision point of this machine and the policy that open returns, which is
// opened while the analyzer reads its tables. A call that claims an environment is judged
// by its claims.
func (a *app) pdp(open func(observe) (gavel.Policy, error)) (*gavel.PDP, error) {
	analyzer := sync.OnceValues(a.analyzer)
	var reading errgroup.Group
	reading.Go(func() error {
		_, err := analyzer()
		return err
	})
	policy, err := open(analyzer)
	if err := cmp.Or(err, reading.Wait()); err != nil {
		return nil, err
	}
	observer, err := analyzer()
	if err != nil {
		return nil, err
	}
	return &gavel.PDP{Analyzer: observer, Policy: policy, NewID: uuid.NewString, Now: a.now}, nil
}

func (a *app) analyzer() (*analyzer.Analyzer, error) {
	cwd, err := a.getwd()
	if err != nil {
		cwd = "" // unknown: relative paths then name nothing
	}
	home := a.getenv("HOME")
	if !filepath.IsAbs(home) {
		home = ""
	}
	tables, err := a.tables()
	if err != nil {
		return nil, err
	}
	observer, err := analyzer.New(analyzer.Config{Host: host.Local(), Home: home, Cwd: cwd,
		Path: filepath.SplitList(a.getenv("PATH")), Platform: runtime.GOOS, Tables: tables, Self: a.own})
	if err != nil {
		return nil, fmt.Errorf("look at this machine: %w", err)
	}
	return observer, nil
}

// readTables reads the analyzer's tables of the shipped policy.
func readTables() (analyzer.Tables, error) {
	tables, err := analyzer.ReadTables(rego.Policy)
	if err != nil {
		return tables, fmt.Errorf("read the shipped policy: %w", err)
	}
	return tables, nil
}

// located gives the files of an error about a policy names that lead to them from
// here. Without that they are relative to the policy.
func located(policy string, err error) error {
	var invalid *gavel.PolicyError
	if !errors.As(err, &invalid) {
		return err
	}
	return &gavel.PolicyError{Problems: atHome(policy, invalid.Problems)}
}

// atHome does the same for a list of problems.
func atHome(policy string, problems []gavel.Problem) []gavel.Problem {
	list := make([]gavel.Problem, len(problems))
	for i, p := range problems {
		p.File = fileOf(policy, p.File)
		list[i] = p
	}
	return list
}

// fileOf is the name of a policy's file as it can be opened from here. What stands
// in a bundle, or is not a file of the policy, keeps its name.
func fileOf(policy, file string) string {
	if name, ok := openable(policy, file); ok {
		return name
	}
	return file
}

// openable is the same, and false for what cannot be opened.
func openable(policy, file string) (string, bool) {
	info, err := os.Stat(policy)
	switch {
	case err != nil || file == policy && info.IsDir() || !filepath.IsLocal(file):
		return "", false
	case info.IsDir():
		return filepath.Join(policy, file), true
	case filepath.Base(policy) == file:
		return policy, true
	default:
		return "", false
	}
}

// settings reads the text of a file that a decision names as its source. The
// name is relative to the policy. It is nil when the file cannot be read.
func settings(policy, file string) []byte {
	if policy == "" {
		return rego.DefaultConfig
	}
	name, ok := openable(policy, file)
	if !ok {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return text
}
