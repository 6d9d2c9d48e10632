package approvalapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/server/approvalapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// socket serves JSON lines until the test ends; allowed says who may connect.
func socket(t *testing.T, allowed bool, through ...func(net.Listener) net.Listener) (connect func() net.Conn, people *approvals.Manager) {
	t.Helper()
	return socketOf(t, func(net.Conn) bool { return allowed }, &gavel.PDP{Now: time.Now}, through...)
}

// socketFor is the same for whoever allowed lets in, with a decision point that change may spoil.
func socketFor(t *testing.T, allowed func(net.Conn) bool, change ...func(*gavel.PDP)) (connect func() net.Conn, people *approvals.Manager) {
	t.Helper()
	pdp := &gavel.PDP{Now: time.Now}
	for _, f := range change {
		f(pdp)
	}
	return socketOf(t, allowed, pdp)
}

func socketOf(t *testing.T, allowed func(net.Conn) bool, pdp *gavel.PDP, through ...func(net.Listener) net.Listener) (connect func() net.Conn, people *approvals.Manager) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	people, err = approvals.Open(t.Context(), approvals.Config{Store: approvals.NewInMemory(), Now: time.Now, NewID: uuid.NewString})
	require.NoError(t, err)
	file, err := allowlist.Open(allowlist.Config{Path: filepath.Join(dir, allowlist.Name), Now: time.Now, NewID: uuid.NewString, Token: func() string { return "secret" }})
	require.NoError(t, err)
	closing := make(chan struct{})
	a, err := approvalapi.New(approvalapi.Config{People: people, File: file, PDP: pdp, Closing: closing, Nodes: broken{}})
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(dir, "s"))
	require.NoError(t, err)
	for _, wrap := range through {
		listener = wrap(listener)
	}
	done := make(chan struct{})
	go func() { defer close(done); a.Lines(listener, allowed) }()
	t.Cleanup(func() {
		close(closing)
		<-done
		people.Close()
		assert.NoError(t, os.RemoveAll(dir))
	})
	return func() net.Conn {
		conn, err := new(net.Dialer).DialContext(context.Background(), "unix", filepath.Join(dir, "s"))
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}, people
}

func exchange(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	_, err := fmt.Fprintln(conn, text)
	require.NoError(t, err)
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, 2<<20)
	lines.Scan()
	return lines.Text()
}

func TestInvalidLinesAreAnsweredAndDisconnected(t *testing.T) {
	connect, _ := socket(t, true)
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":         {"hello", `"code":-32700`},
		"no token":        {`{"jsonrpc":"2.0","id":1,"method":"exec.approval.list"}`, `"unauthenticated"`},
		"the wrong token": {`{"jsonrpc":"2.0","id":1,"method":"exec.approval.list","token":"secret "}`, `"unauthenticated"`},
		"an empty token":  {`{"jsonrpc":"2.0","id":1,"method":"exec.approval.list","token":""}`, `"unauthenticated"`},
		"a member twice":  {`{"jsonrpc":"2.0","jsonrpc":"2.0","token":"secret"}`, `"code":-32700`},
	} {
		assert.Contains(t, exchange(t, connect(), c.text), c.want, name)
	}
	long := connect()
	_, _ = fmt.Fprintln(long, strings.Repeat("x", 2<<20)) // it is cut off in the middle
	_, _ = io.Copy(io.Discard, long)                      // ends, with or without an answer
	for name, c := range map[string]struct{ text, want string }{
		"another version":    {`{"jsonrpc":"1.0","id":1,"method":"exec.approval.list","token":"secret"}`, `"code":-32600`},
		"no method":          {`{"jsonrpc":"2.0","id":1,"token":"secret"}`, `"code":-32600`},
		"an unknown method":  {`{"jsonrpc":"2.0","id":1,"method":"x","token":"secret"}`, `"code":-32601`},
		"an unknown id":      {`{"jsonrpc":"2.0","id":1,"method":"exec.approval.get","params":{"id":"00000000"},"token":"secret"}`, `"APPROVAL_NOT_FOUND"`},
		"a list":             {`{"jsonrpc":"2.0","id":1,"method":"exec.approval.list","token":"secret"}`, `"result":[]`},
		"a blank id to wait": {`{"jsonrpc":"2.0","id":1,"method":"exec.approval.waitDecision","params":{"id":" "},"token":"secret"}`, `id is required`},
	} {
		assert.Contains(t, exchange(t, connect(), c.text), c.want, name)
	}
}

// Who showed the right token once, and followed events since, is cut off as well.
func TestALineWithTheWrongTokenEndsAConnectionThatHadTheRightOne(t *testing.T) {
	connect, _ := socket(t, true)
	for name, bad := range map[string]string{"the wrong token": `{"jsonrpc":"2.0","id":2,"method":"exec.approval.list","token":"wrong"}`, "no JSON": "hello"} {
		conn := connect()
		require.Contains(t, exchange(t, conn, `{"jsonrpc":"2.0","id":1,"method":"exec.approval.list","token":"secret"}`), `"result":[]`)
		require.NotContains(t, exchange(t, conn, bad), `"result"`)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
		_, err := conn.Read(make([]byte, 1))
		assert.ErrorIs(t, err, io.EOF, name)
	}
}

