package bundles_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/bundles"
	"gavel/rego"
)

// sharedCache is the compile cache of all tests. Without it the tests would spend most of their
// time compiling the shipped Rego.
var sharedCache = sync.OnceValues(bundles.NewCompileCache)

// shipped returns a Config with both evaluators for the policy at path, or for the shipped default.
func shipped(path string) bundles.Config {
	programs, err := sharedCache()
	if err != nil {
		panic(err)
	}
	return bundles.Config{Path: path, Evaluator: bundles.Both, CompileCache: programs, Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now}
}

// policyDir writes a policy directory. pairs are names and contents of files in turn.
func policyDir(t testing.TB, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		writeFile(t, filepath.Join(dir, pairs[i]), pairs[i+1])
	}
	return dir
}

func writeFile(t testing.TB, name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
}

func load(t testing.TB, path string) *bundles.Snapshot {
	t.Helper()
	s, err := bundles.Load(context.Background(), shipped(path))
	require.NoError(t, err)
	return s
}

// problemsOf loads a policy that must fail, and returns its problems.
func problemsOf(t testing.TB, path string) []gavel.Problem {
	t.Helper()
	_, err := bundles.Load(context.Background(), shipped(path))
	require.Error(t, err)
	return bundles.Problems(err)
}

var shippedTables = sync.OnceValues(func() (analyzer.Tables, error) { return analyzer.ReadTables(rego.Policy) })

func factsOf(t testing.TB, call string) gavel.Facts {
	t.Helper()
	tables, err := shippedTables()
	require.NoError(t, err)
	// The catalog of programs is empty, because cmd/gavel tests arguments.
	catalog, err := programs.New(nil, nil, programs.Words{})
	require.NoError(t, err)
	known := analyzer.Tables{Aliases: analyzer.Aliases{"bash": "exec", "apply-patch": "apply_patch"}, Tools: tables.Tools}
	known.Wrappers, known.Builtins, known.Effects, known.Code = tables.Wrappers, tables.Builtins, tables.Effects, tables.Code
	known.Hazards, err = hazard.New(catalog)
	require.NoError(t, err)
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Platform: "linux", Tables: known})
	require.NoError(t, err)
	var c gavel.Call
	require.NoError(t, json.Unmarshal([]byte(call), &c))
	return a.Analyze(context.Background(), c, nil)
}

func decide(t testing.TB, s *bundles.Snapshot, call string) gavel.Decision {
	t.Helper()
	return s.Decide(context.Background(), factsOf(t, call), false)
}

func codes(d gavel.Decision) []string {
	list := []string{}
	for _, reason := range d.Reasons {
		list = append(list, reason.Code)
	}
	return list
}

func execCall(agent, command string) string {
	text, err := json.Marshal(map[string]any{
		"agent": map[string]any{"id": agent},
		"tool":  map[string]any{"name": "bash", "params": map[string]any{"command": command}},
		"environment": map[string]any{
			"cwd": "/srv/app", "home": "/home/u", "path": []string{"/usr/bin"},
			"executables": map[string]string{
				"wc": "/usr/bin/wc", "head": "/usr/bin/head", "tail": "/usr/bin/tail", "cut": "/usr/bin/cut",
				"rm": "/usr/bin/rm", "rg": "/usr/bin/rg", "mine": "/home/u/bin/mine", "env": "/usr/bin/env",
			},
		},
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func toolCall(agent, tool string) string {
	return `{"agent":{"id":"` + agent + `"},"tool":{"name":"` + tool + `"}}`
}
