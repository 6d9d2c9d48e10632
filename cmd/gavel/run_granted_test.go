//go:build linux

package main

import (
	"context"
	"crypto/ed25519"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/client"
	"gavel/grant"
	"gavel/runner"
	"gavel/runner/front"
)

// personApproves is an authority at which a person agrees to every question at once.
type personApproves struct {
	runner.Authority
	approve func(id string)
	spoil   func(*gavel.Decision) // changes decisions that allow; may be nil
}

func (p *personApproves) Decide(ctx context.Context, call gavel.Call) (gavel.Decision, error) {
	decision, err := p.Authority.Decide(ctx, call)
	if decision.Effect == gavel.Allow && p.spoil != nil {
		p.spoil(&decision)
	}
	return decision, err
}

func (p *personApproves) Wait(ctx context.Context, decision gavel.Decision) (client.Answer, error) {
	p.approve(decision.Approval.ID)
	if remote, ok := p.Authority.(*client.Client); ok {
		return remote.Wait(ctx, decision)
	}
	answer := client.Answer{ID: decision.Approval.ID, State: gavel.ApprovalResolved, Decision: gavel.AllowOnce}
	answer.Outcome = &struct {
		Effect  gavel.Effect   `json:"effect"`
		Reasons []gavel.Reason `json:"reasons"`
	}{Effect: gavel.Allow}
	return answer, nil
}

// grantingAuthorities are a decision point in this process and one over HTTP, which ask about every
// command, with the keys of their grants.
func grantingAuthorities(t *testing.T, config string) map[string]func(t *testing.T) (*personApproves, []ed25519.PublicKey) {
	t.Helper()
	keysIn := func(t *testing.T, state string) []ed25519.PublicKey {
		t.Helper()
		keys, err := front.Keys(state)
		require.NoError(t, err)
		require.NotEmpty(t, keys)
		return keys
	}
	return map[string]func(t *testing.T) (*personApproves, []ed25519.PublicKey){
		"in process": func(t *testing.T) (*personApproves, []ed25519.PublicKey) {
			f, state := newFlow(t, config), t.TempDir()
			keys, err := approvals.OpenKeys(filepath.Join(state, "keys"), uuid.NewString)
			require.NoError(t, err)
			f.people, err = approvals.Open(t.Context(), approvals.Config{Store: approvals.NewInMemory(), NewID: uuid.NewString, Now: time.Now,
				Allowlist: f.file, Grants: keys, Revision: func() string { return f.Policy.Current().Revision() }})
			require.NoError(t, err)
			t.Cleanup(f.people.Close)
			f.Approvals = f.people
			return &personApproves{Authority: runner.Here{PDP: f.PDP}, approve: func(id string) {
				_, err := f.people.Resolve(t.Context(), approvals.Resolution{ID: id, Answer: "allow-once", By: "approve"})
				require.NoError(t, err)
			}}, keysIn(t, state)
		},
		"over HTTP": func(t *testing.T) (*personApproves, []ed25519.PublicKey) {
			o := startTestServer(t, config)
			remote, err := client.New(client.Config{URL: o.url, Token: o.token("gateway"), Pins: true})
			require.NoError(t, err)
			return &personApproves{Authority: remote, approve: func(id string) {
				status, body := o.resolve("approve", id, "allow-once")
				require.Equal(t, http.StatusOK, status, body)
			}}, keysIn(t, o.state)
		},
	}
}

// grantedCall is a command in a directory with a tool, a script and some files.
func grantedCall(t *testing.T, command string) (gavel.Call, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\necho tool\n"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "script.sh"), []byte("echo script\n"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(dir, "tool"), filepath.Join(dir, "link")))
	return gavel.Call{Agent: gavel.Agent{ID: "main"}, Session: gavel.Session{Key: "agent:main:main"},
		Tool:        gavel.Tool{Name: "exec", Params: map[string]any{"command": command, "env": map[string]any{"LC_ALL": "C"}, "pty": false, "timeout": 2.5, "workdir": dir}},
		Environment: &gavel.Environment{Cwd: "/", Home: "/home/u", Path: []string{"/usr/bin", "/bin"}, Platform: "linux", Shell: "bash"}}, dir
}

const (
	asksAlways     = "tools: {exec: {host: gateway, ask: always, constructs: {compound: segments, redirect: paths}}, write: {allow: [/srv/**, /tmp/**]}, read: {allow: [/**]}}\nagents: {main: {}}\n"
	asksAlwaysFull = "tools: {exec: {host: gateway, security: full, ask: always}}\nagents: {main: {}}\n"
)

