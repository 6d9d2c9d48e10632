package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"gavel"
	"gavel/bundles"
	"gavel/internal/cases"
)

// decidesItsCases returns the check that a server makes before a policy comes into force: the
// policy must decide its own cases as they expect. It is nil for the shipped policy.
func (a *app) decidesItsCases(policy string, observe observe) func(context.Context, *bundles.Snapshot) error {
	if policy == "" {
		return nil
	}
	return func(ctx context.Context, snapshot *bundles.Snapshot) error {
		list, err := ownCases(policy)
		if err != nil || len(list) == 0 {
			return err
		}
		observer, err := observe()
		if err != nil {
			return err
		}
		pdp := &gavel.PDP{Analyzer: observer, Policy: fixedPolicy{snapshot}, NewID: uuid.NewString, Now: a.now}
		return failing(ctx, pdp, list)
	}
}

// inOrder runs several checks of a snapshot one after the other and stops at the first error.
func inOrder(all ...func(context.Context, *bundles.Snapshot) error) func(context.Context, *bundles.Snapshot) error {
	return func(ctx context.Context, snapshot *bundles.Snapshot) error {
		for _, verify := range all {
			if verify == nil {
				continue
			}
			if err := verify(ctx, snapshot); err != nil {
				return err
			}
		}
		return nil
	}
}

// failing decides cases and returns those with an unexpected decision.
func failing(ctx context.Context, pdp *gavel.PDP, list []cases.Case) error {
	var wrong []gavel.Problem
	for _, c := range list {
		if c.HasPolicy() {
			continue // this says nothing about the policy
		}
		pdp, _ := asIn(&c, pdp)
		for i, call := range c.Calls {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("decide the policy's cases: %w", err)
			}
			got := pdp.Decide(ctx, call, gavel.Options{RequestedBy: "test"})
			if err := c.Compare(i, got); err != nil {
				wrong = append(wrong, gavel.Problem{File: filepath.Join("testdata", filepath.Base(c.Path)), Line: c.Line(i), Column: 1,
					Message: oneLine(err), Fix: "correct the case or the policy; gavel test runs all of them"})
			}
		}
	}
	if len(wrong) > 0 {
		return &gavel.PolicyError{Problems: wrong}
	}
	return nil
}

// asIn returns a decision point whose clock shows the time of a case, and whose verifiers answer as
// the case states.
func asIn(c *cases.Case, pdp *gavel.PDP) (*gavel.PDP, *cases.Verifiers) {
	verifiers := c.Verifiers()
	now := c.Now
	if now.IsZero() {
		now = workday(pdp.Policy.Current())
	}
	own := &gavel.PDP{Analyzer: pdp.Analyzer, Policy: pdp.Policy, NewID: pdp.NewID, Now: func() time.Time { return now }}
	if verifiers != nil {
		own.Verifiers = verifiers
	}
	return own, verifiers
}

// workday is the time of cases that state none: a Monday at ten, on the clock of the policy. By the
// real clock, a policy with office hours would pass its cases by day, and could not be loaded at night.
func workday(snapshot gavel.Snapshot) time.Time {
	zone := time.UTC
	if zoned, ok := snapshot.(interface{ Zone() *time.Location }); ok {
		zone = zoned.Zone()
	}
	return time.Date(2026, time.January, 5, 10, 0, 0, 0, zone)
}

// oneLine joins the lines of an error.
func oneLine(err error) string {
	return strings.NewReplacer(":\n  ", ": ", "\n  ", "; ").Replace(err.Error())
}

// ownCases reads the decision cases of a policy directory. Other kinds of policy have none.
func ownCases(policy string) ([]cases.Case, error) {
	if info, err := os.Stat(policy); err != nil || !info.IsDir() {
		return nil, nil //nolint:nilerr // a policy that cannot be read is reported where it is loaded
	}
	list, err := cases.Read(filepath.Join(policy, "testdata", "*.txtar"))
	if errors.Is(err, cases.ErrNone) {
		return nil, nil
	}
	return list, err
}
