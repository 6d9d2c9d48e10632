package server_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/private"
	"gavel/server"
)

func TestRT12ATokenFileThatIsDeletedOrReplacedIsRevokedAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	files, err := server.OpenTokenFiles(dir, []string{"main"}, false, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	path := filepath.Join(dir, "tokens", "decide.token")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	old := strings.TrimSpace(string(text))
	cfg := config(t)
	cfg.Tokens, cfg.Identities = server.Tokens{}, []gavel.Identities{files}
	s := newServer(t, cfg)
	status := func(token string) int {
		q := post("/v1/decisions", readCall)
		q.token = token
		return q.do(s).Code
	}
	require.Equal(t, http.StatusOK, status(old))
	require.NoError(t, os.WriteFile(path, []byte(decideToken), 0o600)) // in its place
	assert.Equal(t, http.StatusUnauthorized, status(old))
	assert.Equal(t, http.StatusOK, status(decideToken))
	require.NoError(t, os.WriteFile(path+".new", []byte(coderToken), 0o600))
	require.NoError(t, os.Rename(path+".new", path)) // as an editor does
	assert.Equal(t, http.StatusUnauthorized, status(decideToken))
	assert.Equal(t, http.StatusOK, status(coderToken))
	require.NoError(t, os.Chmod(path, 0o644))
	assert.Equal(t, http.StatusUnauthorized, status(coderToken), "others may read it")
	require.NoError(t, os.Chmod(path, 0o600))
	assert.Equal(t, http.StatusOK, status(coderToken))
	gateway := filepath.Join(dir, "tokens", "gateway.token")
	require.NoError(t, os.WriteFile(gateway, []byte("gateway-"+adminToken), 0o600))
	assert.Equal(t, http.StatusOK, status(coderToken), "its own file is the same")
	assert.Equal(t, http.StatusOK, status("gateway-"+adminToken), "another file was changed in its place")
	require.NoError(t, os.Remove(path))
	assert.Equal(t, http.StatusUnauthorized, status(coderToken))
	assert.NoFileExists(t, path, "it is not made again")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokens", "approve.alice.token"), []byte("alice-"+adminToken), 0o600))
	assert.Equal(t, http.StatusOK, get("/v1/status", "alice-"+adminToken).do(s).Code, "a person who is added is known")
}

func TestRT12AnOldTokenIsRevokedAtOnce(t *testing.T) {
	t.Parallel()
	for name, revoke := range map[string]func(t *testing.T, folder, path string){
		"its file is removed":     func(t *testing.T, _, path string) { require.NoError(t, os.Remove(path)) },
		"its file has others":     func(t *testing.T, _, path string) { require.NoError(t, os.Chmod(path, 0o640)) },
		"its file is overwritten": func(t *testing.T, _, path string) { require.NoError(t, os.WriteFile(path, []byte(coderToken), 0o600)) },
		"its file is replaced": func(t *testing.T, _, path string) {
			require.NoError(t, os.Rename(filepath.Join(filepath.Dir(path), "gateway.token"), path))
		},
		"its folder has others":    func(t *testing.T, folder, _ string) { require.NoError(t, os.Chmod(folder, 0o755)) },
		"its folder is moved away": func(t *testing.T, folder, _ string) { require.NoError(t, os.Rename(folder, folder+".old")) },
		"the state is moved away": func(t *testing.T, folder, _ string) {
			require.NoError(t, os.Rename(filepath.Dir(folder), filepath.Dir(folder)+".old"))
		},
		"an empty folder takes its place": func(t *testing.T, folder, _ string) {
			require.NoError(t, os.Rename(folder, folder+".old"))
			require.NoError(t, os.Mkdir(folder, 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "state")
			files, err := server.OpenTokenFiles(dir, []string{"main"}, false, slog.New(slog.DiscardHandler), nil)
			require.NoError(t, err)
			folder, path := filepath.Join(dir, "tokens"), filepath.Join(dir, "tokens", "decide.token")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			token := strings.TrimSpace(string(text))
			holds := func() bool { _, ok := files.Token(token); return ok }
			require.Eventually(t, func() bool { return private.PrintOf(folder).Settled() && private.PrintOf(path).Settled() }, time.Minute, time.Millisecond)
			require.True(t, holds(), "the files are read again, for the last time")
			require.True(t, holds())
			revoke(t, folder, path)
			assert.False(t, holds())
		})
	}
}

func TestARequestThatWaitsEndsWhenItsTokenIsRevoked(t *testing.T) {
	t.Parallel()
	for name, revoke := range map[string]func(*fakeIdentities){
		"revoked": func(known *fakeIdentities) { known.forget(coderToken) },
		"revoked, and created again for another agent": func(known *fakeIdentities) {
			known.mu.Lock()
			defer known.mu.Unlock()
			who := known.known[coderToken]
			speaks := *who.Speaks
			speaks.Agents = []string{"helper"}
			who.Speaks = &speaks
			known.known[coderToken] = who
		},
		"of a certificate that another credential now names": func(known *fakeIdentities) {
			known.mu.Lock()
			defer known.mu.Unlock()
			who := known.known[coderToken]
			who.Issue = "another"
			known.known[coderToken] = who
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endsWhen(t, revoke)
		})
	}
}

// endsWhen checks that a request that waits ends when its credential is not what it was.
func endsWhen(t *testing.T, revoke func(*fakeIdentities)) {
	t.Helper()
	known := coders()
	began, ended := make(chan gavel.Caller, 1), make(chan error, 1)
	cfg := config(t)
	cfg.Identities = []gavel.Identities{known}
	cfg.Handlers = map[string]server.Handler{"GET /v1/approvals/{id}/wait": func(_ http.ResponseWriter, r *http.Request, from gavel.Caller) error {
		began <- from
		<-r.Context().Done()
		ended <- context.Cause(r.Context())
		return nil
	}}
	s := newServer(t, cfg)
	go get("/v1/approvals/1/wait", coderToken).do(s)
	from := <-began
	require.True(t, from.Valid())
	revoke(known)
	assert.False(t, from.Valid(), "the next message is refused")
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it still waits")
	}
}
