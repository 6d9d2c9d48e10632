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

// benchRounds is how often each evaluator takes its turn. They alternate, so that other load on the
// machine affects both alike. The median counts.
const benchRounds = 5

// measured is one line of gavel bench.
type measured struct {
	Name      string            `json:"name"`
	Evaluator bundles.Evaluator `json:"evaluator"`
	Time      int64             `json:"nsPerOp"`
	Bytes     int64             `json:"bytesPerOp"`
	Objects   int64             `json:"allocsPerOp"`
}

// benchTask is the work of one evaluator for one case or test.
type benchTask struct {
	name      string
	evaluator bundles.Evaluator
	calls     int // decided by one run of do
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

An operation is one call, from the analysis to the decision, or one Rego test. Only the
frozen part of a decision is cached: it does not change from call to call. Each figure is
the median of five rounds, in which the evaluators take turns. Both decide each case
first; it is an error if they disagree.

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
	tasks, err := a.benchCases(ctx, path)
	if err != nil {
		return err
	}
	for _, run := range runs {
		tasks = append(tasks, benchTask{run.Name, run.Evaluator, 1, run.Run})
	}
	if len(tasks) == 0 {
		return fix(fmt.Errorf("%s has neither a Rego test nor a decision case", path),
			"write *_test.rego, or testdata/*.txtar; gavel init writes an example of both")
	}
	lines, err := measureAll(ctx, tasks, length)
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

// benchCases returns the decision cases of a policy, each for both evaluators.
func (a *app) benchCases(ctx context.Context, path string) ([]benchTask, error) {
	list, err := ownCases(path)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	own, err := a.loadBoth(ctx, path)
	if err != nil {
		return nil, err
	}
	var tasks []benchTask
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
			tasks = append(tasks, benchTask{c.Name, evaluator, len(c.Calls), func(ctx context.Context) error {
				for _, call := range c.Calls {
					pdp.Decide(ctx, call, gavel.Options{RequestedBy: "bench"})
				}
				return ctx.Err()
			}})
		}
	}
	return tasks, nil
}

func measuredEvaluators() []bundles.Evaluator {
	return []bundles.Evaluator{bundles.Compiled, bundles.Topdown}
}

// loadBoth loads a policy for each evaluator, without a cache of decisions.
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

// loadCase loads the policy that a case brings for each evaluator.
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

// measureAll measures each task for length. Consecutive tasks with the same name take turns.
func measureAll(ctx context.Context, tasks []benchTask, length time.Duration) ([]measured, error) {
	var lines []measured
	for len(tasks) > 0 {
		n := slices.IndexFunc(tasks, func(t benchTask) bool { return t.name != tasks[0].name })
		if n < 0 {
			n = len(tasks)
		}
		turns := make([][]measured, n)
		for range benchRounds {
			for i, task := range tasks[:n] {
				turn, err := task.measure(ctx, length/benchRounds)
				if err != nil {
					return nil, fmt.Errorf("measure %s with %s: %w", task.name, task.evaluator, err)
				}
				turns[i] = append(turns[i], turn)
			}
		}
		for _, of := range turns {
			slices.SortFunc(of, func(a, b measured) int { return cmp.Compare(a.Time, b.Time) })
			lines = append(lines, of[benchRounds/2])
		}
		tasks = tasks[n:]
	}
	return lines, nil
}

// measure repeats the task for length, and at least once, after a first run that fills the caches.
func (t benchTask) measure(ctx context.Context, length time.Duration) (measured, error) {
	if err := t.do(ctx); err != nil {
		return measured{}, err
	}
	var before, after runtime.MemStats
	runtime.GC() // so that earlier garbage is not collected during the measurement
	runtime.ReadMemStats(&before)
	begin, n := time.Now(), 0
	for n == 0 || time.Since(begin) < length {
		n++
		if err := t.do(ctx); err != nil {
			return measured{}, err
		}
	}
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	ops := int64(n * t.calls)
	return measured{Name: t.name, Evaluator: t.evaluator, Time: took.Nanoseconds() / ops,
		Bytes: int64(after.TotalAlloc-before.TotalAlloc) / ops, Objects: int64(after.Mallocs-before.Mallocs) / ops}, nil
}
