package hook_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hook"
)

// calls are two.
func calls() []gavel.Call {
	return []gavel.Call{{Agent: gavel.Agent{ID: "a"}, Tool: gavel.Tool{Name: "read"}}, {Agent: gavel.Agent{ID: "a"}, Tool: gavel.Tool{Name: "write"}}}
}

// state is a state directory with a token.
func state(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "hook") // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Mkdir(filepath.Join(dir, "tokens"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokens", "gateway.token"), []byte("secret\n"), 0o600))
	return dir
}

func none(string) string { return "" }

// serve answers on the socket of a state directory.
func serve(t *testing.T, dir string, handle http.HandlerFunc) hook.Server {
	t.Helper()
	ln, err := net.Listen("unix", filepath.Join(dir, "gavel.sock"))
	require.NoError(t, err)
	server := &http.Server{Handler: handle, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { _ = server.Close() })
	found, ok := hook.Find(hook.Location{State: dir}, none)
	require.True(t, ok)
	return found
}

const whole = `{"id":"1","decision":"allow","reasons":[{"layer":"a","code":"a.b","message":"m"}],"revision":"r"}`

func TestTheServerIsAskedForAllCallsAtOnce(t *testing.T) {
	server := serve(t, state(t), func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		if r.URL.Path == "/v1/decisions" {
			_, _ = w.Write([]byte(whole))
			return
		}
		assert.Equal(t, "/v1/decisions/batch", r.URL.Path)
		var sent struct{ Calls []gavel.Call }
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&sent))
		assert.Len(t, sent.Calls, 2)
		_, _ = w.Write([]byte(`{"decisions":[` + whole + `,` + whole + `]}`))
	})
	list, err := server.Decide(t.Context(), calls())
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, gavel.Allow, list[1].Effect)
	list, err = server.Decide(t.Context(), calls()[:1])
	require.NoError(t, err)
	assert.Len(t, list, 1)
}

func TestAnIncompleteAnswerIsAnError(t *testing.T) {
	for about, answer := range map[string]string{
		"nothing":              ``,
		"garbage":              `ok`,
		"an empty object":      `{}`,
		"half of it":           whole[:40],
		"without an id":        `{"decision":"allow","reasons":[{"layer":"a","code":"a.b","message":"m"}],"revision":"r"}`,
		"without a reason":     `{"id":"1","decision":"allow","revision":"r"}`,
		"an unknown effect":    `{"id":"1","decision":"Allow","reasons":[{"layer":"a","code":"a.b","message":"m"}],"revision":"r"}`,
		"the answer of others": `{"allow":true}`,
	} {
		t.Run(about, func(t *testing.T) {
			server := serve(t, state(t), func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) })
			_, err := server.Decide(t.Context(), calls()[:1])
			assert.Error(t, err)
			_, err = server.Decide(t.Context(), calls())
			assert.Error(t, err)
		})
	}
}

func TestAServerThatRefusesSaysWhy(t *testing.T) {
	server := serve(t, state(t), func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"code":"unauthenticated","message":"the token is not valid","fix":"send another"}}`))
	})
	_, err := server.Decide(t.Context(), calls())
	assert.EqualError(t, err, "unauthenticated: the token is not valid; send another")
	server = serve(t, state(t), func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	_, err = server.Decide(t.Context(), calls())
	assert.ErrorContains(t, err, "502")
}

func TestAServerThatIsGoneOrHangsIsAnError(t *testing.T) {
	dir := state(t)
	ln, err := net.Listen("unix", filepath.Join(dir, "gavel.sock"))
	require.NoError(t, err)
	server, ok := hook.Find(hook.Location{State: dir}, none)
	require.True(t, ok)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = server.Decide(ctx, calls())
	assert.ErrorIs(t, err, context.DeadlineExceeded, "nobody accepts")
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, ln.Close())
	server, ok = hook.Find(hook.Location{State: dir}, none)
	require.True(t, ok, "its socket is there")
	_, err = server.Decide(t.Context(), calls())
	assert.ErrorContains(t, err, "start it, or remove")
}

func TestWhereAServerIsLookedFor(t *testing.T) {
	dir := state(t)
	env := func(pairs ...string) func(string) string {
		set := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			set[pairs[i]] = pairs[i+1]
		}
		return func(name string) string { return set[name] }
	}
	for about, c := range map[string]struct {
		at   hook.Location
		env  func(string) string
		want string
	}{
		"nowhere":                           {hook.Location{}, none, ""},
		"a state directory without one":     {hook.Location{State: dir}, none, ""},
		"a home without one":                {hook.Location{}, env("HOME", dir), ""},
		"a relative home":                   {hook.Location{}, env("HOME", "home"), ""},
		"a socket that was named is needed": {hook.Location{Socket: "/gone.sock"}, none, "/gone.sock"},
		"in the environment":                {hook.Location{}, env("GAVEL_SOCKET", "/gone.sock"), "/gone.sock"},
		"the command line is stronger":      {hook.Location{Socket: "/a.sock"}, env("GAVEL_SOCKET", "/gone.sock"), "/a.sock"},
		"so is its state directory":         {hook.Location{State: dir}, env("GAVEL_SOCKET", "/gone.sock"), ""},
	} {
		t.Run(about, func(t *testing.T) {
			got, found := hook.Find(c.at, c.env)
			assert.Equal(t, c.want != "", found)
			assert.Equal(t, c.want, got.Socket)
		})
	}
}

func TestWithoutAUsableTokenTheServerIsNotAsked(t *testing.T) {
	dir := state(t)
	server := serve(t, dir, func(http.ResponseWriter, *http.Request) { t.Error("somebody was asked") })
	token := filepath.Join(dir, "tokens", "gateway.token")
	require.NoError(t, os.Chmod(token, 0o644))
	_, err := server.Decide(t.Context(), calls())
	assert.ErrorContains(t, err, "read the token", "others could have read it")
	require.NoError(t, os.WriteFile(token, []byte("two words"), 0o600))
	require.NoError(t, os.Chmod(token, 0o600))
	_, err = server.Decide(t.Context(), calls())
	assert.ErrorContains(t, err, "does not hold a token")
	require.NoError(t, os.Remove(token))
	_, err = server.Decide(t.Context(), calls())
	assert.ErrorContains(t, err, "GAVEL_TOKEN_FILE")
}

// Whoever can put something at the place of the socket would decide, and be sent the token.
func TestASocketThatOthersCouldHaveMadeIsNotAsked(t *testing.T) {
	dir := state(t)
	server := serve(t, dir, func(http.ResponseWriter, *http.Request) { t.Error("somebody was asked") })
	require.NoError(t, os.Chmod(dir, 0o777))
	_, err := server.Decide(t.Context(), calls())
	assert.ErrorContains(t, err, "others can replace its contents")
	require.NoError(t, os.Chmod(dir, 0o700))
	require.NoError(t, os.Remove(server.Socket))
	require.NoError(t, os.WriteFile(server.Socket, nil, 0o600))
	_, err = server.Decide(t.Context(), calls())
	assert.ErrorContains(t, err, "it is not a socket")
}
