package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// reference is one case of the reference's behaviour, of the areas wrapper,
// allow-always, env, glob and exec-analysis. What it expects holds unless a ruling
// says otherwise; then the case stands in a table of differences. Where a verdict is a
// weakness of the reference, the safer one is what is expected.
type reference struct {
	Area   string          `json:"area"`
	Name   string          `json:"name"`
	Input  referenceInput  `json:"input"`
	Expect referenceExpect `json:"expect"`
	Bug    bool            `json:"reference_bug"`
	Safer  referenceExpect `json:"safer"`
}

type referenceInput struct {
	Op, Host, Platform, Command, Cwd, Home, Security, Ask, Token, Pattern, Target, Name, Key string

	StrictInlineEval bool

	Argv        []string
	Deny        []string
	Executables map[string]string
	Symlinks    map[string]string
	Env         map[string]string
	Overrides   map[string]string
	Allowlist   []json.RawMessage
}

type referenceExpect struct {
	Decision, Kind, BlockedWrapper, Error, Name       string
	Ran, Match, OverrideBlocked, IsShellWrapper       bool
	IsDispatchWrapper, PolicyBlocked, InterpreterLike bool
	Manipulated, Assignment                           bool
	Argv, WrapperChain, Blocked, Invalid              []string
	Patterns                                          []json.RawMessage
	AssignmentKeys                                    []string
	Inline                                            *string
	Env                                               map[string]string
}

// references reads the cases of a file.
func references(t *testing.T, name string) []reference {
	t.Helper()
	return jsonLines[reference](t, filepath.Join("testdata", name))
}

// differences reads the table of cases that are decided otherwise: area, name, what
// is observed, and the ruling that says so with the reason.
func differences(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	table := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		require.Len(t, fields, 4, "area, name, observed, ruling and why, separated by tabs: %q", line)
		key := fields[0] + "\t" + fields[1]
		require.NotContains(t, table, key, "the table names a case twice")
		require.Regexp(t, `^(R\d+|W\d+|EXEC-\d+): .`, fields[3], "a difference needs the ruling, the weakness or the principle that it follows")
		table[key] = fields[2]
	}
	return table
}

// TestReferencePrograms runs every case of these areas through the analyzer and the
// policy. Each difference stands in a table, and each line of the table is one.
func TestReferencePrograms(t *testing.T) {
	t.Parallel()
	list := references(t, "reference-programs.jsonl")
	require.Len(t, list, 524, "no case may be dropped")
	table := differences(t, "reference-programs.txt")
	maps.Copy(table, differences(t, "reference-exec-analysis.txt"))
	counts, different := map[string]int{}, 0
	for i, run := range askReference(t, list) {
		c := list[i]
		counts[c.Area]++
		want, got := run.observe(c)
		key := c.Area + "\t" + strings.ReplaceAll(strings.ReplaceAll(c.Name, "\n", `\n`), "\t", `\t`)
		switch told, listed := table[key]; {
		case want == got && listed:
			t.Errorf("%s is not a difference any longer: take it out of the table", key)
		case want != got && !listed:
			t.Errorf("%s: want %s, got\n%s\t%s\t", key, want, key, got)
		case want != got:
			different++
			assert.Equal(t, told, got, "%s: the table says that something else is observed", key)
		}
		delete(table, key)
	}
	assert.Empty(t, table, "the table names cases that there are not")
	assert.Equal(t, map[string]int{"wrapper": 160, "allow-always": 52, "env": 149, "glob": 39, "exec-analysis": 124}, counts)
	t.Logf("%d of %d cases are decided as the reference decides them", len(list)-different, len(list))
}

// outcome is what came of a case.
type outcome struct {
	refused  string // why the configuration is refused, or ""
	decision gavel.Decision
}

// askReference decides every case, each by an agent of its own.
func askReference(t *testing.T, list []reference) []outcome {
	t.Helper()
	agents, runs := map[string]any{}, make([]outcome, len(list))
	for i, c := range list {
		if c.Input.Op != "toolNameGlob" {
			agents[fmt.Sprintf("case%d", i)] = map[string]any{"exec": c.exec()}
		}
	}
	pdp := referencePDP(t, map[string]any{"tools": map[string]any{"profile": "full"}, "agents": agents})
	require.NotNil(t, pdp)
	for i, c := range list {
		id := fmt.Sprintf("case%d", i)
		if c.Input.Op == "toolNameGlob" {
			alone := referencePDP(t, map[string]any{"agents": map[string]any{id: map[string]any{"tools": map[string]any{"deny": c.Input.Deny}}}})
			if alone == nil {
				runs[i].refused = "configuration error"
				continue
			}
			runs[i].decision = alone.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: id}, Tool: gavel.Tool{Name: c.Input.Name}}, gavel.Options{})
			continue
		}
		runs[i].decision = pdp.Decide(t.Context(), c.call(id), gavel.Options{Explain: true})
	}
	return runs
}

