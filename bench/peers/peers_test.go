package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	opa "github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// Peers that answered something else would be fast for nothing.
func TestEveryPeerAllowsEveryCase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, WritePolicy(filepath.Join(dir, "policy"), Small()))
	require.NoError(t, WriteBundle(filepath.Join(dir, "bundle"), Small()))
	require.NoError(t, writeTuned(filepath.Join(dir, "tuned", "data.json")))
	pdp, err := PDP(t.Context(), filepath.Join(dir, "policy"), "compiled")
	require.NoError(t, err)
	plainly, err := PlainOPA(t.Context(), "../../rego", filepath.Join(dir, "bundle"))
	require.NoError(t, err)
	tuned, err := opa.New(opa.Query("data.tuned.allow"),
		opa.Load([]string{"../testdata/tuned.rego", filepath.Join(dir, "tuned")}, nil)).PrepareForEval(t.Context())
	require.NoError(t, err)
	cedars, err := cedarTools("../testdata/tools.cedar")
	require.NoError(t, err)

	for _, c := range Cases() {
		ask := func(s shape) string {
			question, err := c.question(t.Context(), pdp.Analyzer, s)
			require.NoError(t, err)
			return string(question(nil, 42))
		}
		decision := pdp.Decide(t.Context(), c.Calls()(42), gavel.Options{})
		assert.Equal(t, gavel.Allow, decision.Effect, "%s: %+v", c.Name, decision.Reasons)

		w := httptest.NewRecorder()
		plain(plainly)(w, httptest.NewRequest("POST", "/", strings.NewReader(ask(asFacts))))
		assert.Contains(t, w.Body.String(), `"effect":"allow"`, c.Name)

		var body struct{ Input any }
		require.NoError(t, json.Unmarshal([]byte(ask(asTuned)), &body))
		results, err := tuned.Eval(t.Context(), opa.EvalInput(body.Input))
		require.NoError(t, err)
		assert.True(t, results.Allowed(), c.Name)

		w = httptest.NewRecorder()
		cedars(w, httptest.NewRequest("POST", "/", strings.NewReader(ask(asCall))))
		assert.Contains(t, w.Body.String(), `"decision":"allow"`, c.Name)
	}
}

