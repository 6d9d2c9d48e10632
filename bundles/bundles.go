// Package bundles loads policies and decides calls by them. OPA is imported only here, in builtins/,
// and in internal/regoir, which evaluates OPA's plans.
//
// # Terms
//
// A policy is a configuration with, where wanted, Rego and data of its own (LAYERS-4). It is a
// directory, a bundle or a single configuration file. What the Rego, the data and the shipped
// policy compile to is a [compiledRego], which most changes of a policy leave untouched.
// Together with a configuration it is a [Snapshot], which decides.
//
// # Loading: how a policy directory becomes a Snapshot
//
// [Load] does all of this or nothing. The names are prefixes of file names:
//
//	load_files        reads every file once, with limits
//	load_signature    verifies the signature, if Config.Key is set
//	load_policy       finds the configuration, and computes the revision
//	load_bundle       parses Rego and data as OPA reads a bundle
//	config/           reads the configuration, and checks it against its JSON Schema
//	compile_rego      compiles all modules with restricted capabilities (builtins/)
//	check_*           looks for rules that would do nothing, and evaluates data.gavel.check
//	compile_plan      has OPA plan the queries, and translates the plans to Go (internal/regoir)
//	ruleindex/        indexes allowlist entries and command rules
//	snapshot          puts the parts together
//	test_*            runs the Rego tests of the policy; Config.Verify runs its decision cases
//
// # Deciding: what happens to a call
//
// [Snapshot.Decide] gets the facts of a call from the analyzer.
//
//	decide            adds what the snapshot knows: local time, allowlist entries and rules that
//	                  may apply, and how configured filters read their arguments
//	decide_frozen     looks up the frozen part of the call's context, or evaluates it
//	decide_cache      looks up the result of equal facts (decide_digest, facts_digest)
//	decide_input      otherwise makes the input, member by member as rules look at it (facts_input)
//	decide_evaluator  evaluates data.gavel.decision.result: the compiled plan, topdown, or both
//	result_*          reads the result, and copies it into a decision
//
// An explanation (decide_explain) and a change that would permit the call (change_*) are evaluated
// separately. Everything else that Gavel asks of a policy is in query_*.
//
// # Reloading
//
// A [Store] keeps the snapshot in force behind an atomic pointer. It watches the policy, loads a
// changed one next to the snapshot in force, and then swaps them (store, store_warm). A call uses
// the snapshot that it started with. A policy that cannot be loaded changes nothing but the status.
//
// # What is cached
//
//	the frozen part of a context   as long as the snapshot          decide_frozen
//	results, by a digest of facts  as long as the snapshot          decide_cache
//	compiled Rego                  passed to the next snapshot, and
//	                               shared by loads (CompileCache)   compile_cache
//	compiled plans, passed tests   across processes (LoadCache)     load_cache, load_saved
//	parsed modules, and queries    a minute after their last use,
//	for topdown                    if all queries are compiled      lazy
//
// Caches never change a decision.
package bundles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"gavel"
	"gavel/bundles/config"
)

// Config says where a policy is, and what Gavel ships with. Builtin, the schemas, Default and
// Now are required.
type Config struct {
	// Path is a configuration file, a directory or a .tar.gz bundle. Empty means the shipped
	// default.
	Path string
	// Key verifies the signature of the policy. Without it, a signed policy is refused; with it, an
	// unsigned one.
	Key *Key
	// Builtin is the shipped policy (rego.Policy).
	Builtin fs.FS
	// ConfigSchema and FactsSchema are the JSON Schemas of data.config and input.
	ConfigSchema, FactsSchema []byte
	// Default is the configuration that is used without a Path.
	Default []byte
	Now     func() time.Time
	Logger  *slog.Logger // nil discards
	// Evaluator evaluates the policy. "" is Compiled.
	Evaluator Evaluator
	// NoCache evaluates every call, and with all facts, even if an equal one was decided before.
	// It is for benchmarks.
	NoCache bool
	// ResolveLink returns the target of a path that is a link or goes through one, and "" for
	// every other path. Command rules follow the links of their programs when the policy is
	// loaded. With nil they follow none.
	ResolveLink func(path string) string
	// Overrides replace settings of the configuration in every load.
	Overrides Overrides
	// CompileCache shares compiled Rego with other loads. Nil shares nothing.
	CompileCache *CompileCache
	// LoadCache has what an earlier process found out about the policy. A load that it shortens
	// gives no warnings. May be nil.
	LoadCache LoadCache
	// LoadTime limits how long a load may take. 0 is two minutes. After that the policy in force
	// counts as stale.
	LoadTime time.Duration
	// A Store calls BeforeReload before it replaces the policy in force, which leaves a lot of
	// garbage, and AfterReload when the new policy is in force or has failed. A reload waits for
	// both; decisions do not. May be nil.
	BeforeReload, AfterReload func()
	// Verify runs the policy's decision cases with a snapshot that is otherwise ready. An error
	// makes the policy unusable, like a failing Rego test. May be nil.
	Verify func(context.Context, *Snapshot) error
}

