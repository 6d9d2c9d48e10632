package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/cases"
)

// sample is a command of a list, with the programs that are allowed.
type sample struct {
	ID      string   `json:"id"`
	Command string   `json:"command"`
	Class   string   `json:"class"`
	Allowed []string `json:"allowed_bins"`
	Bins    []string `json:"bins"`
	Dialect string   `json:"dialect"`
	Model   string   `json:"model"`
}

// list reads the samples of a file of the analyzer's.
func list(t *testing.T, name string) []sample {
	t.Helper()
	return jsonLines[sample](t, filepath.Join("..", "..", "analyzer", "testdata", name))
}

// workspace is where samples run.
const workspace = "/workspace/app"

// programAt is where a program of a sample is: in /usr/bin, or where its path says.
func programAt(name string) string {
	switch {
	case filepath.IsAbs(name):
		return name
	case strings.Contains(name, "/"):
		return filepath.Join(workspace, name)
	default:
		return "/usr/bin/" + name
	}
}

// judge decides every sample by the shipped policy, for an agent with an allowlist of
// exactly its programs, in /usr/bin and without a word about arguments.
func judge(t *testing.T, samples []sample) []gavel.Decision {
	t.Helper()
	return decideWithSettings(t, samples, func(programs []string) string {
		for i, name := range programs {
			programs[i] = fmt.Sprintf("%q", programAt(name))
		}
		return "allowlist: [" + strings.Join(programs, ", ") + "]"
	})
}

// decideWithSettings does the same with settings for each agent, which depend on its programs. Further
// files of the policy are name, content, name, content.
func decideWithSettings(t *testing.T, samples []sample, settings func(programs []string) string, files ...string) []gavel.Decision {
	t.Helper()
	pdp, calls := prepareSamples(t, samples, settings, files...)
	decisions := pdp.DecideAll(t.Context(), calls, gavel.Options{})
	for i, d := range decisions {
		assert.Empty(t, badlyWorded(d), samples[i].Command)
	}
	return decisions
}

// badlyWorded returns the code of the first reason whose message or fix has a place that
// was not filled, or something to fill that has no place.
func badlyWorded(d gavel.Decision) string {
	for _, r := range d.Reasons {
		if strings.Contains(r.Message+r.Fix, "%!") || strings.Contains(r.Fix, "%s") || strings.Contains(r.Fix, "%q") {
			return r.Code
		}
	}
	return ""
}

// prepareSamples returns a decision point with such a policy, and the samples as calls. Samples
// whose settings are the same have the same agent: what the policy says of an agent is
// evaluated once for each.
func prepareSamples(t *testing.T, samples []sample, settings func(programs []string) string, files ...string) (*gavel.PDP, []gavel.Call) {
	t.Helper()
	var policy strings.Builder
	policy.WriteString("tools: {exec: {security: allowlist, ask: on-miss, host: gateway}}\nagents:\n")
	calls, agents := make([]gavel.Call, len(samples)), map[string]string{}
	for i, c := range samples {
		executables, programs := map[string]string{}, append(slices.Clone(c.Allowed), c.Bins...)
		for _, name := range programs {
			executables[programAt(name)] = programAt(name)
			if !strings.Contains(name, "/") {
				executables[name] = programAt(name)
			}
		}
		exec := settings(programs)
		agent, found := agents[exec]
		if !found {
			agent = fmt.Sprintf("agent%d", i)
			agents[exec] = agent
			fmt.Fprintf(&policy, "  %s: {exec: {%s}}\n", agent, exec)
		}
		calls[i] = gavel.Call{
			Agent: gavel.Agent{ID: agent},
			Tool:  gavel.Tool{Name: "exec", Params: map[string]any{"command": c.Command}},
			Environment: &gavel.Environment{Cwd: workspace, Home: "/home/u",
				Shell: strings.TrimSuffix(c.Dialect, "5.3"), Executables: executables},
		}
	}
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(policy.String()), 0o600))
	a, _, _ := testApp("")
	a.evaluator = ofMany()
	pdp, err := a.load(t.Context(), dir)
	require.NoError(t, err)
	return pdp, calls
}

// openedConstructs returns settings under which every construct may be used, and the files of the
// working directory.
func openedConstructs(programs []string) string {
	quoted := make([]string, len(programs))
	for i, name := range programs {
		quoted[i] = fmt.Sprintf("%q", programAt(name))
	}
	return "harmlessRedirects: allow, constructs: {redirect: paths, substitution: segments, compound: segments, heredoc: stdin}, " +
		"allowlist: [" + strings.Join(quoted, ", ") + "]}, tools: {read: {allow: [./**]}, write: {allow: [./**]}"
}

