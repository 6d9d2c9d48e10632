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

// explainedResult returns the result for completed facts, with every layer's verdict and duration.
// It evaluates everything with topdown, in one evaluation, and caches nothing.
//
// There are no layers if a policy that replaces the gavel root defines no verdicts, or if topdown
// is not ready within half of the time that is left (see lazy).
func (s *Snapshot) explainedResult(ctx context.Context, facts *gavel.Facts, frozen *frozenPart) (*result, []gavel.Layer, error) {
	input, err := s.input(facts, frozen)
	if err != nil {
		return nil, nil, err
	}
	if !s.waitForTopdown(ctx) {
		found, _, err := s.cachedResult(ctx, facts, frozen)
		return found, nil, err
	}
	timer := newLayerTimer(s.layers)
	both, err := s.evalTopdown(ctx, queryExplained, input, rego.EvalVirtualCache(timer))
	if err != nil {
		return nil, nil, err
	}
	if both == nil {
		found, _, err := s.cachedResult(ctx, facts, frozen)
		return found, nil, err
	}
	pair, ok := both.Value.(*ast.Array)
	if !ok || pair.Len() != 2 {
		return nil, nil, errResultShape
	}
	s.results.counters.evaluated.Add(1)
	term, err := s.compareWithCompiled(ctx, input, pair.Elem(0))
	if err != nil {
		return nil, nil, err
	}
	found, err := s.readResult(term)
	if err != nil {
		return nil, nil, err
	}
	layers, err := s.readLayers(pair.Elem(1), timer.spent)
	return found, layers, err
}

// waitForTopdown waits until topdown can evaluate the policy. It returns false if that takes
// longer than half of the time that ctx leaves, and the compiled policy can decide instead.
func (s *Snapshot) waitForTopdown(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	if !limited || s.instance(queryResult) == nil {
		return true
	}
	half, cancel := context.WithTimeout(ctx, time.Until(deadline)/2)
	defer cancel()
	_, err := s.prepared.getContext(half)
	return half.Err() == nil || err == nil
}

// compareWithCompiled returns topdown's result if the compiled policy has the same, because an
// explanation must not change the decision.
func (s *Snapshot) compareWithCompiled(ctx context.Context, input ast.Value, walked *ast.Term) (*ast.Term, error) {
	instance := s.instance(queryResult)
	if instance == nil {
		return walked, nil
	}
	value, err := instance.EvalRule(ctx, queryResult, input)
	return s.compare(queryResult, evalOutcome{value, err}, evalOutcome{walked, nil})
}

// readLayers reads every layer's verdict, in order.
func (s *Snapshot) readLayers(verdicts *ast.Term, spent map[string]time.Duration) ([]gavel.Layer, error) {
	list := make([]gavel.Layer, 0, len(s.layers))
	for _, name := range s.layers {
		layer, err := s.readLayer(name, get(verdicts, name))
		if err != nil {
			return nil, err
		}
		layer.Duration = spent[name]
		list = append(list, layer)
	}
	return list, nil
}

// layerTimer measures the time that an evaluation spends in each layer. It replaces OPA's cache of
// rule values, which OPA asks before it evaluates a rule and tells the value afterwards. When
// another rule begins or ends, the time since the last such moment is added to the layer whose
// rule was running. So a layer that asks another one does not count the other's time, but counts
// the time of shared rules: reasons, catalogs and settings.
type layerTimer struct {
	topdown.VirtualCache
	layers  []string // including "decision", which calls the others
	spent   map[string]time.Duration
	running []runningRule // each was called by the one before
	last    time.Time
}

// runningRule is a rule that has begun and has not ended.
type runningRule struct {
	rule  ast.Ref
	layer string
}

func newLayerTimer(layers []string) *layerTimer {
	return &layerTimer{VirtualCache: topdown.NewVirtualCache(), layers: append(slices.Clone(layers), "decision"),
		spent: map[string]time.Duration{}, last: time.Now()}
}

// Get implements [topdown.VirtualCache]. If the rule has no value yet, it begins.
func (t *layerTimer) Get(rule ast.Ref) (value *ast.Term, undefined bool) {
	value, undefined = t.VirtualCache.Get(rule)
	if value == nil && !undefined {
		if layer := t.layerOf(rule); layer != "" {
			t.lap()
			t.running = append(t.running, runningRule{rule, layer})
		}
	}
	return value, undefined
}

// Put implements [topdown.VirtualCache]. The rule ends. So do the rules that it called and that
// were undefined, for which OPA does not call Put.
func (t *layerTimer) Put(rule ast.Ref, value *ast.Term) {
	t.VirtualCache.Put(rule, value)
	for i := len(t.running) - 1; i >= 0; i-- {
		if t.running[i].rule.Equal(rule) {
			t.lap()
			t.running = t.running[:i]
			return
		}
	}
}

// lap adds the time since the last lap to the layer that is running.
func (t *layerTimer) lap() {
	now := time.Now()
	if n := len(t.running); n > 0 {
		t.spent[t.running[n-1].layer] += now.Sub(t.last)
	}
	t.last = now
}

// layerOf returns the layer that a rule belongs to, or "".
func (t *layerTimer) layerOf(rule ast.Ref) string {
	if len(rule) < 3 {
		return ""
	}
	if root, ok := rule[1].Value.(ast.String); !ok || root != "gavel" {
		return ""
	}
	if name, ok := rule[2].Value.(ast.String); ok && slices.Contains(t.layers, string(name)) {
		return string(name)
	}
	return ""
}
