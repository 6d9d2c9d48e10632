package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/hosts/all"
	"gavel/internal/cases"
	"gavel/packs"
)

// wanted is a command, and what the starter should say of it.
type wanted struct {
	ID      string   `json:"id"`
	Command string   `json:"command"`
	Want    string   `json:"want"`
	Why     string   `json:"why"`
	Here    string   `json:"here"` // what it should say in a workspace of this machine, if that is something else
	Dialect string   `json:"dialect"`
	Bins    []string `json:"bins"`
	Allowed []string `json:"allowed_bins"`
}

// starterPDP returns a decision point with the policy that gavel init writes for a host, unedited.
func starterPDP(t *testing.T, host string) *gavel.PDP {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "policy")
	a, _, _ := testApp("")
	a.evaluator = ofMany()
	require.NoError(t, a.writeStarter(dir, host))
	pdp, err := a.load(t.Context(), dir)
	require.NoError(t, err)
	return pdp
}

// asCalls returns commands as calls of an agent, with every program that they seem to name.
func asCalls(agent string, commands []wanted) []gavel.Call {
	word := regexp.MustCompile(`[A-Za-z0-9_./+@%\[-]+`)
	calls := make([]gavel.Call, len(commands))
	for i, c := range commands {
		executables := map[string]string{}
		for _, name := range slices.Concat(word.FindAllString(c.Command, -1), c.Bins, c.Allowed) {
			if strings.Trim(name, "./") == "" || strings.HasSuffix(name, "/") {
				continue
			}
			executables[programAt(name)] = programAt(name)
			if !strings.Contains(name, "/") {
				executables[name] = programAt(name)
			}
		}
		calls[i] = gavel.Call{Agent: gavel.Agent{ID: agent}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": c.Command}},
			Environment: &gavel.Environment{Cwd: workspace, Home: "/home/u", Path: []string{"/usr/bin"}, Platform: "linux",
				Shell: strings.TrimSuffix(c.Dialect, "5.3"), Executables: executables}}
	}
	return calls
}

// compareDecisions decides commands in a workspace of this machine by the policy for Claude Code, and
// compares the effects with what is wanted.
func compareDecisions(t *testing.T, workspace string, list []wanted) []gavel.Decision {
	t.Helper()
	calls := make([]gavel.Call, len(list))
	for i, c := range list {
		calls[i] = gavel.Call{Agent: gavel.Agent{ID: "claude-code"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": c.Command}},
			Environment: &gavel.Environment{Cwd: workspace, Workspace: workspace, Path: []string{"/usr/bin", "/bin"}}}
	}
	decisions := starterPDP(t, "claude-code").DecideAll(t.Context(), calls, gavel.Options{})
	for i, d := range decisions {
		assert.Equal(t, list[i].Want, d.Effect.String(), "%s\n%v", list[i].Command, d.Reasons)
	}
	return decisions
}

// logShares counts the effects, and reports them.
func logShares(t *testing.T, title string, decisions []gavel.Decision) (allowed, asked, denied float64) {
	t.Helper()
	for _, d := range decisions {
		switch d.Effect {
		case gavel.Allow:
			allowed++
		case gavel.Ask:
			asked++
		default:
			denied++
		}
	}
	all := float64(len(decisions))
	t.Logf("%s: %.1f %% of %d allowed, %.1f %% asked, %.1f %% denied", title, 100*allowed/all, len(decisions), 100*asked/all, 100*denied/all)
	return allowed / all, asked / all, denied / all
}

// What coding agents run all day is allowed by the policy for Claude Code as it is
// written. Nothing of it is denied but what is an attack, and that is not allowed.
func TestStarterAllowsEverydayCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file         string
		allowed, met float64 // of all, and of those that are meant to be allowed
	}{{"everyday.jsonl", 0.85, 0.92}, {"own.jsonl", 0.65, 0.92}, {"daily.jsonl", 0.65, 0.86}, {"common.jsonl", 0.65, 0.85}} {
		list := jsonLines[wanted](t, filepath.Join("testdata", "starter", c.file))
		require.Greater(t, len(list), 70)
		decisions := starterPDP(t, "claude-code").DecideAll(t.Context(), asCalls("claude-code", list), gavel.Options{})
		var useful []gavel.Decision
		for i, d := range decisions {
			if list[i].Want != "attack" {
				useful = append(useful, d)
			}
		}
		allowed, asked, _ := logShares(t, c.file+", without its attacks", useful)
		assert.GreaterOrEqual(t, allowed, c.allowed, c.file)
		assert.LessOrEqual(t, asked, 1-c.allowed, c.file)
		meant, met := 0, 0
		for i, d := range decisions {
			assert.Empty(t, badlyWorded(d), list[i].Command)
			switch list[i].Want {
			case "allow":
				meant++
				if d.Effect == gavel.Allow {
					met++
				}
				assert.NotEqual(t, gavel.Deny, d.Effect, "%s\n%v", list[i].Command, d.Reasons)
			case "allow-or-ask":
				assert.NotEqual(t, gavel.Deny, d.Effect, "%s\n%v", list[i].Command, d.Reasons)
			case "ask":
				assert.Equal(t, gavel.Ask, d.Effect, "%s\n%v", list[i].Command, d.Reasons)
			default:
				assert.NotEqual(t, gavel.Allow, d.Effect, list[i].Command)
			}
		}
		assert.GreaterOrEqual(t, float64(met), c.met*float64(meant), "%s: of what is meant to be allowed", c.file)
	}
}

