package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/bundles"
	"gavel/internal/strictjson"
	"gavel/lint"
)

// checkReport is the JSON output of gavel check.
type checkReport struct {
	Valid      bool            `json:"valid"`
	Policy     string          `json:"policy"`
	Revision   string          `json:"revision,omitempty"`
	Agents     int             `json:"agents"`
	Tools      int             `json:"tools"`
	Tests      int             `json:"tests"`
	Cases      int             `json:"cases"`
	Problems   []gavel.Problem `json:"problems"`
	Warnings   []gavel.Problem `json:"warnings"`
	Notes      []gavel.Problem `json:"notes,omitempty"` // what settings do that their names do not tell
	PassedOver []string        `json:"passedOver,omitempty"`
	Edition    *editionReport  `json:"edition,omitempty"`
}

func (a *app) checkCommand() *cobra.Command {
	var verbose bool
	var state string
	cmd := &cobra.Command{
		Use:   "check [PATH]",
		Short: "Check a policy: list every problem, with its location and how to fix it",
		Long: `Check a policy as the server would load it: the configuration, the names that it
refers to, the Rego, and the policy's own tests and decision cases. Without a path it
checks --policy, or else the current directory. The exit code is 1 if there is a problem.

With --state it also compares the policy with the state directory of a server: whether
approvers have tokens, and whether notification targets have a file in DIR/webhooks.`,
		Example: `  gavel check policy
  gavel check policy --state /var/lib/gavel
  gavel check                        # the policy in the current directory
  gavel check --verbose openclaw.json`,
		Args: atMostOne("policy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := cmp.Or(first(args), a.policy)
			if path == "" && !bundles.IsPolicy(".") {
				return fix(errors.New("no policy was named, and the current directory has none"),
					"name one, as in gavel check DIR; gavel init DIR writes one")
			}
			return a.check(cmd.Context(), cmp.Or(path, "."), state, verbose)
		},
	}
	a.addPolicyElse(cmd, "the current directory")
	cmd.Flags().StringVar(&state, "state", "", "state directory of gavel serve to compare the policy with (default: none)")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "list the keys that do not affect permissions")
	return cmd
}

func (a *app) check(ctx context.Context, path, state string, verbose bool) error {
	report := checkReport{Policy: path, Problems: []gavel.Problem{}, Warnings: []gavel.Problem{}}
	hub, err := a.newHub(nil, a.idleBots(), nil)
	if err != nil {
		return err
	}
	source := a.source(path, nil)
	source.Verify = inOrder(source.Verify, loads(hub))
	snapshot, err := bundles.Examine(ctx, source)
	if err != nil {
		report.Problems = bundles.Problems(err)
	}
	if snapshot != nil {
		if err := cmp.Or(a.describe(ctx, path, snapshot, &report), a.compareState(state, snapshot, &report)); err != nil {
			return err
		}
	}
	if len(report.Problems) > 0 {
		a.failed()
	}
	report.Problems, report.Warnings, report.Notes = atHome(path, report.Problems), atHome(path, report.Warnings), atHome(path, report.Notes)
	if !verbose {
		report.PassedOver = nil
	}
	if a.json() {
		return strictjson.Write(a.stdout, report)
	}
	a.showCheck(report)
	return nil
}

// describe adds what a policy consists of, and its warnings and notes. The tests and cases of a
// policy with problems are not run.
func (a *app) describe(ctx context.Context, path string, snapshot *bundles.Snapshot, report *checkReport) error {
	notes := snapshot.Notes()
	report.Warnings = slices.Concat(lint.Exposed(path), lint.Misplaced(path), notes.Warnings)
	report.PassedOver = notes.Ignored
	document := snapshot.Document()
	report.Agents, report.Notes = lint.Agents(document), lint.Notes(document)
	pdp, err := a.pdp(func(observe) (gavel.Policy, error) { return fixedPolicy{snapshot}, nil })
	if err != nil {
		return err
	}
	warnings, err := a.linter().Warnings(ctx, snapshot, pdp)
	report.Warnings = append(report.Warnings, warnings...)
	if len(report.Problems) > 0 { // they may have kept some warnings from being found
		return a.besideProblems(snapshot, report)
	}
	if err != nil {
		return err
	}
	report.Warnings = append(report.Warnings, lint.Unlisted(document)...)
	report.Valid, report.Revision = true, snapshot.Revision()
	report.Edition = edition(notes)
	report.Tools = len(pdp.Tools(ctx, gavel.Call{Agent: gavel.Agent{ID: "check"}}).Tools)
	report.Tests = notes.Tests
	list, err := ownCases(path)
	if err == nil {
		report.Cases, err = len(list), failing(ctx, pdp, list)
	}
	if err != nil {
		report.Valid, report.Problems = false, bundles.Problems(err)
	}
	return nil
}

// besideProblems completes the report about a configuration with problems. It adds the mistakes in
// rules and allowlists, which loading a policy looks for only if there are no other problems, and
// drops warnings about settings that have a problem.
func (a *app) besideProblems(snapshot *bundles.Snapshot, report *checkReport) error {
	mistakes, err := a.linter().Mistakes(snapshot.Document())
	for _, p := range mistakes {
		if !slices.Contains(report.Problems, p) {
			report.Problems = append(report.Problems, p)
		}
	}
	report.Warnings = slices.DeleteFunc(report.Warnings, func(w gavel.Problem) bool {
		return slices.ContainsFunc(report.Problems, func(p gavel.Problem) bool {
			return p.Path != "" && (strings.HasPrefix(w.Path, p.Path) || strings.HasPrefix(p.Path, w.Path+"["))
		})
	})
	return err
}

// compareState adds what the policy needs and the named state directory lacks.
func (a *app) compareState(state string, snapshot *bundles.Snapshot, report *checkReport) error {
	if state == "" {
		return nil
	}
	if info, err := os.Stat(state); err != nil || !info.IsDir() {
		return fix(fmt.Errorf("%s is not a state directory", state), "name the directory of gavel serve --state")
	}
	found, err := a.readReach(state)
	report.Warnings = append(report.Warnings, found.Warnings(snapshot.Document())...)
	return err
}

func (a *app) showCheck(r checkReport) {
	for _, p := range r.Problems {
		a.problem(a.paint(red, "problem"), p)
	}
	for _, p := range r.Warnings {
		a.problem(a.paint(yellow, "warning"), p)
	}
	for _, p := range r.Notes {
		a.problem(a.paint(dim, "note"), p)
	}
	if len(r.PassedOver) > 0 {
		a.printf("ignored, because these keys do not affect permissions:\n")
		for _, path := range r.PassedOver {
			a.printf("  %s\n", clean(path))
		}
	}
	if !r.Valid {
		a.printf("%s: %s, %s\n", clean(r.Policy), count(len(r.Problems), "problem", "problems"), count(len(r.Warnings), "warning", "warnings"))
		return
	}
	a.printf("%s: good; %s, %s, %s, %s, %s\n", clean(r.Policy), count(r.Agents, "agent", "agents"), count(r.Tools, "tool", "tools"),
		count(r.Tests, "test", "tests"), count(r.Cases, "case", "cases"), count(len(r.Warnings), "warning", "warnings"))
	a.printf("revision %s\n", r.Revision)
	if r.Edition != nil {
		a.showEdition(*r.Edition)
	}
}

// problem writes one problem: its location and message, and the advice below it.
func (a *app) problem(kind string, p gavel.Problem) {
	a.printf("%s [%s]\n", clean(p.String()), kind)
	if p.Fix != "" {
		a.printf("  %s\n", clean(p.Fix))
	}
}
