package approvalapi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/coder/websocket"

	"gavel"
	"gavel/approvals/view"
	"gavel/internal/rescue"
	"gavel/internal/strictjson"
)

// getSocket answers GET /rpc with a WebSocket: JSON-RPC in both directions, one text message for
// each object. Operators get events as notifications.
func (a *API) getSocket(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	if r.Header.Get("Upgrade") == "" {
		return &gavel.InputError{Message: "GET /rpc is for WebSocket", Fix: "use POST /rpc, or connect with a WebSocket client"}
	}
	conn, err := websocket.Accept(yieldingWriter{w}, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		a.log.Debug("a WebSocket was not opened", "from", from.From, "error", err)
		return nil // Accept has answered
	}
	conn.SetReadLimit(maxBody)
	ctx, cancel := a.untilStopped(r.Context())
	defer cancel()
	l := &connection{api: a, from: from, cancel: cancel, slots: make(chan struct{}, maxRunning),
		send: func(ctx context.Context, text []byte) error { return conn.Write(ctx, websocket.MessageText, text) }}
	if from.May(gavel.RightApprove) {
		l.follow(ctx)
	}
	l.start("ping a client", func() { l.ping(ctx, conn) })
	for {
		text, free, err := a.message(ctx, conn, from.Credential)
		if err != nil {
			l.explainRefusal(ctx, err)
			break
		}
		if from.Valid != nil && !from.Valid() { // revoked since the connection began
			free()
			break
		}
		if !l.run(ctx, func() {
			first, later := a.start(ctx, &text, from)
			free()
			if later != nil {
				first = a.finish(ctx, later, l.firstAnswer(ctx))
			}
			l.write(ctx, first)
		}) {
			free()
			break
		}
	}
	cancel()
	// Close would keep reading for seconds, as fast as the client sends.
	_ = conn.CloseNow() // it may be gone already
	l.running.Wait()
	return nil
}

// message reads one message. Its memory is counted for the credential until free is called.
func (a *API) message(ctx context.Context, conn *websocket.Conn, credential string) (text []byte, free func(), err error) {
	memory := &messageMemory{limiter: a.cfg.Limiter, credential: credential}
	defer func() {
		if err != nil {
			memory.free()
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	kind, in, err := conn.Reader(ctx)
	if err == nil && kind != websocket.MessageText {
		err = errors.New("the message is not text")
	}
	if err != nil {
		return nil, nil, err
	}
	timer := time.AfterFunc(messageTime, cancel)
	defer timer.Stop()
	for {
		if err := memory.grow(len(text) + messageStep); err != nil {
			return nil, nil, err
		}
		step, err := io.ReadAll(io.LimitReader(in, messageStep))
		if err != nil {
			return nil, nil, err
		}
		if text = append(text, step...); len(step) < messageStep {
			return text, memory.free, nil
		}
	}
}

// explainRefusal sends an error to a client whose message was refused before its end, and waits a
// moment so that the client can read it before the connection is cut.
func (l *connection) explainRefusal(ctx context.Context, err error) {
	var busy *gavel.BusyError
	var refused *rpcError
	if errors.As(err, &busy) || errors.As(err, &refused) {
		l.write(ctx, l.api.failed(nil, err))
		wait(ctx, refusalTime)
	}
}

// yieldingConn is a connection that yields the processor after each read. A client that sends as
// fast as it can, or in tiny frames, thus cannot occupy a core.
type yieldingConn struct{ net.Conn }

// Read reads, and then yields the processor.
func (c yieldingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	runtime.Gosched()
	return n, err
}

// yieldingWriter is a ResponseWriter whose hijacked connection is a yieldingConn.
type yieldingWriter struct{ http.ResponseWriter }

// Hijack implements http.Hijacker.
func (w yieldingWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return yieldingConn{conn}, buffered, nil
}

// connection is one connection with requests and answers in both directions.
type connection struct {
	api     *API
	from    gavel.Caller
	cancel  context.CancelFunc
	slots   chan struct{}
	running sync.WaitGroup
	mu      sync.Mutex // serialises send
	send    func(ctx context.Context, text []byte) error
}

// start runs f in a goroutine. A panic in it ends this connection and no other. Its questions stay
// open, and clients that reconnect see them.
func (l *connection) start(what string, f func()) {
	l.running.Go(func() {
		if !rescue.Run(l.api.log, what, f) {
			l.cancel()
		}
	})
}

// run runs request in a goroutine. If maxRunning requests are running, it waits, and nothing is read
// from the client in the meantime. It returns false if the connection ends first.
func (l *connection) run(ctx context.Context, request func()) bool {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	l.start("answer a request of a connection", func() {
		defer func() { <-l.slots }()
		request()
	})
	return true
}

// write sends one message. A client that does not accept it in time is disconnected.
func (l *connection) write(ctx context.Context, message any) {
	var text bytes.Buffer
	if err := strictjson.Write(&text, message); err != nil {
		l.api.log.Error("an answer was not encoded", "error", err)
		return
	}
	ctx, done := context.WithTimeout(ctx, writeTime)
	defer done()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.send(ctx, text.Bytes()); err != nil && !errors.Is(err, context.Canceled) {
		l.cancel()
	}
}

// firstAnswer returns a function that sends the first answer of two.
func (l *connection) firstAnswer(ctx context.Context) func(answer) {
	return func(first answer) { l.write(ctx, first) }
}

// follow sends events until the connection ends. A client that is too slow is disconnected.
func (l *connection) follow(ctx context.Context) {
	events := l.api.cfg.People.Subscribe()
	l.start("send events to a client", func() {
		defer events.Cancel()
		for {
			select {
			case <-ctx.Done():
				return
			case event, ok := <-events.C:
				if !ok {
					l.cancel()
					return
				}
				l.write(ctx, answer{Version: "2.0", Method: event.Name, Params: eventView{view.Show(event.Approval), l.api.cfg.PDP.Now().UnixMilli()}})
			}
		}
	})
}

func (l *connection) ping(ctx context.Context, conn *websocket.Conn) {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			ctx, done := context.WithTimeout(ctx, writeTime)
			err := conn.Ping(ctx)
			done()
			if err != nil {
				l.cancel()
				return
			}
		}
	}
}