// TestNoAttackIsAllowed decides every attack for an agent whose allowlist has exactly
// its programs. None may be allowed.
func TestNoAttackIsAllowed(t *testing.T) {
	t.Parallel()
	samples := list(t, "bypass.jsonl")
	require.Len(t, samples, 1283)
	for i, d := range judge(t, samples) {
		assert.NotEqual(t, gavel.Allow, d.Effect, "%s %s %s", samples[i].ID, samples[i].Model, samples[i].Command)
	}
}

// TestEverydayCommands holds the everyday commands that argument hazards keep from
// being allowed, with the first reason.
func TestEverydayCommands(t *testing.T) {
	t.Parallel()
	samples := list(t, "benign.jsonl")
	missed, allowed := []string{}, 0
	for i, d := range judge(t, samples) {
		if d.Effect == gavel.Allow {
			allowed++
		}
		for _, reason := range d.Reasons {
			if reason.Code == "exec.hazard" {
				missed = append(missed, samples[i].Command+"\n\t"+reason.Message)
				break
			}
		}
	}
	want, err := os.ReadFile(filepath.Join("testdata", "everyday-missed.txt"))
	require.NoError(t, err)
	assert.Equal(t, string(want), strings.Join(missed, "\n")+"\n")
	assert.Equal(t, 148, allowed)
}

// TestNoAttackIsASafeBin decides every attack for an agent whose safe bins are its
// programs, and which has no allowlist. None may be allowed.
func TestNoAttackIsASafeBin(t *testing.T) {
	t.Parallel()
	samples := list(t, "bypass.jsonl")
	require.Len(t, samples, 1283)
	known := regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)
	for i, d := range decideWithSettings(t, samples, func(programs []string) string {
		var names, profiles []string
		for _, name := range programs {
			if known.MatchString(name) {
				names = append(names, fmt.Sprintf("%q", name))
				profiles = append(profiles, fmt.Sprintf("%q: {}", name))
			}
		}
		return "safeBins: [" + strings.Join(names, ", ") + "], safeBinProfiles: {" + strings.Join(profiles, ", ") + "}"
	}) {
		assert.NotEqual(t, gavel.Allow, d.Effect, "%s %s %s", samples[i].ID, samples[i].Model, samples[i].Command)
	}
}

// TestEverydayCommandsWithConstructsOpened decides the everyday commands for agents
// that may use every construct, and the files of their working directory. The list of
// those that are not allowed is exact, each with its first reason.
func TestEverydayCommandsWithConstructsOpened(t *testing.T) {
	t.Parallel()
	samples := list(t, "benign.jsonl")
	missed := []string{}
	for i, d := range decideWithSettings(t, samples, openedConstructs) {
		if d.Effect != gavel.Allow {
			missed = append(missed, samples[i].Command+"\n\t"+d.Reasons[0].Code+": "+d.Reasons[0].Message)
		}
	}
	want, err := os.ReadFile(filepath.Join("testdata", "everyday-opened.txt"))
	require.NoError(t, err)
	assert.Equal(t, string(want), strings.Join(missed, "\n")+"\n")
}

// TestRulesThatReadMoreChangeNoDecision decides every command of the corpora by the shipped
// policy, whose answers are cached by the facts that its rules look at, and by one with Rego of
// its own that looks at every text. make test takes some of them.
func TestRulesThatReadMoreChangeNoDecision(t *testing.T) {
	t.Parallel()
	for _, corpus := range []string{"bypass.jsonl", "benign.jsonl"} {
		samples := cases.Some(list(t, corpus), 8)
		whole := decideWithSettings(t, samples, openedConstructs, "own.rego", "package custom.silent\n\ndeny contains \"never\" if input.exec.command == \"no such command\"\n")
		for i, d := range decideWithSettings(t, samples, openedConstructs) {
			d.ID, d.Revision, whole[i].ID, whole[i].Revision = "", "", "", ""
			assert.Equal(t, whole[i], d, samples[i].Command)
		}
	}
}

// TestExplainingChangesNoDecision decides every command of the corpora twice: an
// explanation is evaluated by itself, with all the facts at once. make test takes some.
func TestExplainingChangesNoDecision(t *testing.T) {
	t.Parallel()
	for _, corpus := range []string{"bypass.jsonl", "benign.jsonl"} {
		samples := cases.Some(list(t, corpus), 8)
		pdp, calls := prepareSamples(t, samples, openedConstructs)
		plain := pdp.DecideAll(t.Context(), calls, gavel.Options{})
		explained := pdp.DecideAll(t.Context(), calls, gavel.Options{Explain: true})
		layers := len(explained[0].Layers)
		require.NotZero(t, layers)
		for i, d := range explained {
			assert.Len(t, d.Layers, layers, samples[i].Command)
			d.ID, d.Layers, d.Facts, plain[i].ID = "", nil, nil, ""
			assert.Equal(t, plain[i], d, samples[i].Command)
		}
	}
}