// The same policy allows no attack of the corpus. Those that do nothing that the policy
// withholds are listed with the reason, and only those.
func TestStarterAllowsNoAttack(t *testing.T) {
	t.Parallel()
	list := jsonLines[wanted](t, filepath.Join("..", "..", "analyzer", "testdata", "bypass.jsonl"))
	require.Greater(t, len(list), 1200)
	harmless := harmlessUnderTheStarter(t)
	pdp := starterPDP(t, "claude-code")
	for i, d := range pdp.DecideAll(t.Context(), asCalls("claude-code", list), gavel.Options{}) {
		if d.Effect == gavel.Allow {
			assert.Contains(t, harmless, list[i].Command, "%s is allowed: %v", list[i].ID, d.Reasons)
		}
	}
}

// Options, and words in place of options, with which a program runs, reads or writes more than a pack promises.
func TestStarterAllowsNoOptionThatDoesMore(t *testing.T) {
	t.Parallel()
	list := jsonLines[wanted](t, filepath.Join("testdata", "starter", "options.jsonl"))
	for i, d := range starterPDP(t, "claude-code").DecideAll(t.Context(), asCalls("claude-code", list), gavel.Options{}) {
		assert.NotEqual(t, gavel.Allow, d.Effect, "%s: %v", list[i].Command, d.Reasons)
	}
}

// harmlessUnderTheStarter are the commands of the corpus that do nothing that the policy
// withholds, each listed with the reason.
func harmlessUnderTheStarter(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, row := range jsonLines[wanted](t, filepath.Join("testdata", "starter", "harmless.jsonl")) {
		require.NotEmpty(t, row.Why, row.ID)
		list[row.Command] = row.ID
	}
	return list
}

// The policy has every pack but that for accounts in the cloud, so that the above holds with all of
// the others together.
func TestStarterHasEveryPack(t *testing.T) {
	t.Parallel()
	files, err := starterFiles("claude-code")
	require.NoError(t, err)
	all, err := packs.Read()
	require.NoError(t, err)
	for _, pack := range all {
		if pack.Name == "cloud-read" { // reaches an account with the person's credentials: for each to decide
			continue
		}
		assert.Regexp(t, `(?m)^      - `+pack.Name+`\b`, string(files["config.yaml"]))
	}
}

// Of the everyday commands of another list at most one in twenty is denied.
func TestStarterDeniesHardlyAnythingUseful(t *testing.T) {
	t.Parallel()
	list := jsonLines[wanted](t, filepath.Join("..", "..", "analyzer", "testdata", "benign.jsonl"))
	decisions := starterPDP(t, "claude-code").DecideAll(t.Context(), asCalls("claude-code", list), gavel.Options{})
	_, _, denied := logShares(t, "benign.jsonl", decisions)
	assert.LessOrEqual(t, denied, 0.05)
}

