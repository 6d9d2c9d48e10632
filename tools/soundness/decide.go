//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"gavel"
	"gavel/analyzer"
	"gavel/bundles"
	"gavel/rego"
)

// query is a command to be decided.
type query struct {
	agent   string
	dialect string // of the shell that will run it
	command string
	env     map[string]string // environment variables that the call sets
	workdir string            // the call's working directory, or ""
	pty     bool              // the call asks for a terminal
}

// decider decides a query. Tests replace it by one with a hole.
type decider func(ctx context.Context, q query) gavel.Decision

// world describes the programs in a root and what each agent may run.
type world struct {
	view         string // as in jail
	programs     []string
	allowed      map[string]map[string]bool // agent → path inside the root
	unrestricted map[string]bool            // agents that may use every construct and write below freeDir
}

const (
	agents             = 12
	unrestrictedAgents = 4
	freeDir            = "/work/free/"
)

// newWorld assigns each agent a random selection of the programs. No agent may run hit and id, which
// the corpora often hide.
func newWorld(view string, seed uint64) world {
	rng := rand.New(rand.NewPCG(seed, 0))
	w := world{view: view, programs: stubs(), allowed: map[string]map[string]bool{}, unrestricted: map[string]bool{}}
	for i := range agents {
		mine := map[string]bool{}
		for _, name := range w.programs {
			if rng.IntN(12) < 6+i%8 && name != "hit" && name != "id" {
				mine["/usr/bin/"+name] = true
			}
		}
		allowMulticalls(rng, mine)
		mine["/work/tool"] = i%2 == 0
		w.allowed["agent"+strconv.Itoa(i)] = mine
		w.unrestricted["agent"+strconv.Itoa(i)] = i >= agents-unrestrictedAgents
	}
	return w
}

// writePolicy writes the configuration of this world below dir, and returns its path.
func (w world) writePolicy(dir string) (string, error) {
	agents := map[string]any{}
	for id, mine := range w.allowed {
		var list []string
		for path, yes := range mine {
			if yes {
				list = append(list, w.view+path)
			}
		}
		exec := map[string]any{"allowlist": list}
		agents[id] = map[string]any{"exec": exec}
		if w.unrestricted[id] {
			exec["harmlessRedirects"] = "allow"
			exec["constructs"] = map[string]any{"redirect": "paths", "substitution": "segments", "compound": "segments", "heredoc": "stdin"}
			agents[id] = map[string]any{"exec": exec, "tools": map[string]any{
				"read": map[string]any{"allow": []string{w.view + "/work/**"}}, "write": map[string]any{"allow": []string{w.view + freeDir + "**"}}}}
		}
	}
	text, err := json.Marshal(map[string]any{
		"tools":  map[string]any{"profile": "full", "exec": map[string]any{"host": "gateway", "security": "allowlist", "ask": "off"}},
		"agents": agents,
	})
	if err != nil {
		return "", fmt.Errorf("write the policy: %w", err)
	}
	name := filepath.Join(dir, "config.yaml") // JSON is YAML
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return "", fmt.Errorf("write the policy: %w", err)
	}
	return name, nil
}

// environment returns the environment that a gateway states for this world.
func (w world) environment(dialect string) *gavel.Environment {
	return &gavel.Environment{Cwd: w.view + "/work", Home: w.view + "/home", Path: []string{w.view + "/usr/bin"}, Platform: "linux", Shell: dialect}
}

// host returns the host for an analyzer of commands in the root at dir.
func (w world) host(dir string) rootHost {
	host := rootHost{dir: dir, view: w.view, programs: map[string]bool{"/work/tool": true}}
	for _, name := range w.programs {
		host.programs["/usr/bin/"+name] = true
	}
	return host
}

// newGavelDecider returns a decider that uses the analyzer, the shipped policy and this world's
// configuration for the root at dir. It writes the configuration below home.
func newGavelDecider(ctx context.Context, k *kit, w world, dir, home string) (decider, error) {
	config, err := w.writePolicy(home)
	if err != nil {
		return nil, err
	}
	snapshot, err := bundles.Load(ctx, bundles.Config{Path: config, Evaluator: bundles.Both, Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now, CompileCache: k.cache})
	if err != nil {
		return nil, fmt.Errorf("load the policy: %w", err)
	}
	observer, err := analyzer.New(analyzer.Config{Host: w.host(dir), Tables: k.tables})
	if err != nil {
		return nil, fmt.Errorf("create the analyzer: %w", err)
	}
	return func(ctx context.Context, q query) gavel.Decision {
		return snapshot.Decide(ctx, observer.Analyze(ctx, w.gavelCall(q), nil), false)
	}, nil
}