func (c Config) validate() error {
	switch {
	case c.Builtin == nil:
		return errors.New("bundles: Config.Builtin is missing")
	case len(c.ConfigSchema) == 0 || len(c.FactsSchema) == 0:
		return errors.New("bundles: Config.ConfigSchema or Config.FactsSchema is missing")
	case len(c.Default) == 0:
		return errors.New("bundles: Config.Default is missing")
	case c.Now == nil:
		return errors.New("bundles: Config.Now is missing")
	case !c.Evaluator.valid():
		return fmt.Errorf("bundles: Config.Evaluator is %q, want one of %v", c.Evaluator, Evaluators())
	}
	return nil
}

func (c Config) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}

// policyName names the policy in messages.
func (c Config) policyName() string {
	if c.Path == "" {
		return "built-in"
	}
	return c.Path
}

// Load creates a snapshot of the policy as it is now. The error is a *gavel.PolicyError with
// every problem that was found, or says what could not be read.
func Load(ctx context.Context, cfg Config) (*Snapshot, error) {
	return load(ctx, cfg, nil)
}

// Examine is Load for tools that look for mistakes. If the configuration could be read and the Rego
// compiled, it returns the snapshot together with the problems. Such a snapshot must not decide; it
// only serves to find more problems.
func Examine(ctx context.Context, cfg Config) (*Snapshot, error) {
	return examine(ctx, cfg, nil)
}

// load is Load, and reuses the compiled Rego of the previous snapshot if it still matches.
func load(ctx context.Context, cfg Config, previous *Snapshot) (*Snapshot, error) {
	s, err := examine(ctx, cfg, previous)
	if err != nil {
		return nil, err // without the snapshot, which must not decide
	}
	return s, nil
}

func examine(ctx context.Context, cfg Config, previous *Snapshot) (*Snapshot, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	var compiled *compiledRego
	if previous != nil {
		compiled = previous.compiledRego
	}
	p, err := readPolicy(cfg, compiled)
	if err != nil {
		return nil, err
	}
	s, err := newSnapshot(ctx, cfg, p)
	if err != nil {
		return s, err
	}
	if cfg.Evaluator == Both {
		s.Compile()
	}
	if !p.passedBefore {
		if passed, ok := cfg.CompileCache.passedTests(p.revision); ok {
			s.notes.Tests = passed
		} else if err := s.runOwnTests(ctx, p); err != nil {
			return s, err
		}
		cfg.CompileCache.recordPass(p.revision, s.notes.Tests)
	}
	if cfg.Verify != nil {
		if err := cfg.Verify(ctx, s); err != nil {
			return s, err
		}
	}
	if cfg.LoadCache != nil && !p.passedBefore {
		cfg.LoadCache.RecordPass(p.revision)
	}
	return s, nil
}

// Notes are remarks for the author of a usable policy.
type Notes struct {
	// Warnings are valid settings and rules that deserve a second look.
	Warnings []gavel.Problem
	// Ignored lists keys that do not affect permissions.
	Ignored []string
	// Tests is how many Rego tests the policy has, all of which passed.
	Tests int
	// Edition is the catalog in force, as tools.catalog says. Newer lists the paths of keys that
	// only newer editions of OpenClaw have, and of entries that name tools only they have.
	Edition string
	Newer   []string
}

// Notes returns the remarks about the policy.
func (s *Snapshot) Notes() Notes { return s.notes }

// Document returns the configuration of the snapshot. It must not be changed.
func (s *Snapshot) Document() *config.Document { return s.document }

// policyError combines problems into one error, which is nil if there are none.
func policyError(problems []gavel.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return &gavel.PolicyError{Problems: problems}
}

// newPolicyError returns an error with one problem.
func newPolicyError(file, message, fix string) error {
	return &gavel.PolicyError{Problems: []gavel.Problem{{File: file, Message: message, Fix: fix}}}
}
