package approvalapi_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/server/approvalapi"
)

// budget is a limiter that counts bytes, of which one credential may hold so many.
type budget struct {
	mu      sync.Mutex
	most    int
	held    map[string]int
	waiting int
	entered int
}

func newBudget(most int) *budget { return &budget{most: most, held: map[string]int{}} }

func (b *budget) Reserve(credential string, bytes int) (func(), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[credential]+bytes > b.most {
		return nil, &gavel.BusyError{Code: gavel.CodeTooManyBytes, Message: "too much at a time", Fix: "send less"}
	}
	b.held[credential] += bytes
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.held[credential] -= bytes
	}, nil
}

func (b *budget) Enter(context.Context, string, int) (func(), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entered++
	return func() {}, nil
}

func (b *budget) Wait(string) (func(), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting++
	return func() {}, nil
}

func (b *budget) all() (held, waiting int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, bytes := range b.held {
		held += bytes
	}
	return held, b.waiting
}

// doors are the ways in to an API with a budget, until the test ends.
type doors struct {
	http   string
	socket string
	people *approvals.Manager
}

func openDoors(t *testing.T, limiter gavel.Limiter) doors {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	people, err := approvals.Open(t.Context(), approvals.Config{Store: approvals.NewInMemory(), Now: time.Now, NewID: uuid.NewString})
	require.NoError(t, err)
	file, err := allowlist.Open(allowlist.Config{Path: filepath.Join(dir, allowlist.Name), Now: time.Now, NewID: uuid.NewString, Token: func() string { return "secret" }})
	require.NoError(t, err)
	closing := make(chan struct{})
	a, err := approvalapi.New(approvalapi.Config{People: people, File: file, PDP: &gavel.PDP{Now: time.Now}, Closing: closing, Limiter: limiter})
	require.NoError(t, err)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handle, ok := a.Handlers()[r.Method+" "+r.URL.Path]; ok {
			assert.NoError(t, handle(w, r, gavel.Caller{Credential: "decide", Rights: gavel.RightAsk | gavel.RightApprove}))
		}
	}))
	d := doors{http: web.Listener.Addr().String(), socket: filepath.Join(dir, "s"), people: people}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", d.socket)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() { defer close(done); a.Lines(listener, func(net.Conn) bool { return true }) }()
	t.Cleanup(func() {
		close(closing)
		<-done
		web.Close()
		people.Close()
		assert.NoError(t, os.RemoveAll(dir))
	})
	return d
}

func (d doors) line(t *testing.T) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "unix", d.socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// RT-20: a client that is turned away while it sends, and sends on, costs nothing more.
func TestRT20ARejectedWebSocketIsNoLongerRead(t *testing.T) {
	d := openDoors(t, newBudget(256<<10))
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", d.http)
	require.NoError(t, err)
	defer conn.Close() //nolint:errcheck // it is cut off
	_, err = io.WriteString(conn, "GET /rpc HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	require.NoError(t, err)
	header := binary.BigEndian.AppendUint64([]byte{0x81, 0xff}, 1<<40) // one text, masked, of a terabyte
	_, err = conn.Write(append(header, 0, 0, 0, 0))
	require.NoError(t, err)
	const much = 64 << 20
	sent, part := 0, bytes.Repeat([]byte("x"), 64<<10)
	for err == nil && sent < much {
		var n int
		n, err = conn.Write(part)
		sent += n
	}
	require.Error(t, err, "the connection is cut; %d bytes were read", sent)
}

// RT-16: a line counts as long as it is read, whoever sends it.
func TestRT16ALineOfTheOperatorsSocketIsCountedWhileItIsRead(t *testing.T) {
	limiter := newBudget(256 << 10)
	d := openDoors(t, limiter)
	const list = `{"jsonrpc":"2.0","id":1,"method":"exec.approval.list","token":"secret"}`
	known := d.line(t)
	require.Contains(t, exchange(t, known, list), `"result":[]`)
	long := strings.Repeat(" ", 900<<10) + list
	for name, conn := range map[string]net.Conn{"who has shown the token": known, "who has not": d.line(t)} {
		go func() { _, _ = fmt.Fprintln(conn, long) }() // it is cut off in the middle
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
		said, _ := io.ReadAll(conn)
		assert.Contains(t, string(said), `"too_many_bytes"`, name)
	}
	limiter.mu.Lock()
	assert.Len(t, limiter.held, 2, "who has not shown the token has a share of its own")
	limiter.mu.Unlock()
	assert.Eventually(t, func() bool { held, _ := limiter.all(); return held == 0 }, time.Minute, time.Millisecond, "everything is given back")
	limiter.most = 2 << 20
	assert.Contains(t, exchange(t, d.line(t), long), `"result":[]`, "with room it is answered")
	assert.Positive(t, limiter.entered, "it runs when the limiter lets it in")
}

// RT-16: what waits for people holds nothing of what it sent, neither by count nor in memory.
func TestRT16AWaitingRequestDoesNotKeepItsText(t *testing.T) {
	const each, size = 16, 900 << 10
	for name, send := range map[string]func(t *testing.T, d doors, text string){
		"POST /rpc": func(t *testing.T, d doors, text string) {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", d.http)
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			_, err = fmt.Fprintf(conn, "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
			require.NoError(t, err)
		},
		"WebSocket": func(t *testing.T, d doors, text string) {
			conn, _, err := websocket.Dial(t.Context(), "ws://"+d.http+"/rpc", nil) //nolint:bodyclose // of an upgrade there is none
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.CloseNow() })
			require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(text)))
		},
		"operators' socket": func(t *testing.T, d doors, text string) {
			_, err := fmt.Fprintln(d.line(t), text)
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			limiter := newBudget(64 << 20)
			d := openDoors(t, limiter)
			asked, err := d.people.Open(t.Context(), gavel.Question{Caller: "decide", Facts: &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "cron"}},
				Decision: &gavel.Decision{Terms: &gavel.Terms{TimeoutMs: 600_000}}})
			require.NoError(t, err)
			before := inUse()
			for n := range each {
				request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": n, "method": "exec.approval.waitDecision", "params": map[string]any{"id": asked.ID}, "token": "secret"})
				require.NoError(t, err)
				send(t, d, string(request)+strings.Repeat(" ", size))
			}
			require.Eventually(t, func() bool { _, waiting := limiter.all(); return waiting == each }, time.Minute, time.Millisecond)
			assert.Eventually(t, func() bool { held, _ := limiter.all(); return held == 0 }, time.Minute, time.Millisecond, "they hold nothing by count")
			assert.Less(t, inUse()-before, int64(each*size/4), "nor in memory")
		})
	}
}

// inUse is what is alive in memory, in bytes.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what pools kept goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
