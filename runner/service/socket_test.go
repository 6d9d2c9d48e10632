//go:build linux

package service_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner/service"
	"gavel/runner/sessions"
)

// doors is a socket with some tokens.
type doors struct {
	*service.Socket
	path string

	mu     sync.Mutex
	tokens map[string]*gavel.CallerFacts
}

func (d *doors) revoke(token string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.tokens, token)
}

func (d *doors) speaks(token string) *gavel.CallerFacts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tokens[token]
}

// doorsOf has a socket serve those who are allowed, beside an HTTP server that answers "http".
func doorsOf(t *testing.T, s *service.Service, allowed bool) *doors {
	t.Helper()
	dir, err := os.MkdirTemp("", "runner") // short: a socket's path has a limit
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	d := &doors{path: filepath.Join(dir, "s"), tokens: map[string]*gavel.CallerFacts{"coders": coder(), "all": {Agents: []string{"*"}}}}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: d.path, Net: "unix"})
	require.NoError(t, err)
	d.Socket = service.NewSocket(listener, service.SocketConfig{Service: s, Allowed: func(net.Conn) bool { return allowed }, Speaks: d.speaks, Logger: slog.New(slog.DiscardHandler), First: time.Hour})
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "http") })}
	served := make(chan error, 1)
	go func() { served <- web.Serve(d.Socket) }()
	t.Cleanup(func() {
		_ = web.Close() // the socket may be closed already
		assert.Error(t, <-served)
		d.Wait()
	})
	return d
}

// talk is a connection of JSON lines.
type talk struct {
	net.Conn
	t  *testing.T
	in *bufio.Reader
}

func (d *doors) dial(t *testing.T) *talk {
	t.Helper()
	conn, err := net.Dial("unix", d.path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &talk{conn, t, bufio.NewReader(conn)}
}

func (c *talk) say(line string) {
	c.t.Helper()
	_, err := io.WriteString(c.Conn, line+"\n")
	require.NoError(c.t, err)
}

// hear is the next line, or nil at the end.
func (c *talk) hear() map[string]any {
	c.t.Helper()
	text, err := c.in.ReadBytes('\n')
	if err != nil {
		return nil
	}
	var line map[string]any
	require.NoError(c.t, json.Unmarshal(text, &line))
	return line
}

func TestTheSocketTakesJSONLinesBesideHTTP(t *testing.T) {
	s, authority, dir := open(t)
	d := doorsOf(t, s, true)
	lines := d.dial(t)
	lines.say(`{"id":1,"token":"all","exec":{"agent":"main","command":"echo one; pwd"}}`)
	answer := lines.hear()
	assert.Equal(t, 1.0, answer["id"])
	assert.Equal(t, "one\n"+dir+"\n", answer["result"].(map[string]any)["output"])
	lines.say(`{"id":"two","token":"all","process":{"agent":"main","action":"list"}}`)
	assert.Equal(t, "two", lines.hear()["id"])
	assert.Len(t, authority.calls, 2, "each was judged")

	web := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", d.path) }}}
	for range 2 {
		answer, err := web.Get("http://runner/")
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, "http", string(body))
	}
	web.CloseIdleConnections()
}

func TestALineWithoutAValidTokenEndsItsConnection(t *testing.T) {
	s, authority, _ := open(t)
	d := doorsOf(t, s, true)
	for _, line := range []string{`{"id":1,"exec":{"agent":"coder","command":"true"}}`, `{"id":1,"token":"guessed","exec":{"agent":"coder","command":"true"}}`, `{"id":1,"token":`, `{"id":1,"token":"all","token":"x","exec":{}}`} {
		c := d.dial(t)
		c.say(line)
		assert.Contains(t, c.hear()["error"], "token", line)
		assert.Nil(t, c.hear(), "the connection is over: %s", line)
	}
	c := d.dial(t)
	c.say(`{"id":1,"token":"coders","exec":{"agent":"main","sessionKey":"agent:coder","command":"true"}}`)
	assert.Contains(t, c.hear()["error"], "may not run commands for agent")
	assert.Empty(t, authority.calls)
	d.revoke("coders")
	c.say(`{"id":2,"token":"coders","exec":{"agent":"coder","sessionKey":"agent:coder","command":"true"}}`)
	assert.Contains(t, c.hear()["error"], "no longer valid")
	assert.Nil(t, c.hear())
}

