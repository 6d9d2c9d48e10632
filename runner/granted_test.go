//go:build linux

package runner_test

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/grant"
	"gavel/runner"
)

// granted is a call that people agreed to, with the grant that proves it.
type granted struct {
	call     gavel.Call
	decision gavel.Decision
	bound    grant.Bound
	claims   grant.Claims
	key      ed25519.PrivateKey
	now      time.Time
	used     string // file of used grants; "" for none
}

func grantOf(t *testing.T) *granted {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	require.NotEmpty(t, public)
	dir := directory(t)
	tool := write(t, filepath.Join(dir, "tool"), "#!/bin/sh\necho ran $A\n")
	pin := pinOf(t, 0, gavel.PinProgram, tool)
	g := &granted{key: key, now: time.Unix(1_800_000_000, 0)}
	g.call = gavel.Call{Agent: gavel.Agent{ID: "Coder"}, Session: gavel.Session{Key: "Agent:coder:main"},
		Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "tool", "workdir": dir, "env": map[string]any{"A": "1"}}}}
	g.decision = allow(t, dir, []gavel.Pin{pin}, tool)
	g.decision.Exec.Env = map[string]string{"A": "1"}
	g.bound = grant.Bound{Tool: "exec", Agent: "coder", Session: "agent:coder:main", Host: "gateway", Cwd: dir, Shell: "bash", Command: g.decision.Exec.Command,
		Argv: [][]string{{tool}}, Wrappers: [][][]string{{}}, Scripts: []grant.Script{{Path: tool, SHA256: pin.SHA256}}, Params: "{}",
		Executables: []grant.File{{Path: tool, Device: pin.Device, Inode: pin.Inode}}, Env: [][2]string{{"A", "1"}}}
	g.claims = grant.Claims{ID: "grant", Approval: "approval", IssuedAt: g.now.Unix(), Expires: g.now.Unix() + 60, Agent: "coder", Host: "gateway"}
	return g
}

// prepare has a runner prepare the call with its grant.
func (g *granted) prepare(t *testing.T, r *runner.Runner) error {
	t.Helper()
	plan, err := r.Prepare(t.Context(), g.call, "/")
	if err != nil {
		return err
	}
	defer plan.Close()
	out, _, err := start(t, plan)
	require.NoError(t, err)
	assert.Equal(t, "ran 1\n", out)
	return nil
}

// runner is one that knows the key, and whose authority allows the call.
func (g *granted) runner(t *testing.T) *runner.Runner {
	t.Helper()
	binding := g.bound.Hash()
	g.claims.Binding, g.claims.Parts = binding.Hash, binding.Parts
	token, err := grant.Sign(g.key, g.claims)
	require.NoError(t, err)
	g.decision.Approval = &gavel.Pending{ID: "approval", Grant: &gavel.Grant{Token: token}}
	var used runner.Ledger
	if g.used != "" {
		used = &runner.UsedGrants{Path: g.used}
	}
	return runnerOf(t, runner.Config{Keys: []ed25519.PublicKey{g.key.Public().(ed25519.PublicKey)}, Used: used, Now: func() time.Time { return g.now },
		Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return g.decision, nil }}})
}

func TestAGrantIsGoodOnceForWhatWasApproved(t *testing.T) {
	g := grantOf(t)
	r := g.runner(t)
	require.NoError(t, g.prepare(t, r))
	err := g.prepare(t, r)
	refused(t, err, runner.CodeGrant)
	assert.ErrorContains(t, err, "already been used")
}

// change is a difference between a grant and the call, and how the refusal names it.
type change struct {
	change func(t *testing.T, g *granted)
	says   string
}

