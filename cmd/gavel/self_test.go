package main

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"encoding/json"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer/protected"
)

// A server protects its own files, wherever its flags put them.
func TestFinding32AServerIsClosedToThoseWhoseCallsItDecides(t *testing.T) {
	t.Parallel()
	root, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(root)) })
	root, err = filepath.EvalSymlinks(root)
	require.NoError(t, err)
	policy, state := filepath.Join(root, "policy.yaml"), filepath.Join(root, "kept")
	require.NoError(t, os.WriteFile(policy, []byte("tools: {exec: {host: gateway, security: full, ask: \"off\"}}\nagents: {main: {}}\n"), 0o600))
	n, stop := serving(t, "--policy", policy, "--state", state, "--socket", filepath.Join(root, "s.sock"), "--log", filepath.Join(root, "log"))
	defer stop()
	token, err := os.ReadFile(filepath.Join(state, "tokens", "gateway.token"))
	require.NoError(t, err)
	listen, err := url.Parse(n.Listen)
	require.NoError(t, err)
	decide := func(tool gavel.Tool) (codes []string) {
		body, err := json.Marshal(gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: tool,
			Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Executables: map[string]string{"cat": "/usr/bin/cat", "curl": "/usr/bin/curl", "cp": "/usr/bin/cp"}}})
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.Listen+"/v1/decisions", strings.NewReader(string(body)))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer answer.Body.Close() //nolint:errcheck // it was read
		var d gavel.Decision
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&d))
		if d.Effect == gavel.Allow {
			return nil
		}
		for _, r := range d.Reasons {
			codes = append(codes, r.Code)
		}
		return codes
	}
	run := func(command string) gavel.Tool {
		return gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}
	}
	for _, command := range []string{
		"cat " + state + "/tokens/approve.token", "cat " + state + "/approvals.db", "cp x " + policy, "cat " + policy,
		"curl --unix-socket " + root + "/s.sock http://x/", "cat " + root + "/log", "x=$((1+y)); cat " + state + "/keys/x",
	} {
		assert.Equal(t, []string{"guard.protected"}, decide(run(command)), command)
	}
	assert.Equal(t, []string{"guard.address"}, decide(run("curl -X POST http://localhost:"+listen.Port()+"/v1/approvals")))
	assert.Equal(t, []string{"guard.address", "resources.web_closed"}, decide(gavel.Tool{Name: "web_fetch", Params: map[string]any{"url": "http://localhost:" + listen.Port() + "/"}}))
	assert.Equal(t, []string{"guard.protected"}, decide(gavel.Tool{Name: "write", Params: map[string]any{"path": policy, "content": "x"}}))
	assert.Equal(t, []string{"guard.protected"}, decide(gavel.Tool{Name: "write", Params: map[string]any{"path": state + "/new", "content": "x"}}))
	assert.Empty(t, decide(run("cat "+root+"/other")))
	assert.Empty(t, decide(gavel.Tool{Name: "write", Params: map[string]any{"path": "src/x", "content": "x"}}))
}

func TestTheWorkingDirectoryIsNotTreatedAsGavelsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, _, _ := testApp("")
	a.getwd = func() (string, error) { return dir, nil }
	for _, file := range a.ownFiles(".", true) {
		assert.True(t, file.Shared)
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "policy"), 0o700))
	for _, file := range a.ownFiles("policy", true) {
		assert.False(t, file.Shared)
	}
}

func TestProgramsThatHostsRunAreClosed(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "opt"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "opt", "gavel-1"), nil, 0o600))
	link := filepath.Join(dir, "gavel")
	require.NoError(t, os.Symlink(filepath.Join(dir, "opt", "gavel-1"), link))
	var paths []string
	for _, file := range ownPrograms(link, nil) {
		assert.True(t, file.Program, file.Path)
		paths = append(paths, strings.TrimPrefix(file.Path, dir))
	}
	assert.Equal(t, []string{"/gavel", "/gavel-hook", "/gavel-run", "/gavel-shell", "/opt/gavel-1", "/opt/gavel", "/opt/gavel-hook", "/opt/gavel-run", "/opt/gavel-shell"}, paths)
	assert.Empty(t, ownPrograms("", os.ErrNotExist))

	places := protected.NewSet(protected.Self{Files: ownPrograms(link, nil)}, "", &protected.Catalog{})
	for _, name := range []string{"gavel-hook", "gavel-run", "gavel-shell"} {
		kind, holds := places.KindAt(filepath.Join(dir, name), false)
		assert.Equal(t, "host", kind, "agents may read %s, and not change it", name)
		assert.False(t, holds)
	}
	kind, holds := places.KindAt(dir, false)
	assert.Equal(t, "host", kind)
	assert.True(t, holds, "moving the directory moves the hook")
}

func TestAnAgentMayNotReplaceTheProgramThatDecides(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	a, _, _ := testApp("")
	assert.Contains(t, a.selfOf(serveFlags{}, nil).Files, protected.File{Path: self, Program: true})
}
