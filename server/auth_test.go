package server_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/server"
)

func TestScopes(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	claim := strings.Replace(readCall, "{", `{"environment":{"cwd":"/x"},"sender":{"id":"1","owner":true},`, 1)
	requests := map[string]request{
		"decide":  {method: http.MethodPost, path: "/v1/decisions", body: readCall},
		"claim":   {method: http.MethodPost, path: "/v1/decisions", body: claim},
		"batch":   {method: http.MethodPost, path: "/v1/decisions/batch", body: `{"calls":[` + readCall + `]}`},
		"tools":   {method: http.MethodPost, path: "/v1/tools", body: question},
		"status":  {method: http.MethodGet, path: "/v1/status"},
		"metrics": {method: http.MethodGet, path: "/metrics"},
		"health":  {method: http.MethodGet, path: "/health"},
		"ready":   {method: http.MethodGet, path: "/ready"},
	}
	for _, tc := range []struct {
		scope, token string
		want         map[string]int
	}{
		{"nobody", "", map[string]int{"decide": 401, "claim": 401, "batch": 401, "tools": 401, "status": 401, "metrics": 401, "health": 200, "ready": 200}},
		{"decide", decideToken, map[string]int{"decide": 200, "claim": 403, "batch": 200, "tools": 200, "status": 200, "metrics": 200, "health": 200, "ready": 200}},
		{"gateway", gatewayToken, map[string]int{"decide": 200, "claim": 200, "batch": 200, "tools": 200, "status": 200, "metrics": 200, "health": 200, "ready": 200}},
		{"admin", adminToken, map[string]int{"decide": 403, "claim": 403, "batch": 403, "tools": 200, "status": 200, "metrics": 200, "health": 200, "ready": 200}},
	} {
		for name, q := range requests {
			t.Run(tc.scope+" and "+name, func(t *testing.T) {
				t.Parallel()
				q.token = tc.token
				w := q.do(s)
				assert.Equal(t, tc.want[name], w.Code, w.Body)
			})
		}
	}
}

func TestTwoAuthorizationHeadersAreRefused(t *testing.T) {
	t.Parallel()
	addr, _ := tcp(t, newServer(t, config(t)))
	line := "Authorization: Bearer " + decideToken + "\r\n"
	answer := exchange(t, addr, "GET /v1/status HTTP/1.1\r\nHost: localhost\r\n"+line+line+"\r\n", false)
	assert.Equal(t, http.StatusUnauthorized, answer.StatusCode)
}

// tokenFile returns the file with the token of a scope.
func tokenFile(dir, scope string) string { return filepath.Join(dir, "tokens", scope+".token") }

func TestAnUnsafeTokenFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, dir, path string){
		"a file open to the group": func(t *testing.T, _, path string) { require.NoError(t, os.Chmod(path, 0o640)) },
		"a file open to others":    func(t *testing.T, _, path string) { require.NoError(t, os.Chmod(path, 0o602)) },
		"a folder open to others":  func(t *testing.T, dir, _ string) { require.NoError(t, os.Chmod(filepath.Join(dir, "tokens"), 0o755)) },
		"a blank file":             func(t *testing.T, _, path string) { require.NoError(t, os.WriteFile(path, []byte(" \n"), 0o600)) },
		"an empty file":            func(t *testing.T, _, path string) { require.NoError(t, os.WriteFile(path, nil, 0o600)) },
		"a short token":            func(t *testing.T, _, path string) { require.NoError(t, os.WriteFile(path, []byte("letmein\n"), 0o600)) },
		"two lines": func(t *testing.T, _, path string) {
			require.NoError(t, os.WriteFile(path, []byte(decideToken+"\n"+decideToken), 0o600))
		},
		"a huge file": func(t *testing.T, _, path string) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x", 5000)), 0o600))
		},
		"a symbolic link": func(t *testing.T, dir, path string) {
			require.NoError(t, os.Rename(path, filepath.Join(dir, "elsewhere")))
			require.NoError(t, os.Symlink(filepath.Join(dir, "elsewhere"), path))
		},
		"a dangling link": func(t *testing.T, dir, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), path))
		},
		"a folder in its place": func(t *testing.T, _, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		},
		"one token for two scopes": func(t *testing.T, dir, path string) {
			data, err := os.ReadFile(tokenFile(dir, "admin"))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, data, 0o600))
		},
		"a folder behind a link": func(t *testing.T, dir, _ string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "tokens"), filepath.Join(dir, "real")))
			require.NoError(t, os.Symlink("real", filepath.Join(dir, "tokens")))
		},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, err := server.OpenTokens(dir)
			require.NoError(t, err)
			spoil(t, dir, tokenFile(dir, "decide"))
			tokens, err := server.OpenTokens(dir)
			require.Error(t, err)
			assert.Contains(t, err.Error(), filepath.Join(dir, "tokens"), "the error names the place")
			assert.Zero(t, tokens)
		})
	}
}

func TestTokensAreCreatedForThisUserOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	tokens, err := server.OpenTokens(dir)
	require.NoError(t, err)
	cfg := config(t)
	cfg.Tokens = tokens
	s := newServer(t, cfg)
	for scope, status := range map[string]int{"decide": 200, "gateway": 200, "admin": 403} {
		data, err := os.ReadFile(tokenFile(dir, scope))
		require.NoError(t, err)
		token := strings.TrimSpace(string(data))
		secret, err := base64.RawURLEncoding.DecodeString(token)
		require.NoError(t, err)
		assert.Len(t, secret, 32)
		q := post("/v1/decisions", readCall)
		q.token = token
		assert.Equal(t, status, q.do(s).Code, scope)
		info, err := os.Stat(tokenFile(dir, scope))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}
	info, err := os.Stat(filepath.Join(dir, "tokens"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	entries, err := os.ReadDir(filepath.Join(dir, "tokens"))
	require.NoError(t, err)
	assert.Len(t, entries, 5, "nothing else is left there")
}

func TestTokensOfPeopleAreFoundInADirectoryOfAnyName(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b]*")
	_, err := server.OpenTokens(dir)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(tokenFile(dir, "approve.alice"), []byte("alice-"+adminToken), 0o600))
	cfg := config(t)
	cfg.Tokens, err = server.OpenTokens(dir)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, get("/v1/status", "alice-"+adminToken).do(newServer(t, cfg)).Code)
}

func TestTokensThatExistAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := server.OpenTokens(dir)
	require.NoError(t, err)
	second, err := server.OpenTokens(dir)
	require.NoError(t, err)
	assert.Equal(t, first, second)
}

func TestServersThatStartTogetherHaveTheSameTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var group sync.WaitGroup
	opened := make([]server.Tokens, 4)
	for i := range opened {
		group.Go(func() {
			var err error
			opened[i], err = server.OpenTokens(dir)
			assert.NoError(t, err)
		})
	}
	group.Wait()
	for _, tokens := range opened {
		assert.Equal(t, opened[0], tokens)
	}
}

func TestNewTokensRefuses(t *testing.T) {
	t.Parallel()
	for name, tokens := range map[string]map[string]string{
		"an unknown scope":         {"root": decideToken},
		"an empty scope":           {"": decideToken},
		"a short token":            {"decide": "short"},
		"a token with a space":     {"decide": decideToken + " x"},
		"one token for two scopes": {"decide": decideToken, "admin": decideToken},
	} {
		_, err := server.NewTokens(tokens)
		require.Error(t, err, name)
	}
}

func TestTheNameOfAPersonIsSimple(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"alice": true, "a1-b_c": true, strings.Repeat("a", 64): true,
		"": false, "Alice": false, "1a": false, "-a": false, "a.b": false, "a/b": false, "\u00e4": false, "a b": false, strings.Repeat("a", 65): false} {
		assert.Equal(t, want, server.ValidName(name), name)
	}
}

func TestApproversOfADirectoryThatCannotBeReadAreAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	people, shared, err := server.Approvers(dir)
	require.NoError(t, err)
	assert.Empty(t, people)
	assert.False(t, shared)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokens"), nil, 0o600))
	_, _, err = server.Approvers(dir)
	assert.Error(t, err, "it is not known who may answer")
}