func TestAGrantForAnythingElseRunsNothing(t *testing.T) {
	for name, c := range map[string]change{
		"another agent":           {func(_ *testing.T, g *granted) { g.call.Agent.ID = "main" }, "mismatch: agent"},
		"another approval":        {func(_ *testing.T, g *granted) { g.claims.Approval = "other" }, "another approval, agent or host"},
		"another host":            {func(_ *testing.T, g *granted) { g.claims.Host = "node" }, "another approval, agent or host"},
		"another node":            {func(_ *testing.T, g *granted) { g.claims.Node = "n" }, "another approval, agent or host"},
		"another session":         {func(_ *testing.T, g *granted) { g.call.Session.Key = "agent:coder:other" }, "mismatch: session"},
		"another tool":            {func(_ *testing.T, g *granted) { g.bound.Tool = "write" }, "mismatch: tool"},
		"another directory":       {func(_ *testing.T, g *granted) { g.bound.Cwd = "/" }, "mismatch: cwd"},
		"another shell":           {func(_ *testing.T, g *granted) { g.bound.Shell = "dash" }, "mismatch: shell"},
		"other words":             {func(_ *testing.T, g *granted) { g.bound.Command += " 'x'" }, "mismatch: command"},
		"another file":            {func(_ *testing.T, g *granted) { g.bound.Executables[0].Inode = "1" }, "mismatch: executables"},
		"another variable":        {func(_ *testing.T, g *granted) { g.bound.Env[0][0] = "B" }, "mismatch: env"},
		"another value":           {func(_ *testing.T, g *granted) { g.bound.Env[0][1] = "2" }, "mismatch: env"},
		"another program":         {func(_ *testing.T, g *granted) { g.bound.Argv[0][0] = "/usr/bin/tool" }, "mismatch: argv"},
		"another argument":        {func(_ *testing.T, g *granted) { g.bound.Argv[0] = append(g.bound.Argv[0], "x") }, "mismatch: argv"},
		"a wrapper":               {func(_ *testing.T, g *granted) { g.bound.Wrappers[0] = [][]string{{"dispatcher", "/usr/bin/nice"}} }, "mismatch: wrappers"},
		"another content":         {func(_ *testing.T, g *granted) { g.bound.Scripts[0].SHA256 = strings.Repeat("0", 64) }, "mismatch: scripts"},
		"no content":              {func(_ *testing.T, g *granted) { g.bound.Scripts = nil }, "mismatch: scripts"},
		"another parameter":       {func(_ *testing.T, g *granted) { g.call.Tool.Params["pty"] = true }, "mismatch: params"},
		"a directory before PATH": {func(_ *testing.T, g *granted) { g.decision.Exec.PathPrepend = []string{"/tmp"} }, "mismatch: pathPrepend"},
		"a directory less":        {func(_ *testing.T, g *granted) { g.bound.PathPrepend = []string{"/opt"} }, "mismatch: pathPrepend"},
		"other paths to write": {func(_ *testing.T, g *granted) {
			g.decision.Exec.Writes = &gavel.Writes{Under: []string{"/"}, Inexact: []string{}}
		}, "other obligations: writes"},
		"no limit of writing": {func(_ *testing.T, g *granted) { g.claims.Obligations = map[string]string{"writes": "0"} }, "other obligations: writes"},
		"another time limit": {func(_ *testing.T, g *granted) {
			g.decision.Exec.Lifecycle = &gavel.Lifecycle{TimeoutSec: new(int64(9))}
		}, "other obligations: lifecycle"},
		"the background": {func(_ *testing.T, g *granted) { g.claims.Obligations = map[string]string{"synchronous": "0"} }, "other obligations: synchronous"},
		"another sandbox": {func(_ *testing.T, g *granted) {
			g.decision.Exec.Sandbox = &gavel.Sandbox{Backend: "docker"}
		}, "other obligations: sandbox"},
		"a set variable": {func(_ *testing.T, g *granted) { g.decision.Exec.Env["B"] = "1" }, "mismatch: env"},
		"a matching file": {func(_ *testing.T, g *granted) {
			g.decision.Exec.Pins.Matches = []gavel.PinMatch{{Pattern: "/x*", SHA256: strings.Repeat("0", 64)}}
		}, "mismatch: scripts"},
		"no variable":      {func(_ *testing.T, g *granted) { g.bound.Env = nil }, "mismatch: env"},
		"its time is over": {func(_ *testing.T, g *granted) { g.claims.Expires = g.now.Unix() }, "expired"},
		"of the future":    {func(_ *testing.T, g *granted) { g.claims.IssuedAt += 3600; g.claims.Expires += 7200 }, "future"},
		"of another key": {func(t *testing.T, g *granted) {
			_, other, err := ed25519.GenerateKey(nil)
			require.NoError(t, err)
			known := g.key
			g.key = other
			_ = g.runner(t)
			g.key = known
		}, "not signed by a known key"},
	} {
		t.Run(name, c.isRefused)
	}
}

func TestAGrantDoesNotCoverAFileThatWasReplacedBeforeTheDecision(t *testing.T) {
	for name, c := range map[string]change{
		"a script that was replaced before the decision": {func(t *testing.T, g *granted) {
			tool := g.bound.Executables[0].Path
			require.NoError(t, os.WriteFile(tool, []byte("#!/bin/sh\necho evil\n"), 0o700))
			g.decision.Exec.Pins.Files[0] = pinOf(t, 0, gavel.PinProgram, tool)
		}, "mismatch: scripts"},
		"a program that was replaced before the decision": {func(t *testing.T, g *granted) {
			tool := g.bound.Executables[0].Path
			require.NoError(t, os.Rename(write(t, tool+"2", "#!/bin/sh\necho ran $A\n"), tool))
			g.decision.Exec.Pins.Files[0] = pinOf(t, 0, gavel.PinProgram, tool)
		}, "mismatch: executables"},
	} {
		t.Run(name, c.isRefused)
	}
}

func (c change) isRefused(t *testing.T) {
	g := grantOf(t)
	c.change(t, g)
	forged := g.decision.Approval
	r := g.runner(t)
	if forged != nil {
		g.decision.Approval = forged
	}
	err := g.prepare(t, r)
	refused(t, err, runner.CodeGrant)
	assert.ErrorContains(t, err, c.says)
}

func TestAGrantCountsOnceForTwoRunners(t *testing.T) {
	g := grantOf(t)
	g.used = filepath.Join(directory(t), "used.json")
	first, second := g.runner(t), g.runner(t)
	require.NoError(t, g.prepare(t, first))
	err := g.prepare(t, second)
	refused(t, err, runner.CodeGrant)
	assert.ErrorContains(t, err, "already been used")
}

func TestAnApprovalWithoutAGrantRunsNothing(t *testing.T) {
	g := grantOf(t)
	r := g.runner(t)
	g.decision.Approval.Grant = nil
	err := g.prepare(t, r)
	refused(t, err, runner.CodeGrant)
	assert.ErrorContains(t, err, "no grant that proves it")
}

func TestAGrantCoversAFileAsItIsWhenItRuns(t *testing.T) {
	g := grantOf(t)
	r := g.runner(t)
	tool := g.bound.Executables[0].Path
	text, err := os.ReadFile(tool)
	require.NoError(t, err)
	require.NoError(t, os.Remove(tool))
	write(t, tool, strings.Replace(string(text), "ran", "evil", 1))
	require.Error(t, g.prepare(t, r))
}
