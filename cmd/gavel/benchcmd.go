package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/bundles"
	"gavel/internal/cases"
	"gavel/internal/strictjson"
)

// benchRounds is how often each evaluator has its turn. They take turns, so that what else the
// machine does concerns both; the median counts.
const benchRounds = 5

// measured is one line of gavel bench.
type measured struct {
	Name      string            `json:"name"`
	Evaluator bundles.Evaluator `json:"evaluator"`
	Time      int64             `json:"nsPerOp"`
	Bytes     int64             `json:"bytesPerOp"`
	Objects   int64             `json:"allocsPerOp"`
}

// timed is what an evaluator does for one case or test.
type timed struct {
	name      string
	evaluator bundles.Evaluator
	calls     int // that it does at once
	do        func(context.Context) error
}

func (a *app) benchCommand() *cobra.Command {
	var length time.Duration
	cmd := &cobra.Command{
		Use:   "bench [PATH]",
		Short: "Measure what a policy's own cases cost, with both evaluators",
		Long: `Measure the decision cases (testdata/*.txtar below a policy directory) and the Rego
tests (*_test.rego) of a policy with the compiled policy and with OPA's topdown.
Without a path it measures --policy, or else the current directory.

An operation is one call, from the analysis to the decision, or one Rego test. Nothing
is cached but the part that does not change from call to call. Each figure is the median
of five rounds, in which the evaluators take turns. Both decide each case first; it is an
error if they disagree.

Without --output, the output is a table on a terminal, and JSON elsewhere.`,
		Example: `  gavel bench policy
  gavel bench --for 2s --output json policy`,
		Args: atMostOne("policy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.bench(cmd.Context(), cmp.Or(first(args), a.policy, "."), length)
		},
	}
	a.addPolicyElse(cmd, "the current directory")
	cmd.Flags().DurationVar(&length, "for", 500*time.Millisecond, "how long each evaluator works on each case or test")
	return cmd
}

func (a *app) bench(ctx context.Context, path string, length time.Duration) error {
	if length <= 0 {
		return fix(fmt.Errorf("--for %v is not a time", length), "give a time such as 500ms or 2s")
	}
	if err := a.sharePrograms(); err != nil { // both evaluators and the tests have the same policy
		return err
	}
	runs, err := bundles.PrepareTests(ctx, a.source(path, nil))
	if err != nil {
		return located(path, err)
	}
	works, err := a.timedCases(ctx, path)
	if err != nil {
		return err
	}
	for _, run := range runs {
		works = append(works, timed{run.Name, run.Evaluator, 1, run.Run})
	}
	if len(works) == 0 {
		return fix(fmt.Errorf("%s has neither a Rego test nor a decision case", path),
			"write *_test.rego, or testdata/*.txtar; gavel init writes an example of both")
	}
	lines, err := measureAll(ctx, works, length)
	if err != nil {
		return err
	}
	if a.output == outputJSON || a.output == "" && !a.terminal.stdout {
		return strictjson.Write(a.stdout, lines)
	}
	rows := [][]string{{"NAME", "EVALUATOR", "NS/OP", "B/OP", "ALLOCS/OP"}}
	for _, l := range lines {
		rows = append(rows, []string{l.Name, string(l.Evaluator), strconv.FormatInt(l.Time, 10), strconv.FormatInt(l.Bytes, 10), strconv.FormatInt(l.Objects, 10)})
	}
	a.printf("%s", aligned(rows))
	return nil
}

// timedCases are the decision cases of a policy, each for both evaluators.
func (a *app) timedCases(ctx context.Context, path string) ([]timed, error) {
	list, err := ownCases(path)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	own, err := a.loadBoth(ctx, path)
	if err != nil {
		return nil, err
	}
	var works []timed
	for _, c := range list {
		if len(c.Calls) == 0 {
			continue
		}
		pdps := own
		if c.HasPolicy() {
			if pdps, err = a.loadCase(ctx, c); err != nil {
				return nil, fmt.Errorf("load the policy of %s: %w", c.Path, err)
			}
		}
		if err := sameDecisions(ctx, c, pdps); err != nil {
			return nil, err
		}
		for _, evaluator := range measuredEvaluators() {
			pdp, _ := asIn(&c, pdps[evaluator])
			works = append(works, timed{c.Name, evaluator, len(c.Calls), func(ctx context.Context) error {
				for _, call := range c.Calls {
					pdp.Decide(ctx, call, gavel.Options{RequestedBy: "bench"})
				}
				return ctx.Err()
			}})
		}
	}
	return works, nil
}