// referencePDP is nil for a configuration that is refused.
func referencePDP(t *testing.T, config map[string]any) *gavel.PDP {
	t.Helper()
	pdp, err := loading(t, config)
	if err != nil {
		t.Log(err)
		return nil
	}
	return pdp
}

// exec is the configuration of the case's agent.
func (c reference) exec() map[string]any {
	host := "gateway"
	if c.Input.Host == "node" {
		host = "node"
	}
	list := []any{}
	for _, raw := range c.Input.Allowlist {
		var entry struct{ Pattern string }
		if json.Unmarshal(raw, &entry) != nil {
			_ = json.Unmarshal(raw, &entry.Pattern)
		}
		if strings.TrimSpace(entry.Pattern) != "" { // a blank entry is a configuration error (R3)
			list = append(list, entry.Pattern)
		}
	}
	switch c.Input.Op {
	case "", "allowAlways", "systemRun", "interpreterLikePattern":
	case "matchExecAllowlistPattern":
		if list = []any{c.Input.Pattern}; strings.TrimSpace(c.Input.Pattern) == "" {
			list = []any{} // a configuration error as well
		}
	default:
		list = []any{"*"}
	}
	return map[string]any{"host": host, "node": "n1", "security": cmp.Or(c.Input.Security, "allowlist"), "ask": cmp.Or(c.Input.Ask, "on-miss"), "allowlist": list, "strictInlineEval": c.Input.StrictInlineEval}
}

// call is the case as a call. Words of an argv stand in quotes; a machine has every
// program that it names.
func (c reference) call(id string) gavel.Call {
	in, params := c.Input, map[string]any{}
	programs := map[string]string{}
	for name, path := range in.Executables {
		programs[name] = path
		if target, linked := in.Symlinks[path]; linked {
			programs[path] = target
		}
	}
	for _, word := range append(strings.Fields(in.Command), in.Argv...) {
		if strings.HasSuffix(word, ".sh") { // the reference takes scripts for granted
			file := path.Join(cmp.Or(in.Cwd, "/srv/app"), word)
			programs[word], programs[file] = file, file
		}
	}
	argv := in.Argv
	switch in.Op {
	case "normalizeExecutableToken", "isShellWrapper", "isDispatchWrapper":
		argv = []string{in.Token}
	case "isEnvAssignment":
		argv = []string{"env", in.Token, "ls"}
	case "matchExecAllowlistPattern":
		argv, programs[in.Target] = []string{in.Target}, in.Target
	case "interpreterLikePattern":
		argv = []string{strings.NewReplacer("**", "/usr", "*", "").Replace(in.Pattern)}
	case "envKey":
		argv, params["env"] = []string{"ls"}, map[string]any{in.Key: "v"}
	case "envOverride", "sanitizeEnv", "systemRunEnv", "gatewayEnvError":
		argv = []string{"ls"}
	}
	if env := cmp.Or(envOf(in.Env), envOf(in.Overrides)); env != nil {
		params["env"] = *env
	}
	if in.Op != "" && in.Op != "allowAlways" && in.Op != "systemRun" {
		for _, word := range append(slices.Clone(argv), "ls", "sh", "X", "x", "id") {
			name := word[strings.LastIndexByte(word, '/')+1:]
			if name != "" && programs[name] == "" {
				programs[name] = "/usr/bin/" + name
			}
			if strings.HasPrefix(word, "/") {
				programs[word] = word
			}
		}
	}
	params["command"] = in.Command
	if in.Command == "" {
		quoted := make([]string, len(argv))
		for i, word := range argv {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		params["command"] = strings.Join(quoted, " ")
	}
	return gavel.Call{Agent: gavel.Agent{ID: id}, Tool: gavel.Tool{Name: "exec", Params: params},
		Environment: &gavel.Environment{Cwd: cmp.Or(in.Cwd, "/srv/app"), Home: cmp.Or(in.Home, "/home/u"),
			Platform: cmp.Or(in.Platform, "linux"), Executables: programs}}
}

// envOf is a parameter env, or nil for none.
func envOf(env map[string]string) *map[string]any {
	if len(env) == 0 {
		return nil
	}
	given := map[string]any{}
	for name, value := range env {
		given[name] = value
	}
	return &given
}
