package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	opa "github.com/open-policy-agent/opa/v1/rego"

	"gavel"

	"gavel/bench/peers"
)

// task is an operation that is measured in this process.
type task struct {
	name  string
	do    func(n uint64) error // n differs in each repetition
	next  uint64
	times []time.Duration // processor time of one repetition, for each round
}

// inProcess measures decisions without HTTP, prints the table and returns the ratios. It measures
// processor time, because elapsed time depends more on other processes. The processor time includes
// the garbage collector's.
func (p plan) inProcess(ctx context.Context, lab *peers.Lab, w io.Writer) ([]ratio, error) {
	p.progress("load policies into this process")
	tasks, err := inProcessTasks(ctx, lab)
	if err != nil {
		return nil, err
	}
	for round := range p.rounds {
		p.progress("round %d of %d", round+1, p.rounds)
		for _, t := range tasks {
			if err := t.round(ctx, p.closed/4); err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	lines := []string{"in process\tCPU"}
	for _, t := range tasks {
		lines = append(lines, t.name+"\t"+short(median(t.times)))
	}
	return inProcessRatios(tasks), writeAligned(w, lines)
}

// The names of tasks. Those that end with a colon are followed by the name of a case.
const (
	gavelPrefix    = "gavel: "
	opaPrefix      = "opa embedded: "
	uncachedPrefix = "gavel, not cached: "
	denied         = "gavel: denied"
	explained      = "gavel: denied and explained"
	fewEntries     = "gavel: 10 allowlist entries"
	manyEntries    = "gavel: 10,000 allowlist entries"
	oneAgent       = "gavel: 1 agent"
	manyAgents     = "gavel: 10,000 agents"
)

func inProcessRatios(tasks []*task) []ratio {
	rounds := map[string][]figures{}
	for _, t := range tasks {
		for _, cpu := range t.times {
			rounds[t.name] = append(rounds[t.name], figures{cpu: float64(cpu)})
		}
	}
	var ratios []ratio
	add := func(left, right string) {
		value, _ := compare(rounds[left], rounds[right], func(f figures) float64 { return f.cpu })
		ratios = append(ratios, ratio{fmt.Sprintf("CPU of %s / %s", left, right), value})
	}
	for _, name := range []string{peers.PlainCall, peers.ExecEachNew, peers.Pipeline} {
		add(gavelPrefix+name, opaPrefix+name)
		add(uncachedPrefix+name, opaPrefix+name)
	}
	add(gavelPrefix+peers.ExecRepeated, gavelPrefix+peers.ExecEachNew)
	add(manyEntries, fewEntries)
	add(manyAgents, oneAgent)
	add(explained, denied)
	return ratios
}

func inProcessTasks(ctx context.Context, lab *peers.Lab) ([]*task, error) {
	small, query, err := inProcessPolicies(ctx, lab)
	if err != nil {
		return nil, err
	}
	var tasks []*task
	for _, c := range peers.Cases() {
		tasks = append(tasks, decideTask(ctx, gavelPrefix+c.Name, small, c, gavel.Allow, false))
		if c.Name == peers.ExecRepeated {
			continue // OPA has no cache
		}
		tasks = append(tasks, decideUncached(ctx, uncachedPrefix+c.Name, small, c))
		facts, err := c.Facts(ctx, small.Analyzer, 0)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, &task{name: opaPrefix + c.Name, do: func(uint64) error { return evaluateOPA(ctx, query, facts) }})
	}
	exec := peers.CaseNamed(peers.ExecEachNew)
	refused := exec
	refused.Command += " > out"
	tasks = append(tasks, decideTask(ctx, denied, small, refused, gavel.Deny, false), decideTask(ctx, explained, small, refused, gavel.Deny, true))
	for _, sized := range []struct {
		name string
		size peers.Size
	}{
		{fewEntries, peers.Size{Agents: 1, Entries: 10}}, {manyEntries, peers.Size{Agents: 1, Entries: 10_000}},
		{oneAgent, peers.Size{Agents: 1, Entries: 20}}, {manyAgents, peers.Size{Agents: 10_000, Entries: 20}},
	} {
		pdp, err := sizedPDP(ctx, lab, sized.size)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, decideTask(ctx, sized.name, pdp, exec, gavel.Allow, false))
	}
	return tasks, nil
}