func TestTheHandTunedPolicyAndCedarDenyWhatIsNotListed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, writeTuned(filepath.Join(dir, "data.json")))
	tuned, err := opa.New(opa.Query("data.tuned.allow"), opa.Load([]string{"../testdata/tuned.rego", dir}, nil)).PrepareForEval(t.Context())
	require.NoError(t, err)
	for _, input := range []any{
		map[string]any{"tool": "browser", "segments": []any{}},
		map[string]any{"tool": "exec", "segments": []any{map[string]any{"program": "/usr/bin/rg"}, map[string]any{"program": "/usr/bin/rm"}}},
	} {
		results, err := tuned.Eval(t.Context(), opa.EvalInput(input))
		require.NoError(t, err)
		assert.False(t, results.Allowed(), input)
	}
	cedars, err := cedarTools("../testdata/tools.cedar")
	require.NoError(t, err)
	w := httptest.NewRecorder()
	cedars(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"agent":{"id":"coder"},"tool":{"name":"browser"}}`)))
	assert.Contains(t, w.Body.String(), `"decision":"deny"`)
}

// A request is made of pieces; it must say what the analyzer says about its own call.
func TestTheFactsOfARequestEqualTheFactsOfItsCall(t *testing.T) {
	t.Parallel()
	observer, err := Analyzer()
	require.NoError(t, err)
	for _, c := range Cases() {
		question, err := c.question(t.Context(), observer, asFacts)
		require.NoError(t, err)
		facts, err := c.Facts(t.Context(), observer, 1234)
		require.NoError(t, err)
		want, err := json.Marshal(map[string]any{"input": facts})
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(question(nil, 1234)), c.Name)
		again := string(question(nil, 1235))
		assert.Equal(t, c.Name == ExecEachNew || c.Name == Pipeline, again != string(question(nil, 1234)), c.Name)
	}
}

func TestAPolicyHasItsSize(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(Size{Agents: 7, Entries: 12}.configuration(3))
	require.NoError(t, err)
	var got struct {
		Agents map[string]any
		Tools  struct{ Exec struct{ Allowlist []string } }
	}
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Len(t, got.Agents, 7)
	assert.Len(t, got.Tools.Exec.Allowlist, 12)
	assert.Equal(t, "/usr/bin/rg", got.Tools.Exec.Allowlist[11], "what is run stands last")
}

func TestCollectorTimeLeavesOutIdleProcessors(t *testing.T) {
	t.Parallel()
	trace := "{\"msg\":\"gc 1\"}\n" +
		"gc 7 @0.5s 2%: 0.02+1.5+0.1 ms clock, 0.5+1/2/100+0.25 ms cpu, 4->5->2 MB, 8 MB goal, 0 MB stacks, 0 MB globals, 2 P\n" +
		"gc 8 @0.6s 2%: 0.02+1.5+0.1 ms clock, 0.5+0/1/0+0.25 ms cpu, 4->5->2 MB, 8 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n"
	assert.Equal(t, 5500*time.Microsecond, collectorTime([]byte(trace)))
}

func TestMetricsAreRead(t *testing.T) {
	t.Parallel()
	var s sample
	for _, line := range []string{"# HELP go_memstats_mallocs_total 5", "go_memstats_mallocs_total 8.28e+05", "go_memstats_alloc_bytes_total 5e7",
		"gavel_policy_reloads_total 3", "gavel_policy_reload_failures_total 1", `gavel_decisions_total{decision="allow"} 9`} {
		s.line(line)
	}
	assert.Equal(t, sample{objects: 828_000, bytes: 5e7, reloads: 3, failures: 1}, s)
}

func TestProcessorTimeIsUserAndSystem(t *testing.T) {
	t.Parallel()
	got, err := processorTime("42 (a b) c) S 1 2 3 4 5 6 7 8 9 10 150 25 0 0 20")
	require.NoError(t, err)
	assert.Equal(t, 1750*time.Millisecond, got)
	_, err = processorTime("42 (x) S")
	assert.Error(t, err)
}

func TestTheEmbeddedOPAHasGavelsVersion(t *testing.T) {
	t.Parallel()
	version := func(dir string) string {
		list := exec.CommandContext(t.Context(), "go", "list", "-m", "github.com/open-policy-agent/opa", "mvdan.cc/sh/v3")
		list.Dir = dir
		out, err := list.Output()
		require.NoError(t, err)
		return string(out)
	}
	assert.Equal(t, version("../.."), version(".."), "run go get in bench with the versions of Gavel's go.mod")
}

func TestAServerThatEndsIsReportedWithItsOutput(t *testing.T) {
	t.Parallel()
	observer, err := Analyzer()
	require.NoError(t, err)
	lab := &Lab{Dir: t.TempDir(), Evaluator: "compiled", analyzer: observer, free: freeAddress}
	ends := func(string) []string { return []string{"/bin/sh", "-c", "echo no luck; exit 1"} }
	_, err = lab.Start(t.Context(), Server{Name: "broken", network: "tcp", command: ends})
	assert.ErrorContains(t, err, "start broken: it ended")
	assert.ErrorContains(t, err, "no luck")
}

// TestMain makes this program a peer when it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "serve" {
		os.Exit(m.Run())
	}
	if err := Serve(context.Background(), os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestAServerWhoseAddressIsTakenGetsAnother(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	observer, err := Analyzer()
	require.NoError(t, err)
	other := httptest.NewServer(http.HandlerFunc(echo)) // which even answers rightly
	t.Cleanup(other.Close)
	taken := other.Listener.Addr().String()
	for name, addresses := range map[string]func(try int) string{
		"once": func(try int) string {
			if try == 1 {
				return taken
			}
			address, err := freeAddress()
			assert.NoError(t, err)
			return address
		},
		"always": func(int) string { return taken },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tries := 0
			lab := &Lab{Dir: t.TempDir(), Evaluator: "compiled", analyzer: observer, self: self, free: func() (string, error) {
				tries++
				return addresses(tries), nil
			}}
			p, err := lab.Start(t.Context(), lab.embedded(Echo, "echo"))
			if name == "always" {
				assert.Equal(t, maxStarts, tries)
				assert.ErrorIs(t, err, errTaken)
				return
			}
			require.NoError(t, err)
			defer p.Stop()
			assert.Equal(t, 2, tries)
			assert.NotEqual(t, taken, p.address)
		})
	}
}
