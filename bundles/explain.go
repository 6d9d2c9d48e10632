package bundles

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel"
)

// explain asks every layer for its verdict, all in one evaluation, and says how long
// the rules of each took.
func (s *Snapshot) explain(ctx context.Context, given *gavel.Facts, frozen *remembered) ([]gavel.Layer, error) {
	input, err := s.input(given, frozen)
	if err != nil {
		return nil, err
	}
	watch := &stopwatch{spent: map[string]time.Duration{}, files: map[string]string{}, last: time.Now()}
	verdicts, err := s.eval(ctx, queryVerdicts, input, rego.EvalQueryTracer(watch))
	if err != nil {
		return nil, err
	}
	list := make([]gavel.Layer, 0, len(layers()))
	for _, name := range layers() {
		layer, err := s.layer(name, get(verdicts, name))
		if err != nil {
			return nil, err
		}
		layer.Duration = watch.spent[name]
		list = append(list, layer)
	}
	return list, nil
}

// stopwatch adds up the time between the steps of an evaluation, by the layer whose
// rules were at work. What one layer asks of another is the other's time; reasons and
// catalogs are that of whoever asks. It is for one evaluation.
type stopwatch struct {
	spent map[string]time.Duration
	files map[string]string // file → its layer, decision, or "" for what is nobody's
	last  time.Time
	layer string // at work since last
}

// Enabled implements [topdown.QueryTracer].
func (w *stopwatch) Enabled() bool { return true }

// Config implements [topdown.QueryTracer]: no variables are looked up for us.
func (w *stopwatch) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

// TraceEvent implements [topdown.QueryTracer].
func (w *stopwatch) TraceEvent(event topdown.Event) {
	if event.Location == nil {
		return
	}
	layer, known := w.files[event.Location.File]
	if !known {
		layer = layerOf(event.Location.File)
		w.files[event.Location.File] = layer
	}
	if layer == "" || layer == w.layer {
		return
	}
	now := time.Now()
	w.spent[w.layer] += now.Sub(w.last)
	w.last, w.layer = now, layer
}

// layerOf is the folder below gavel that a file of the policy stands in, if that is a
// layer's or the decision's own.
func layerOf(file string) string {
	folders := strings.Split(strings.TrimPrefix(file, "/"), "/")
	if len(folders) > 1 && (folders[1] == "decision" || slices.Contains(layers(), folders[1])) {
		return folders[1]
	}
	return ""
}
