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

// decidesItsCases returns what a server asks of each policy before it comes into force: that it
// decides the policy's own cases as they say. It is nil for the shipped policy.
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

// inOrder asks a snapshot one thing after another; nil asks nothing.
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

// failing decides cases and returns the ones that are not decided as they must be.
func failing(ctx context.Context, pdp *gavel.PDP, list []cases.Case) error {
	var wrong []gavel.Problem
	for _, c := range list {
		if c.HasPolicy() {
			continue // it says nothing about this policy
		}
		pdp := atTimeOf(c, pdp)
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

// atTimeOf is a decision point at which it is the time that a case says, if it says one.
func atTimeOf(c cases.Case, pdp *gavel.PDP) *gavel.PDP {
	if c.Now.IsZero() {
		return pdp
	}
	return &gavel.PDP{Analyzer: pdp.Analyzer, Policy: pdp.Policy, NewID: pdp.NewID, Now: func() time.Time { return c.Now }}
}

// oneLine is an error of several lines as one.
func oneLine(err error) string {
	return strings.NewReplacer(":\n  ", ": ", "\n  ", "; ").Replace(err.Error())
}

// ownCases reads the decision cases of a policy directory. Every other kind of policy
// has none.
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