func measuredEvaluators() []bundles.Evaluator {
	return []bundles.Evaluator{bundles.Compiled, bundles.Topdown}
}

// loadBoth loads a policy for each evaluator. It remembers no answers.
func (a *app) loadBoth(ctx context.Context, path string) (map[bundles.Evaluator]*gavel.PDP, error) {
	pdps := map[bundles.Evaluator]*gavel.PDP{}
	for _, evaluator := range measuredEvaluators() {
		pdp, err := a.pdp(func(observe) (gavel.Policy, error) {
			source := a.source(path, nil)
			source.Evaluator, source.NoCache = evaluator, true
			snapshot, err := bundles.Load(ctx, source)
			if err == nil {
				snapshot.Compile()
			}
			return fixedPolicy{snapshot}, located(path, err)
		})
		if err != nil {
			return nil, err
		}
		pdps[evaluator] = pdp
	}
	return pdps, nil
}

// loadCase is loadBoth for a case with a policy of its own.
func (a *app) loadCase(ctx context.Context, c cases.Case) (map[bundles.Evaluator]*gavel.PDP, error) {
	defer a.unsigned()()
	dir, err := os.MkdirTemp("", "gavel-case-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the system cleans up its own temporary files
	if err := c.WritePolicy(dir); err != nil {
		return nil, err
	}
	return a.loadBoth(ctx, dir)
}

func sameDecisions(ctx context.Context, c cases.Case, pdps map[bundles.Evaluator]*gavel.PDP) error {
	for i, call := range c.Calls {
		var effects []gavel.Effect
		for _, evaluator := range measuredEvaluators() {
			pdp, _ := asIn(&c, pdps[evaluator])
			effects = append(effects, pdp.Decide(ctx, call, gavel.Options{RequestedBy: "bench"}).Effect)
		}
		if effects[0] != effects[1] {
			return fix(fmt.Errorf("%s:%d: the compiled policy decides %s, and topdown %s", c.Path, c.Line(i), effects[0], effects[1]),
				"report it with the policy and the call; --evaluator topdown decides meanwhile")
		}
	}
	return nil
}

// measureAll lets the works of one name take turns.
func measureAll(ctx context.Context, works []timed, length time.Duration) ([]measured, error) {
	var lines []measured
	for len(works) > 0 {
		n := slices.IndexFunc(works, func(w timed) bool { return w.name != works[0].name })
		if n < 0 {
			n = len(works)
		}
		turns := make([][]measured, n)
		for range benchRounds {
			for i, w := range works[:n] {
				turn, err := w.turn(ctx, length/benchRounds)
				if err != nil {
					return nil, fmt.Errorf("measure %s with %s: %w", w.name, w.evaluator, err)
				}
				turns[i] = append(turns[i], turn)
			}
		}
		for _, of := range turns {
			slices.SortFunc(of, func(a, b measured) int { return cmp.Compare(a.Time, b.Time) })
			lines = append(lines, of[benchRounds/2])
		}
		works = works[n:]
	}
	return lines, nil
}

// turn repeats the work for some time, at least twice: the first time computes what is kept.
func (w timed) turn(ctx context.Context, length time.Duration) (measured, error) {
	if err := w.do(ctx); err != nil {
		return measured{}, err
	}
	var before, after runtime.MemStats
	runtime.GC() // not to pay for the garbage of others
	runtime.ReadMemStats(&before)
	begin, n := time.Now(), 0
	for n == 0 || time.Since(begin) < length {
		n++
		if err := w.do(ctx); err != nil {
			return measured{}, err
		}
	}
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	ops := int64(n * w.calls)
	return measured{Name: w.name, Evaluator: w.evaluator, Time: took.Nanoseconds() / ops,
		Bytes: int64(after.TotalAlloc-before.TotalAlloc) / ops, Objects: int64(after.Mallocs-before.Mallocs) / ops}, nil
}
