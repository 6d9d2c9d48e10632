package bundles

import (
	"context"
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel"
)

// explained returns the policy's answer for completed facts, with every layer's verdict and
// duration, in one evaluation with all facts. Nothing is cached. A policy's own root without
// verdicts has no layers to show, and there are none while the rules are being compiled again for
// longer than half of the time that is left.
func (s *Snapshot) explained(ctx context.Context, given *gavel.Facts, frozen *remembered) (*answer, []gavel.Layer, error) {
	input, err := s.input(given, frozen)
	if err != nil {
		return nil, nil, err
	}
	if !s.explains(ctx) {
		found, _, err := s.answer(ctx, given, frozen)
		return found, nil, err
	}
	watch := newStopwatch(s.layers)
	both, err := s.walk(ctx, queryExplained, input, rego.EvalVirtualCache(watch))
	if err != nil {
		return nil, nil, err
	}
	if both == nil {
		found, _, err := s.answer(ctx, given, frozen)
		return found, nil, err
	}
	pair, ok := both.Value.(*ast.Array)
	if !ok || pair.Len() != 2 {
		return nil, nil, errShape
	}
	s.answers.tally.evaluated.Add(1)
	result, err := s.agreed(ctx, input, pair.Elem(0))
	if err != nil {
		return nil, nil, err
	}
	found, err := s.read(result)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.verdicts(pair.Elem(1), watch.spent)
	return found, list, err
}

// explains waits until topdown can evaluate the policy, and returns false if that takes too long.
func (s *Snapshot) explains(ctx context.Context) bool {
	ends, limited := ctx.Deadline()
	if !limited || s.compiled(queryResult) == nil {
		return true
	}
	limit, stop := context.WithTimeout(ctx, time.Until(ends)/2)
	defer stop()
	_, err := s.queries.within(limit)
	return limit.Err() == nil || err == nil
}

// agreed is the result that topdown explains, if the compiled policy has the same: a call must not
// be allowed because somebody asked for the reasons.
func (s *Snapshot) agreed(ctx context.Context, input ast.Value, walked *ast.Term) (*ast.Term, error) {
	instance := s.compiled(queryResult)
	if instance == nil {
		return walked, nil
	}
	value, err := instance.EvalRule(ctx, queryResult, input)
	return s.compare(queryResult, outcome{value, err}, outcome{walked, nil})
}

// verdicts reads every layer's verdict, in order.
func (s *Snapshot) verdicts(verdicts *ast.Term, spent map[string]time.Duration) ([]gavel.Layer, error) {
	list := make([]gavel.Layer, 0, len(s.layers))
	for _, name := range s.layers {
		layer, err := s.layer(name, get(verdicts, name))
		if err != nil {
			return nil, err
		}
		layer.Duration = spent[name]
		list = append(list, layer)
	}
	return list, nil
}

// stopwatch caches rule values for one evaluation, as OPA does, and adds up the time between
// rules by the layer of the running rule. Time that one layer spends asking another counts
// for the other; time in reasons, catalogs and settings counts for the layer that asks.
type stopwatch struct {
	topdown.VirtualCache
	names []string // of layers, and the decision's own
	spent map[string]time.Duration
	rules []timed // the running rules, each called by the previous one
	last  time.Time
}

// timed is a running rule, and its layer.
type timed struct {
	rule  ast.Ref
	layer string
}

func newStopwatch(layers []string) *stopwatch {
	return &stopwatch{VirtualCache: topdown.NewVirtualCache(), names: append(slices.Clone(layers), "decision"),
		spent: map[string]time.Duration{}, last: time.Now()}
}

// Get implements [topdown.VirtualCache]. A rule without a known value starts.
func (w *stopwatch) Get(rule ast.Ref) (value *ast.Term, undefined bool) {
	value, undefined = w.VirtualCache.Get(rule)
	if value == nil && !undefined {
		if layer := w.layerOf(rule); layer != "" {
			w.lap()
			w.rules = append(w.rules, timed{rule, layer})
		}
	}
	return value, undefined
}

// Put implements [topdown.VirtualCache]. A rule ends, along with the rules it called.
func (w *stopwatch) Put(rule ast.Ref, value *ast.Term) {
	w.VirtualCache.Put(rule, value)
	for i := len(w.rules) - 1; i >= 0; i-- {
		if w.rules[i].rule.Equal(rule) {
			w.lap()
			w.rules = w.rules[:i]
			return
		}
	}
}

// lap adds the time since the last lap to the rule that was running.
func (w *stopwatch) lap() {
	now := time.Now()
	if n := len(w.rules); n > 0 {
		w.spent[w.rules[n-1].layer] += now.Sub(w.last)
	}
	w.last = now
}

// layerOf is the package below gavel that a rule is in, if it is a layer's or the decision's.
func (w *stopwatch) layerOf(rule ast.Ref) string {
	if len(rule) < 3 {
		return ""
	}
	if root, ok := rule[1].Value.(ast.String); !ok || root != "gavel" {
		return ""
	}
	if name, ok := rule[2].Value.(ast.String); ok && slices.Contains(w.names, string(name)) {
		return string(name)
	}
	return ""
}
