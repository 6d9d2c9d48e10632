// Package bundles creates snapshots: it loads a policy, compiles it in the background, and
// puts it in force. Only this package imports OPA.
//
// A policy is a configuration and, optionally, custom Rego (LAYERS-4). Load turns it into a
// [Snapshot], all or nothing: it reads every file once, checks the configuration against the
// schema and the rules of rego/gavel/check, compiles strictly with restricted capabilities,
// and runs the policy's own tests. A [Store] keeps the snapshot in force and replaces it when
// the policy changes on disk; a policy that fails changes nothing.
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

// Config says where a policy is and what Gavel ships with. Builtin, the schemas, Default and
// Now are required.
type Config struct {
	// Path is a configuration file, a directory or a .tar.gz bundle. Empty means
	// the shipped default.
	Path string
	// Key must have signed the policy. With nil, a policy that is signed is refused.
	Key *Key
	// Builtin is the shipped policy root (rego.Policy).
	Builtin fs.FS
	// ConfigSchema and FactsSchema are the JSON Schemas of data.config and input.
	ConfigSchema, FactsSchema []byte
	// Default is the configuration that is used without a Path.
	Default []byte
	Now     func() time.Time
	Logger  *slog.Logger // nil discards
	// Evaluator evaluates the policy. "" is Compiled.
	Evaluator Evaluator
	// Forgets makes the policy evaluate every call once and with all facts, as if it had never been
	// asked before.
	Forgets bool
	// Leads returns where a path leads on this machine if it is a link or goes through one, and
	// "" for every other path. Rules about commands follow the links of their programs when
	// the policy is loaded. With nil they follow none.
	Leads func(path string) string
	// Overrides win over the configuration, in every load.
	Overrides Overrides
	// Programs are shared with other loads; nil shares nothing.
	Programs *Programs
	// Proofs say which policies an earlier process loaded; nil means none. A load that
	// finds a proof gives no warnings.
	Proofs Proofs
	// LoadTime limits how long a load may take; 0 is two minutes. After that the policy in
	// force is stale.
	LoadTime time.Duration
	// A Store calls Loading before it loads a policy while one is in force, which leaves a
	// lot of garbage, and Loaded when the new one is in force or has failed. A reload waits
	// for both; decisions do not. May be nil.
	Loading, Loaded func()
	// Verify runs the policy's own decision cases with an otherwise ready snapshot. An error
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
		return fmt.Errorf("bundles: Config.Evaluator %q is none of %v", c.Evaluator, Evaluators())
	}
	return nil
}

func (c Config) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}

// source names the policy in messages.
func (c Config) source() string {
	if c.Path == "" {
		return "built-in"
	}
	return c.Path
}

// Load creates a snapshot of the current policy. The error is a *gavel.PolicyError with every
// problem found, or a read error.
func Load(ctx context.Context, cfg Config) (*Snapshot, error) {
	return load(ctx, cfg, nil)
}

// Examine is Load for whoever looks for mistakes: if the configuration could be read and the
// Rego compiled, it returns the snapshot together with the problems. Such a snapshot is only for
// finding more of them; nothing may be decided by it.
func Examine(ctx context.Context, cfg Config) (*Snapshot, error) {
	return examine(ctx, cfg, nil)
}

// load creates a snapshot, with the program of the previous one if it still matches.
func load(ctx context.Context, cfg Config, before *Snapshot) (*Snapshot, error) {
	s, err := examine(ctx, cfg, before)
	if err != nil {
		return nil, err // and not what was created up to the problem
	}
	return s, nil
}

func examine(ctx context.Context, cfg Config, before *Snapshot) (*Snapshot, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	var known *program
	if before != nil {
		known = before.program
	}
	p, err := read(cfg, known)
	if err != nil {
		return nil, err
	}
	s, err := compile(ctx, cfg, p)
	if err != nil {
		return s, err
	}
	if cfg.Evaluator == Both {
		s.Compile()
	}
	if !p.proven {
		if passed, ok := cfg.Programs.hasPassed(p.revision); ok {
			s.notes.Tests = passed
		} else if err := s.selfTest(ctx, p); err != nil {
			return s, err
		}
		cfg.Programs.pass(p.revision, s.notes.Tests)
	}
	if cfg.Verify != nil {
		if err := cfg.Verify(ctx, s); err != nil {
			return s, err
		}
	}
	if cfg.Proofs != nil && !p.proven {
		cfg.Proofs.Keep(p.revision)
	}
	return s, nil
}

// Notes are remarks for the author of a usable policy.
type Notes struct {
	// Warnings are valid settings that deserve a second look.
	Warnings []gavel.Problem
	// PassedOver lists keys that do not affect permissions.
	PassedOver []string
	// Tests is how many Rego tests of its own the policy passed.
	Tests int
	// Edition is the catalog in force, as tools.catalog says, and Newer lists the paths of what
	// only newer editions of OpenClaw have: keys, and entries that name tools.
	Edition string
	Newer   []string
}

// Notes returns the remarks about the policy.
func (s *Snapshot) Notes() Notes { return s.notes }

// Document returns the configuration that the snapshot was made from. It must not
// be changed.
func (s *Snapshot) Document() *config.Document { return s.document }

// problems combines several errors into one.
func problems(list []gavel.Problem) error {
	if len(list) == 0 {
		return nil
	}
	return &gavel.PolicyError{Problems: list}
}

func internal(doing string, err error) error { return fmt.Errorf("%s: %w", doing, err) }