// Where nobody can answer, nothing is asked.
func TestStarterForContinuousIntegrationAsksNothing(t *testing.T) {
	t.Parallel()
	list := jsonLines[wanted](t, filepath.Join("testdata", "starter", "own.jsonl"))
	list = append(list, jsonLines[wanted](t, filepath.Join("testdata", "starter", "everyday.jsonl"))...)
	all, err := packs.Read()
	require.NoError(t, err)
	for _, pack := range all {
		for _, command := range pack.Examples.Not {
			list = append(list, wanted{Command: command})
		}
	}
	person := starterPDP(t, "codex").DecideAll(t.Context(), asCalls("codex", list), gavel.Options{})
	for i, d := range starterPDP(t, "ci").DecideAll(t.Context(), asCalls("ci", list), gavel.Options{}) {
		assert.NotEqual(t, gavel.Ask, d.Effect, "%s\n%v", list[i].Command, d.Reasons)
		assert.Equal(t, person[i].Effect == gavel.Allow, d.Effect == gavel.Allow, list[i].Command)
	}
}

// Nothing about a new policy needs attention, whatever host it is for.
func TestStarterHasNoWarnings(t *testing.T) {
	t.Parallel()
	for _, host := range cases.Some([]string{"", "claude-code", "codex", "gemini-cli", "cursor", "openclaw", "ci"}, 3) {
		dir := filepath.Join(t.TempDir(), "policy")
		a, stdout, stderr := testApp("")
		require.NoError(t, a.writeStarter(dir, host))
		assert.Equal(t, exitOK, a.run(t.Context(), []string{"check", "--output", "text", dir}), stderr.String())
		assert.Contains(t, stdout.String(), "0 warnings", host)
	}
}

// Two hosts on a machine share a policy, in which each has its own tools.
func TestAPolicyForTwoHostsAllowsTheToolsOfBoth(t *testing.T) {
	t.Parallel()
	pdp := starterPDP(t, "claude,codex")
	for agent, tool := range map[string]string{"claude-code": "todowrite", "codex": "update_plan"} {
		for _, other := range []string{"claude-code", "codex"} {
			d := pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: other}, Tool: gavel.Tool{Name: tool}}, gavel.Options{})
			assert.Equal(t, agent == other, d.Effect == gavel.Allow, "%s %s: %v", other, tool, d.Reasons)
		}
	}
	for _, list := range []string{"claude-code,", "claude-code,nobody", ","} {
		_, err := startersFor(list)
		assert.ErrorContains(t, err, "there is no policy for the host", list)
	}
	nobody, err := startersFor("codex,ci")
	require.NoError(t, err)
	assert.False(t, nobody.Asks(), "where nobody can answer one of them, nobody is asked")
}

// What each host's tools become for Gavel is allowed by the policy for that host: everyday calls,
// under the id that its hook states.
func TestEachHostsStarterAllowsItsEverydayTools(t *testing.T) {
	t.Parallel()
	var list map[string]starterFor
	require.NoError(t, yaml.Unmarshal(starters, &list))
	seen := 0
	for name, host := range list {
		if _, known := all.Named(name); !known || name == "openclaw" { // OpenClaw names its agents itself
			continue
		}
		seen++
		require.Contains(t, host.ByID, name, "the hook states the host's name as the agent")
		calls := []gavel.Call{}
		pose := func(tool string, params map[string]any) {
			calls = append(calls, gavel.Call{Agent: gavel.Agent{ID: name}, Tool: gavel.Tool{Name: tool, Params: params},
				Environment: &gavel.Environment{Cwd: workspace, Workspace: workspace, Home: "/home/u", Path: []string{"/usr/bin"}, Platform: "linux",
					Shell: "bash", Executables: map[string]string{"git": "/usr/bin/git", "ls": "/usr/bin/ls"}}})
		}
		pose("exec", map[string]any{"command": "git status && ls"})
		pose("read", map[string]any{"path": "main.go"})
		pose("write", map[string]any{"path": "main.go", "content": "x"})
		pose("edit", map[string]any{"path": "main.go", "oldText": "x", "newText": "y"})
		for _, tool := range host.ByID[name].Tools {
			pose(tool, nil)
		}
		for i, d := range starterPDP(t, name).DecideAll(t.Context(), calls, gavel.Options{}) {
			assert.Equal(t, gavel.Allow, d.Effect, "%s: %s %v: %v", name, calls[i].Tool.Name, calls[i].Tool.Params, d.Reasons)
		}
	}
	assert.Equal(t, len(all.Names())-1, seen, "each host has a starter")
}