// flaky fails to accept once, as when there are no file descriptors left.
type flaky struct {
	net.Listener
	failed atomic.Bool
}

func (f *flaky) Accept() (net.Conn, error) {
	if !f.failed.Swap(true) {
		return nil, syscall.EMFILE
	}
	return f.Listener.Accept()
}

func TestTheSocketIsServedAfterARejectedConnection(t *testing.T) {
	connect, _ := socket(t, true, func(l net.Listener) net.Listener { return &flaky{Listener: l} })
	assert.Contains(t, exchange(t, connect(), `{"jsonrpc":"2.0","id":1,"method":"exec.approval.list","token":"secret"}`), `"result":[]`)
}

// broken panics, as a bug might.
type broken struct{}

func (broken) Call(context.Context, string, string, []byte) ([]byte, error) { panic("a bug") }

func TestAPanicInOneRequestDoesNotEndAnother(t *testing.T) {
	connect, _ := socket(t, true)
	conn := connect()
	assert.Contains(t, exchange(t, conn, `{"jsonrpc":"2.0","id":1,"method":"exec.approvals.node.get","params":{"nodeId":"x"},"token":"secret"}`), `"code":-32603`)
	assert.Contains(t, exchange(t, conn, `{"jsonrpc":"2.0","id":2,"method":"exec.approval.list","token":"secret"}`), `"result":[]`)
}

// A panic beyond the requests themselves, such as of what looks at who connects.
func TestAPanicInOneConnectionDoesNotEndAnother(t *testing.T) {
	var first atomic.Bool
	connect, _ := socketFor(t, func(net.Conn) bool {
		if first.CompareAndSwap(false, true) {
			panic("a bug")
		}
		return true
	})
	_, err := io.ReadAll(connect())
	require.NoError(t, err, "it is closed")
	assert.Contains(t, exchange(t, connect(), `{"jsonrpc":"2.0","id":1,"method":"exec.approval.list","token":"secret"}`), `"result":[]`)
}

// Events are sent in a goroutine of each connection's own.
func TestAfterAPanicAReconnectingClientSeesTheQuestion(t *testing.T) {
	var broken atomic.Bool
	connect, people := socketFor(t, func(net.Conn) bool { return true }, func(pdp *gavel.PDP) {
		pdp.Now = func() time.Time {
			if broken.Load() {
				panic("a bug")
			}
			return time.Now()
		}
	})
	const list = `{"jsonrpc":"2.0","id":1,"method":"exec.approval.list","token":"secret"}`
	conn := connect()
	require.Contains(t, exchange(t, conn, list), `"result":[]`)
	broken.Store(true)
	a, err := people.Open(t.Context(), gavel.Question{Caller: "gateway", Facts: &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "cron"}},
		Decision: &gavel.Decision{Terms: &gavel.Terms{TimeoutMs: 120_000}}})
	require.NoError(t, err)
	_, err = io.ReadAll(conn)
	require.NoError(t, err, "it is closed")
	assert.Contains(t, exchange(t, connect(), list), a.ID)
}

func TestAProcessOfAnotherUserIsDisconnected(t *testing.T) {
	connect, _ := socket(t, false)
	conn := connect()
	_, err := bufio.NewReader(conn).ReadString('\n')
	assert.Error(t, err)
}

func TestWaitingClientsAreToldThatTheServerStops(t *testing.T) {
	people, err := approvals.Open(t.Context(), approvals.Config{Store: approvals.NewInMemory(), Now: time.Now, NewID: uuid.NewString})
	require.NoError(t, err)
	a, err := people.Open(t.Context(), gavel.Question{Caller: "gateway", Facts: &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "cron"}},
		Decision: &gavel.Decision{Terms: &gavel.Terms{TimeoutMs: 120_000}}})
	require.NoError(t, err)
	got := make(chan error)
	go func() { _, err := people.Wait(t.Context(), a.ID); got <- err }()
	require.Eventually(t, func() bool { return people.Waiting() == 1 }, time.Minute, time.Millisecond)
	people.Close()
	var refused *gavel.ApprovalError
	require.ErrorAs(t, <-got, &refused)
	assert.Equal(t, gavel.CodeApprovalsUnavailable, refused.Code)
}

func TestAFullSocketReportsItself(t *testing.T) {
	connect, _ := socket(t, true)
	const list = `{"jsonrpc":"2.0","id":1,"method":"exec.approval.list","token":"secret"}`
	var first net.Conn
	for range 256 {
		conn := connect()
		if first == nil {
			first = conn
		}
		require.Contains(t, exchange(t, conn, list), `"result":[]`)
	}
	refused, err := io.ReadAll(connect())
	require.NoError(t, err)
	assert.Contains(t, string(refused), `"OVERLOADED"`)
	assert.Contains(t, string(refused), `"fix":"`)
	require.NoError(t, first.Close())
	assert.Eventually(t, func() bool {
		conn := connect()
		_, _ = fmt.Fprintln(conn, list)
		said, _ := bufio.NewReader(conn).ReadString('\n')
		return strings.Contains(said, `"result":[]`)
	}, time.Minute, time.Millisecond, "there is room again")
}
