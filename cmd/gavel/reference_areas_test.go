package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"

	"gavel"
	"gavel/bundles"
)

// row is a case of the reference behaviour as it is written. What its input and its
// expectation hold depends on the operation that it is about.
type row struct {
	Area, Name, Why      string
	Input, Expect, Safer json.RawMessage
	Bug                  bool `json:"reference_bug"`
}

// op is the operation of the reference that a case calls.
func (r row) op(t *testing.T) string {
	return part[struct{ Op string }](t, r.Input).Op
}

// expected is the part of a case that says what is expected: the safer verdict where the
// reference has a weakness.
func (r row) expected() json.RawMessage {
	if r.Bug {
		return r.Safer
	}
	return r.Expect
}

// part reads a part of a case.
func part[T any](t *testing.T, text json.RawMessage) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal(text, &v), "%s", text)
	return v
}

// trial is how a case is run.
type trial struct {
	agent  map[string]any // the settings of the case's agent in the configuration that cases share
	config map[string]any // or a configuration of the case's own
	want   string
	// observe says what happens, in the words of want.
	observe func(p scene) string
}

// scene is where a case is run.
type scene struct {
	*flow
	t  *testing.T
	id string // of the case's agent
}

// alone is the same policy with people of its own.
func (p scene) alone() scene {
	return scene{newFlowFor(p.t, &gavel.PDP{Analyzer: p.Analyzer, Policy: p.Policy, NewID: p.NewID, Now: p.Now}), p.t, p.id}
}

// area is how the cases of one area are run.
type area struct {
	count  int
	shared map[string]any // the configuration of the cases that have none of their own, without their agents
	ops    map[string]func(t *testing.T, r row) trial
}

// TestReferenceAreas runs every case of these areas through the shipped policy and what
// is around it. Where the answer is another one, differences.yaml says which, and by
// what ruling. An operation that Gavel has nothing to compare with stands there with the
// reason. No case may be missing, and no difference may be out of date.
func TestReferenceAreas(t *testing.T) {
	t.Parallel()
	table := differencesTable(t)
	for name, a := range map[string]area{"ask": askArea(), "binding": bindingArea(), "elevated": elevatedArea(), "tool-policy": toolsArea()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := jsonLines[row](t, filepath.Join("testdata", "reference", name+".jsonl"))
			require.Len(t, rows, a.count, "no case may be dropped")
			left, nothing := maps.Clone(table[name]), maps.Clone(table["no counterpart in "+name])
			var tried []row
			for _, r := range rows {
				op := r.op(t)
				if why, none := table["no counterpart in "+name][op]; none {
					assert.NotContains(t, a.ops, op, "an operation that is run has a counterpart")
					assert.NotEmpty(t, why.Why, op)
					delete(nothing, op)
					continue
				}
				require.Contains(t, a.ops, op, "nothing runs it, and nothing says why: %s", r.Name)
				tried = append(tried, r)
			}
			assert.Empty(t, nothing, "operations that no case is about")
			for i, got := range a.results(t, tried) {
				compare(t, left, tried[i], got.want, got.got)
			}
			assert.Empty(t, left, "differences of cases that there are not")
			t.Logf("%d of %d cases are run, %d of them come out as expected", len(tried), len(rows), len(tried)-len(table[name]))
		})
	}
}

// differencesTable is what Gavel does otherwise, by area and case.
func differencesTable(t *testing.T) map[string]map[string]difference {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "reference", "differences.yaml"))
	require.NoError(t, err)
	var table map[string]map[string]difference
	require.NoError(t, yaml.Unmarshal(text, &table))
	return table
}

// compare holds a result against the table of differences.
func compare(t *testing.T, left map[string]difference, r row, want, got string) {
	t.Helper()
	known, listed := left[r.Name]
	delete(left, r.Name)
	switch {
	case want == got && listed:
		t.Errorf("%s: it is not a difference any longer: take it out of the table", r.Name)
	case want == got:
	case !listed:
		t.Errorf("%q: want %q, got %q (%s)", r.Name, want, got, r.Why)
	default:
		assert.Equal(t, known.Got, got, "%s: the table says that something else is observed", r.Name)
		assert.NotEmpty(t, known.Ruling, r.Name)
		assert.NotEmpty(t, known.Why, r.Name)
	}
}

type result struct{ want, got string }

// results runs cases: those without a configuration of their own one after the other in
// the shared one, the others beside one another.
func (a area) results(t *testing.T, rows []row) []result {
	t.Helper()
	trials, agents := make([]trial, len(rows)), map[string]any{"main": map[string]any{}}
	for i, r := range rows {
		trials[i] = a.ops[r.op(t)](t, r)
		if trials[i].config == nil && trials[i].agent != nil {
			agents[fmt.Sprintf("case%d", i)] = trials[i].agent
		}
	}
	shared := maps.Clone(a.shared)
	if shared == nil {
		shared = map[string]any{}
	}
	shared["agents"] = agents
	common, refused := settled(t, shared)
	require.Empty(t, refused, "the configuration that cases share")
	places := make([]scene, len(rows))
	var loads errgroup.Group
	loads.SetLimit(runtime.NumCPU())
	list := make([]result, len(rows))
	for i, c := range trials {
		places[i] = scene{common, t, fmt.Sprintf("case%d", i)}
		if c.config == nil {
			continue
		}
		places[i] = scene{nil, t, "main"}
		loads.Go(func() error {
			places[i].flow, list[i].got = settled(t, c.config)
			return nil
		})
	}
	require.NoError(t, loads.Wait())
	for i, c := range trials {
		list[i].want = c.want
		if places[i].flow != nil {
			list[i].got = c.observe(places[i])
		}
	}
	return list
}

// settled is a decision point with people for a configuration, or the path of the first
// problem of one that is refused.
func settled(t *testing.T, config map[string]any) (f *flow, refused string) {
	pdp, err := loading(t, config)
	if err == nil {
		return newFlowFor(t, pdp), ""
	}
	refused = err.Error()
	if problems := bundles.Problems(err); len(problems) > 0 {
		refused = problems[0].Path + ": " + problems[0].Message
	}
	return nil, "refused: " + refused
}

// codes are the codes of a decision's reasons, as one text.
func codes(d gavel.Decision) string { return strings.Join(codesOf(d), " ") }
