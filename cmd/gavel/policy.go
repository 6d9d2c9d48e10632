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
	"gavel/lint"
	"gavel/rego"
)

// source returns the policy at path as bundles reads it, or the shipped default.
func (a *app) source(path string, logger *slog.Logger) bundles.Config {
	linter := a.linter()
	return bundles.Config{Path: path, Key: a.key, Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: a.now, Logger: logger, CompileCache: a.programs,
		Evaluator: a.evaluator, ResolveLink: linter.Files.LinkTarget, Verify: linter.CheckRules, Overrides: a.overrides}
}

// unsigned switches the check of signatures off until done is called. The policy of a decision case
// has no signature.
func (a *app) unsigned() (done func()) {
	key := a.key
	a.key = nil
	return func() { a.key = key }
}

// sharePrograms makes several loads of a policy parse and compile it once.
func (a *app) sharePrograms() (err error) {
	if a.programs == nil {
		a.programs, err = bundles.NewCompileCache()
	}
	return err
}

// linter looks for mistakes in a policy, with the files and programs of this machine.
func (a *app) linter() *lint.Linter {
	return &lint.Linter{Tables: a.tables, Observer: a.analyzer, Files: lint.Files{Home: a.getenv("HOME")}}
}

// fixedPolicy returns the same snapshot for as long as a command runs.
type fixedPolicy struct{ snapshot *bundles.Snapshot }

// Current implements gavel.Policy.
func (p fixedPolicy) Current() gavel.Snapshot { return p.snapshot }

// observe returns the analyzer of this machine. It waits until the analyzer is ready.
type observe = func() (*analyzer.Analyzer, error)

// load returns the decision point of one command, with the policy as it is now and without a
// log.
func (a *app) load(ctx context.Context, path string) (*gavel.PDP, error) {
	return a.pdp(func(observe) (gavel.Policy, error) {
		snapshot, err := bundles.Load(ctx, a.source(path, nil))
		return fixedPolicy{snapshot}, located(path, err)
	})
}

// pdp returns a decision point with this machine's analyzer and the policy that open returns.
// open runs while the analyzer reads its tables. A call that claims an environment is judged by
// its claims.
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
		cwd = "" // unknown, so relative paths name nothing
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

// readTables reads the analyzer's tables from the shipped policy.
func readTables() (analyzer.Tables, error) {
	tables, err := analyzer.ReadTables(rego.Policy)
	if err != nil {
		return tables, fmt.Errorf("read the shipped policy: %w", err)
	}
	return tables, nil
}

// located rewrites the file names in an error about a policy so that they can be opened from
// the working directory. Before that they are relative to the policy.
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

// fileOf returns the name by which a policy file can be opened from here. A file inside a
// bundle, or outside the policy, keeps its name.
func fileOf(policy, file string) string {
	if name, ok := openable(policy, file); ok {
		return name
	}
	return file
}

// openable does the same, and returns false for a file that cannot be opened.
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

// settings reads the file that a decision names as its source; the name is relative to the
// policy. It returns nil if the file cannot be read.
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