// runnerWith returns a runner that knows the keys.
func runnerWith(t *testing.T, authority runner.Authority, keys []ed25519.PublicKey) *runner.Runner {
	t.Helper()
	r, err := runner.New(runner.Config{Authority: authority, Keys: keys, Blocked: front.Blocked, Base: runner.Base{Path: []string{"/usr/bin", "/bin"}, Home: "/home/u"}})
	require.NoError(t, err)
	return r
}

func TestAGrantCoversEachKindOfCommandAsTheRunnerSeesIt(t *testing.T) {
	t.Parallel()
	for config, commands := range map[string][]string{
		asksAlways: {
			"/bin/ls -l", "./tool x", "./link x", "nice -n 5 ./tool", "env A=1 nice ./tool", "sh script.sh", "bash -c 'ls; cat script.sh'",
			"cd / && ls | head -1", "ls *.sh", "echo x; command ls", "timeout 5 sh script.sh | head -1", "echo hi > out",
			"find . -name '*.sh' | xargs cat",
		},
		asksAlwaysFull: {"./tool | sh script.sh", "for f in *.sh; do sh $f; done"},
	} {
		for where, authority := range grantingAuthorities(t, config) {
			approves, keys := authority(t)
			r := runnerWith(t, approves, keys)
			for _, command := range commands {
				call, _ := grantedCall(t, command)
				plan, err := r.Prepare(t.Context(), call, "/")
				if assert.NoError(t, err, "%s: %s", where, command) {
					plan.Close()
				}
			}
		}
	}
}

func TestARunnerThatKnowsAKeyRefusesAnApprovalWithoutAValidGrant(t *testing.T) {
	t.Parallel()
	_, other, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	for where, authority := range grantingAuthorities(t, asksAlways) {
		approves, keys := authority(t)
		for name, spoil := range map[string]func(*gavel.Decision){
			"there is no grant":          func(d *gavel.Decision) { d.Approval.Grant = nil },
			"there is no approval":       func(d *gavel.Decision) { d.Approval = nil },
			"the grant is empty":         func(d *gavel.Decision) { d.Approval.Grant.Token = "" },
			"another key signed it":      func(d *gavel.Decision) { d.Approval.Grant.Token = resigned(t, other, keys, d.Approval.Grant.Token) },
			"it is for another approval": func(d *gavel.Decision) { d.Approval.ID = "other" },
			"another command": func(d *gavel.Decision) {
				d.Exec.Command += " '-a'"
				d.Exec.Segments[0].Argv = append(d.Exec.Segments[0].Argv, "-a")
			},
			"a directory that others control comes first in PATH": func(d *gavel.Decision) { d.Exec.PathPrepend = []string{"/tmp"} },
			"nothing limits where it writes":                      func(d *gavel.Decision) { d.Exec.Writes = nil },
			"it may write anywhere":                               func(d *gavel.Decision) { d.Exec.Writes.Under = []string{"/"}; d.Exec.Writes.Inexact = nil },
			"another time limit":                                  func(d *gavel.Decision) { d.Exec.Lifecycle = &gavel.Lifecycle{TimeoutSec: new(int64(9))} },
			"another variable":                                    func(d *gavel.Decision) { d.Exec.Env["EDITOR"] = "vi" },
			"words of another wrapper":                            func(d *gavel.Decision) { d.Exec.Pins.Wrappers[0] = [][]string{{"dispatcher", "/usr/bin/nice"}} },
			"a pattern that was not approved":                     func(d *gavel.Decision) { d.Exec.Pins.Matches = []gavel.PinMatch{{Pattern: "/x*"}} },
		} {
			approves.spoil = spoil
			call, _ := grantedCall(t, "/bin/ls -l")
			_, err := runnerWith(t, approves, keys).Prepare(t.Context(), call, "/")
			var refusal *runner.Refusal
			if assert.ErrorAs(t, err, &refusal, "%s: %s", where, name) {
				assert.Equal(t, runner.CodeGrant, refusal.Code, "%s: %s: %v", where, name, err)
			}
		}
		approves.spoil = func(d *gavel.Decision) { d.Approval.Grant = nil }
		call, _ := grantedCall(t, "/bin/ls -l")
		plan, err := runnerWith(t, approves, nil).Prepare(t.Context(), call, "/")
		require.NoError(t, err, where)
		assert.Contains(t, plan.Notes, "the grant was not verified: the runner knows no key of grants")
		plan.Close()
	}
}

// resigned returns the content of a grant, signed by another key.
func resigned(t *testing.T, key ed25519.PrivateKey, known []ed25519.PublicKey, token string) string {
	t.Helper()
	claims, err := (&grant.Verifier{Keys: known, Now: time.Now}).Read(token)
	require.NoError(t, err)
	forged, err := grant.Sign(key, *claims)
	require.NoError(t, err)
	return forged
}