// inProcessPolicies returns the small policy for Gavel and for OPA.
func inProcessPolicies(ctx context.Context, lab *peers.Lab) (*gavel.PDP, opa.PreparedEvalQuery, error) {
	pdp, err := sizedPDP(ctx, lab, peers.Small())
	if err != nil {
		return nil, opa.PreparedEvalQuery{}, err
	}
	bundle := filepath.Join(lab.Dir, "in-process-bundle")
	if err := peers.WriteBundle(bundle, peers.Small()); err != nil {
		return nil, opa.PreparedEvalQuery{}, err
	}
	query, err := peers.EmbeddedOPA(ctx, filepath.Join(lab.Root, "rego"), bundle)
	return pdp, query, err
}

func sizedPDP(ctx context.Context, lab *peers.Lab, size peers.Size) (*gavel.PDP, error) {
	dir := filepath.Join(lab.Dir, fmt.Sprintf("in-process-%d-%d", size.Agents, size.Entries))
	if err := peers.WritePolicy(dir, size); err != nil {
		return nil, err
	}
	return peers.PDP(ctx, dir, lab.Evaluator)
}

func decideTask(ctx context.Context, name string, pdp *gavel.PDP, c peers.Case, want gavel.Effect, explain bool) *task {
	calls := c.Calls()
	return &task{name: name, do: func(n uint64) error {
		if got := pdp.Decide(ctx, calls(n), gavel.Options{Explain: explain}); got.Effect != want {
			return fmt.Errorf("%s instead of %s: %+v", got.Effect, want, got.Reasons)
		}
		return nil
	}}
}

// decideUncached decides calls from a different sender each time. The policy reads the sender, so the
// cache has no result for them. Words alone may not matter to the policy.
func decideUncached(ctx context.Context, name string, pdp *gavel.PDP, c peers.Case) *task {
	calls := c.Calls()
	return &task{name: name, do: func(n uint64) error {
		call := calls(n)
		call.Sender = &gavel.Sender{ID: strconv.FormatUint(n, 10)}
		if got := pdp.Decide(ctx, call, gavel.Options{}); got.Effect != gavel.Allow {
			return fmt.Errorf("%s instead of allow: %+v", got.Effect, got.Reasons)
		}
		return nil
	}}
}

// evaluateOPA evaluates facts as a program does that embeds OPA.
func evaluateOPA(ctx context.Context, query opa.PreparedEvalQuery, facts map[string]any) error {
	results, err := query.Eval(ctx, opa.EvalInput(facts))
	if err != nil {
		return err
	}
	if len(results) == 1 {
		if result, ok := results[0].Expressions[0].Value.(map[string]any); ok && result["effect"] == "allow" {
			return nil
		}
	}
	return fmt.Errorf("the result is not allow: %v", results)
}

// round repeats the task for some time, and records the processor time of one repetition.
func (t *task) round(ctx context.Context, length time.Duration) error {
	if err := t.do(t.next); err != nil { // fills caches
		return err
	}
	runtime.GC() // collects the garbage of other tasks
	before, first := processCPU(), t.next
	for end := time.Now().Add(length); time.Now().Before(end) && ctx.Err() == nil; {
		t.next++
		if err := t.do(t.next); err != nil {
			return err
		}
	}
	t.times = append(t.times, (processCPU()-before)/time.Duration(max(1, t.next-first)))
	return ctx.Err()
}

// processCPU returns the processor time of this process.
func processCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("getrusage of this process failed: " + err.Error()) // cannot fail for the calling process
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
