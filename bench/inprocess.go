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

// work is something that is done repeatedly in this process.
type work struct {
	name  string
	do    func(n uint64) error
	next  uint64
	times []time.Duration // processor time of one repetition, in each round
}

// inProcess measures decisions without HTTP, prints the table and returns the ratios. It
// measures processor time including that of the collector, because that depends less on other
// processes than elapsed time does.
func (p plan) inProcess(ctx context.Context, lab *peers.Lab, w io.Writer) ([]ratio, error) {
	p.progress("load policies into this process")
	works, err := inProcessWorks(ctx, lab)
	if err != nil {
		return nil, err
	}
	for round := range p.rounds {
		p.progress("round %d of %d", round+1, p.rounds)
		for _, each := range works {
			if err := each.round(ctx, p.closed/4); err != nil {
				return nil, fmt.Errorf("%s: %w", each.name, err)
			}
		}
	}
	lines := []string{"in process\tCPU"}
	for _, each := range works {
		lines = append(lines, each.name+"\t"+short(median(each.times)))
	}
	return inProcessRatios(works), writeAligned(w, lines)
}

// The works.
const (
	gavelDoes    = "gavel: "
	opaDoes      = "opa embedded: "
	asksAnew     = "gavel, nothing remembered: "
	denied       = "gavel: denied"
	explained    = "gavel: denied and explained"
	fewEntries   = "gavel: 10 allowlist entries"
	manyEntries  = "gavel: 10,000 allowlist entries"
	oneAgent     = "gavel: 1 agent"
	tenThousands = "gavel: 10,000 agents"
)

func inProcessRatios(works []*work) []ratio {
	rounds := map[string][]figures{}
	for _, each := range works {
		for _, took := range each.times {
			rounds[each.name] = append(rounds[each.name], figures{cpu: float64(took)})
		}
	}
	var ratios []ratio
	add := func(left, right string) {
		value, _ := compare(rounds[left], rounds[right], func(f figures) float64 { return f.cpu })
		ratios = append(ratios, ratio{fmt.Sprintf("CPU of %s / %s", left, right), value})
	}
	for _, name := range []string{peers.PlainCall, peers.ExecEachNew, peers.Pipeline} {
		add(gavelDoes+name, opaDoes+name)
		add(asksAnew+name, opaDoes+name)
	}
	add(gavelDoes+peers.ExecRepeated, gavelDoes+peers.ExecEachNew)
	add(manyEntries, fewEntries)
	add(tenThousands, oneAgent)
	add(explained, denied)
	return ratios
}

func inProcessWorks(ctx context.Context, lab *peers.Lab) ([]*work, error) {
	small, query, err := inProcessPolicies(ctx, lab)
	if err != nil {
		return nil, err
	}
	var works []*work
	for _, c := range peers.Cases() {
		works = append(works, decides(ctx, gavelDoes+c.Name, small, c, gavel.Allow, false))
		if c.Name == peers.ExecRepeated {
			continue // OPA remembers nothing
		}
		works = append(works, asks(ctx, asksAnew+c.Name, small, c))
		facts, err := c.Facts(ctx, small.Analyzer, 0)
		if err != nil {
			return nil, err
		}
		works = append(works, &work{name: opaDoes + c.Name, do: func(uint64) error { return evaluates(ctx, query, facts) }})
	}
	exec := peers.CaseNamed(peers.ExecEachNew)
	refused := exec
	refused.Command += " > out"
	works = append(works, decides(ctx, denied, small, refused, gavel.Deny, false), decides(ctx, explained, small, refused, gavel.Deny, true))
	for _, sized := range []struct {
		name string
		size peers.Size
	}{
		{fewEntries, peers.Size{Agents: 1, Entries: 10}}, {manyEntries, peers.Size{Agents: 1, Entries: 10_000}},
		{oneAgent, peers.Size{Agents: 1, Entries: 20}}, {tenThousands, peers.Size{Agents: 10_000, Entries: 20}},
	} {
		pdp, err := sizedPDP(ctx, lab, sized.size)
		if err != nil {
			return nil, err
		}
		works = append(works, decides(ctx, sized.name, pdp, exec, gavel.Allow, false))
	}
	return works, nil
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
	query, err := peers.PlainOPA(ctx, filepath.Join(lab.Root, "rego"), bundle)
	return pdp, query, err
}

func sizedPDP(ctx context.Context, lab *peers.Lab, size peers.Size) (*gavel.PDP, error) {
	dir := filepath.Join(lab.Dir, fmt.Sprintf("in-process-%d-%d", size.Agents, size.Entries))
	if err := peers.WritePolicy(dir, size); err != nil {
		return nil, err
	}
	return peers.PDP(ctx, dir, lab.Evaluator)
}

func decides(ctx context.Context, name string, pdp *gavel.PDP, c peers.Case, want gavel.Effect, explain bool) *work {
	calls := c.Calls()
	return &work{name: name, do: func(n uint64) error {
		if got := pdp.Decide(ctx, calls(n), gavel.Options{Explain: explain}); got.Effect != want {
			return fmt.Errorf("%s instead of %s: %+v", got.Effect, want, got.Reasons)
		}
		return nil
	}}
}

// asks decides calls from a different sender each time. If only words differ, the question may
// be known; a judged fact that differs makes a new question.
func asks(ctx context.Context, name string, pdp *gavel.PDP, c peers.Case) *work {
	calls := c.Calls()
	return &work{name: name, do: func(n uint64) error {
		call := calls(n)
		call.Sender = &gavel.Sender{ID: strconv.FormatUint(n, 10)}
		if got := pdp.Decide(ctx, call, gavel.Options{}); got.Effect != gavel.Allow {
			return fmt.Errorf("%s instead of allow: %+v", got.Effect, got.Reasons)
		}
		return nil
	}}
}

func evaluates(ctx context.Context, query opa.PreparedEvalQuery, facts map[string]any) error {
	results, err := query.Eval(ctx, opa.EvalInput(facts))
	if err != nil {
		return err
	}
	if len(results) == 1 {
		if result, ok := results[0].Expressions[0].Value.(map[string]any); ok && result["effect"] == "allow" {
			return nil
		}
	}
	return fmt.Errorf("it was not allowed: %v", results)
}

// round repeats the work for some time, and records the cost of one repetition.
func (w *work) round(ctx context.Context, length time.Duration) error {
	if err := w.do(w.next); err != nil { // computes everything that is computed on first use
		return err
	}
	runtime.GC() // collects the garbage of other works
	before, first := ownTime(), w.next
	for end := time.Now().Add(length); time.Now().Before(end) && ctx.Err() == nil; {
		w.next++
		if err := w.do(w.next); err != nil {
			return err
		}
	}
	w.times = append(w.times, (ownTime()-before)/time.Duration(max(1, w.next-first)))
	return ctx.Err()
}

// ownTime returns the processor time of this process.
func ownTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("getrusage of this process failed: " + err.Error()) // cannot fail for the calling process
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
