package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// prepended is a machine with a tool in three places, and a policy that puts the home's
// bin before PATH and permits the tool there and in the last place.
func prepended(t *testing.T) (root string, pdp *gavel.PDP) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"home/bin", "bin", "work", "opt"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for _, name := range []string{"home/bin/tool", "bin/tool", "bin/other", "opt/tool"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte("#!/bin/sh\n"), 0o755))
	}
	config, err := json.Marshal(map[string]any{"tools": map[string]any{"exec": map[string]any{"host": "gateway", "ask": "off", "pathPrepend": []string{"~/bin"},
		"allowlist": []string{"~/bin/*", root + "/bin/other"}}}, "agents": map[string]any{"main": map[string]any{}, "away": map[string]any{"exec": map[string]any{"host": "node", "node": "n"}}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(root+"/config.json", config, 0o600))
	a, _, _ := testApp("")
	pdp, err = a.load(t.Context(), root+"/config.json")
	require.NoError(t, err)
	return root, pdp
}

func TestProgramsOfThisMachineAreFoundBeforePath(t *testing.T) {
	t.Parallel()
	root, pdp := prepended(t)
	decide := func(agent, command string) gavel.Decision {
		return pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: agent}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
			Environment: &gavel.Environment{Cwd: root + "/work", Home: root + "/home", Path: []string{root + "/bin"}}}, gavel.Options{Explain: true})
	}
	d := decide("main", "tool x")
	require.Equal(t, gavel.Allow, d.Effect, "%+v", d.Reasons)
	assert.Equal(t, "'"+root+"/home/bin/tool' 'x'", d.Exec.Command)
	assert.Equal(t, []string{root + "/home/bin"}, d.Exec.PathPrepend)
	assert.Equal(t, []string{root + "/home/bin"}, d.Facts.Environment.PathPrepend)
	assert.Equal(t, "'"+root+"/bin/other'", decide("main", "other").Exec.Command)
	assert.Equal(t, gavel.Deny, decide("main", root+"/bin/tool").Effect, "the one in the path is not on the list")
	assert.Equal(t, gavel.Deny, decide("away", "tool x").Effect, "on a node the one in the path is meant")

	// Who may write a directory of the agent's own is a fact, from there as from anywhere.
	require.NoError(t, os.Chmod(root+"/home/bin", 0o777)) //nolint:gosec // what the test is about
	assert.Contains(t, decide("main", "tool x").Facts.Exec.Segments[0].Executable.Writable, "directory")

	// A program that the agent puts there takes the name of another one; what runs then
	// is that one, and it is judged.
	require.NoError(t, os.Symlink(root+"/opt/tool", root+"/home/bin/other"))
	d = decide("main", "other")
	assert.Equal(t, gavel.Deny, d.Effect)
	assert.Equal(t, root+"/opt/tool", d.Facts.Exec.Segments[0].Executable.Real)
}

// The verification of a grant looks for programs where the server did.
func TestAGrantIsVerifiedByThePolicyThatItWasMadeUnder(t *testing.T) {
	t.Parallel()
	root, pdp := prepended(t)
	call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "tool x"}},
		Environment: &gavel.Environment{Cwd: root + "/work", Home: root + "/home", Path: []string{root + "/bin"}}}
	for policy, want := range map[string]string{"": root + "/bin/tool", root + "/config.json": root + "/home/bin/tool"} {
		a, _, _ := testApp("")
		a.policy = policy
		facts, err := a.observe(t.Context(), call)
		require.NoError(t, err)
		assert.Equal(t, want, facts.Exec.Segments[0].Executable.Path)
	}
	facts, err := pdp.Observe(t.Context(), call)
	require.NoError(t, err)
	assert.Equal(t, root+"/home/bin/tool", facts.Exec.Segments[0].Executable.Path, "as the server does")
	a, _, _ := testApp("")
	a.policy = root + "/gone.json"
	_, err = a.observe(t.Context(), call)
	assert.Error(t, err)
}
