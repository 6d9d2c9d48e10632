//go:build linux

package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/credentials/daemon"
	"gavel/credentials/wire"
)

func TestW9AConnectionHasALifetime(t *testing.T) {
	// Each of its lines, in or out, sets the deadline of the next one; none of them sets that of the connection.
	s := start(t, configured(t, "proxy: {max_connection_lifetime: 300ms}", map[string]string{
		"sleep": "exec sleep 1000",
		"write": "while :; do echo x; sleep 0.05; done",
		"read":  "while read -r x; do :; done",
	}, ""), nil)
	for _, tool := range []string{"sleep", "write", "read"} {
		endless, writer := io.Pipe()
		go func() {
			for tool == "read" {
				if _, err := writer.Write([]byte("x\n")); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		r := s.client(t, endless, tool)
		require.ErrorContains(t, r.err, "ended the connection", tool)
		require.NoError(t, endless.Close())
	}
}

func TestW11SilenceEndsNothing(t *testing.T) {
	s := start(t, configured(t, "proxy: {read_message_timeout: 50ms}", map[string]string{"cat": "exec cat"}, ""), nil)
	conn := s.dial(t)
	_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "cat" }))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.Counts()["ran"] == 1 }, time.Minute, time.Millisecond)
	time.Sleep(200 * time.Millisecond) // four times the limit of a line that has begun
	_, err = conn.Write([]byte(`{"type":"stdin","data":"bGF0ZQ=="}` + "\n" + `{"type":"stdin","eof":true}` + "\n"))
	require.NoError(t, err)
	answer := frames(t, conn)
	assert.Equal(t, "late", string(answer[0].Data))
}

func TestW16ARefusalIsRecordedAndNothingRunsUnrecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.NoError(t, os.Chmod(file, 0o644))
	config := configured(t, "audit: {enabled: true, file: "+file+"}", map[string]string{"true": "exit 0"}, "")
	_, err := daemon.New(daemon.Config{Wrappers: config, Secret: filepath.Join(t.TempDir(), "auth"), Environment: environment(t),
		Decide: func(context.Context, gavel.Call) gavel.Decision { return gavel.Decision{} }})
	require.ErrorContains(t, err, "audit file")
	s := start(t, configured(t, "", map[string]string{"true": "exit 0"}, ""), func(c *daemon.Config) {
		c.Decide = func(context.Context, gavel.Call) gavel.Decision {
			return gavel.Decision{Reasons: []gavel.Reason{{Code: "credentials.blocked", Message: "no"}}}
		}
	})
	require.Error(t, s.client(t, nil, "true").err)
	framed(t, s.say(t, []byte(strings.Replace(string(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" })), `"hmac":"`, `"hmac":"A`, 1))))
	assert.Contains(t, s.log.String(), "credentials.blocked")
	assert.Contains(t, s.log.String(), "invalid signature")
}

// disk is a writer that may be full: then it takes five bytes of a text.
type disk struct {
	mu   sync.Mutex
	full bool
	text bytes.Buffer
}

func (d *disk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		n, _ := d.text.Write(p[:min(5, len(p))])
		return n, syscall.ENOSPC
	}
	return d.text.Write(p)
}

func (d *disk) fill(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

func (d *disk) lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Split(strings.TrimSpace(d.text.String()), "\n")
}

func TestW16NothingRunsUntilTheRunsBeforeAreRecorded(t *testing.T) {
	var d disk
	ran := filepath.Join(t.TempDir(), "ran")
	s := start(t, configured(t, "audit: {enabled: true, stdout: true, include_args: true}", map[string]string{"note": `echo "$1" >> ` + ran}, ""),
		func(c *daemon.Config) { c.Stdout = &d })
	d.fill(true)
	require.NoError(t, s.client(t, nil, "note", "one").err)
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "could not be recorded") }, time.Minute, time.Millisecond)
	require.Error(t, s.client(t, nil, "note", "two").err)
	d.fill(false)
	require.NoError(t, s.client(t, nil, "note", "three").err)
	require.Eventually(t, func() bool { return len(d.lines()) == 2 }, time.Minute, time.Millisecond)
	for i, want := range []string{"one", "three"} {
		var line struct{ Args []string }
		require.NoError(t, json.Unmarshal([]byte(d.lines()[i]), &line), "no line is torn")
		assert.Equal(t, []string{want}, line.Args)
	}
	did, err := os.ReadFile(ran)
	require.NoError(t, err)
	assert.Equal(t, "one\nthree\n", string(did))
}

func TestW17SilentClientsDoNotUseUpTheConnections(t *testing.T) {
	s := start(t, configured(t, "proxy: {max_connections: 1, read_header_timeout: 10s}", map[string]string{"true": "exit 0", "sleep": "exec sleep 1000"}, ""), nil)
	for range 64 {
		s.dial(t) // says nothing
	}
	require.NoError(t, s.client(t, nil, "true").err)
	var conn *net.UnixConn
	require.Eventually(t, func() bool { // the first client knows that its tool has ended before the daemon is done with it
		conn = s.dial(t)
		_, err := conn.Write(s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "sleep" }))
		require.NoError(t, err)
		refused := make(chan struct{})
		go func(conn net.Conn) { _, _ = wire.ReadFrame(conn); close(refused) }(conn) // the tool itself writes nothing
		for s.Counts()["ran"] < 2 {
			select {
			case <-refused:
				return false
			case <-time.After(time.Millisecond):
			}
		}
		return true
	}, time.Minute, time.Millisecond)
	assert.Equal(t, "server busy", framed(t, s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "true" }))))
	_ = conn.Close()
	require.NoError(t, s.client(t, nil, "true").err, "the client waits until there is room")
}