func TestATokenThatIsRevokedWhileACommandRunsGetsNoAnswer(t *testing.T) {
	s, _, dir := open(t)
	d := doorsOf(t, s, true)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wait"), nil, 0o600))
	c := d.dial(t)
	c.say(`{"id":1,"token":"all","exec":{"agent":"main","command":"echo > began; while [ -e wait ]; do sleep 0.01; done; echo secret"}}`)
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, "began")); return err == nil }, time.Minute, time.Millisecond)
	d.revoke("all")
	require.NoError(t, os.Remove(filepath.Join(dir, "wait")))
	answer := c.hear()
	assert.Contains(t, answer["error"], "no longer valid")
	assert.Nil(t, answer["result"])
}

func TestEventsReachThoseWhoSpeakForTheAgentOnly(t *testing.T) {
	s, _, _ := open(t)
	d := doorsOf(t, s, true)
	coders, all, stranger := d.dial(t), d.dial(t), d.dial(t)
	coders.say(`{"id":1,"token":"coders","process":{"agent":"coder","sessionKey":"agent:coder","action":"list"}}`)
	require.NotNil(t, coders.hear())
	all.say(`{"id":1,"token":"all","process":{"agent":"main","action":"list"}}`)
	require.NotNil(t, all.hear())
	d.Event(sessions.Event{Kind: sessions.EventFinished, Agent: "main", Session: "of main"})
	d.Event(sessions.Event{Kind: sessions.EventFinished, Agent: "coder", Key: "agent:coder:x", Session: "of coder"})
	assert.Equal(t, "of coder", coders.hear()["sessionId"], "and not that of another agent before")
	assert.Equal(t, "of main", all.hear()["sessionId"])
	assert.Equal(t, "of coder", all.hear()["sessionId"])
	d.revoke("coders")
	d.Event(sessions.Event{Kind: sessions.EventFinished, Agent: "coder", Key: "agent:coder:x", Session: "later"})
	assert.Equal(t, "later", all.hear()["sessionId"])
	require.NoError(t, d.Close())
	assert.Nil(t, coders.hear(), "a revoked token hears nothing more")
	assert.Nil(t, stranger.hear())
}

func TestSilentConnectionsDoNotKeepOthersOut(t *testing.T) {
	s, _, _ := open(t)
	d := doorsOf(t, s, true)
	silent := []*talk{}
	for range 200 {
		silent = append(silent, d.dial(t))
	}
	c := d.dial(t)
	c.say(`{"id":1,"token":"all","process":{"agent":"main","action":"list"}}`)
	assert.NotNil(t, c.hear())
	assert.Nil(t, silent[0].hear(), "the oldest was closed")
	for i := range 64 {
		c := d.dial(t)
		c.say(fmt.Sprintf(`{"id":%d,"token":"all","process":{"agent":"main","action":"list"}}`, i))
		answer := c.hear()
		require.NotNil(t, answer)
		if i == 63 {
			assert.Contains(t, answer["error"], "too many connections")
		}
	}
}

func TestACallerWhoDoesNotReadIsCutOff(t *testing.T) {
	s, _, _ := open(t)
	d := doorsOf(t, s, true)
	c := d.dial(t)
	c.say(`{"id":1,"token":"all","process":{"agent":"main","action":"list"}}`)
	require.NotNil(t, c.hear())
	for range 10_000 {
		d.Event(sessions.Event{Kind: sessions.EventFinished, Agent: "main", Session: strings.Repeat("x", 1000)})
	}
	for c.hear() != nil { // what was sent before
	}
	other := d.dial(t)
	other.say(`{"id":1,"token":"all","process":{"agent":"main","action":"list"}}`)
	assert.NotNil(t, other.hear())
}

func TestAUserWhoMayNotUseTheLinesGetsHTTP(t *testing.T) {
	s, authority, _ := open(t)
	d := doorsOf(t, s, false)
	c := d.dial(t)
	c.say(`{"id":1,"token":"all","exec":{"agent":"main","command":"true"}}`)
	text, err := io.ReadAll(c.in)
	require.NoError(t, err)
	assert.Contains(t, string(text), "400 Bad Request")
	assert.Empty(t, authority.calls)
}
