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

// getSocket answers GET /rpc, when it asks for a WebSocket: JSON-RPC in both
// directions, one message a text. Operators get events as notifications.
func (a *API) getSocket(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	if r.Header.Get("Upgrade") == "" {
		return &gavel.InputError{Message: "GET /rpc is for WebSocket", Fix: "use POST /rpc, or connect with a WebSocket client"}
	}
	conn, err := websocket.Accept(sharingWriter{w}, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		a.log.Debug("a WebSocket was not opened", "from", from.From, "error", err)
		return nil // Accept has answered
	}
	conn.SetReadLimit(maxBody)
	ctx, cancel := a.until(r.Context())
	defer cancel()
	l := &line{api: a, from: from, cancel: cancel, slots: make(chan struct{}, maxRunning),
		send: func(ctx context.Context, text []byte) error { return conn.Write(ctx, websocket.MessageText, text) }}
	if from.May(gavel.RightApprove) {
		l.follow(ctx)
	}
	l.start("ping a client", func() { l.ping(ctx, conn) })
	for {
		text, free, err := a.message(ctx, conn, from.Credential)
		if err != nil {
			l.turnedAway(ctx, err)
			break
		}
		if from.Valid != nil && !from.Valid() { // revoked since the connection began
			free()
			break
		}
		if !l.run(ctx, func() {
			first, later := a.begin(ctx, &text, from)
			free()
			if later != nil {
				first = a.finish(ctx, later, l.tell(ctx))
			}
			l.write(ctx, first)
		}) {
			free()
			break
		}
	}
	cancel()
	// Not Close: it would read on for seconds, as fast as the client sends.
	_ = conn.CloseNow() // it may be gone already
	l.running.Wait()
	return nil
}

// message reads one message. It counts as held until free is called.
func (a *API) message(ctx context.Context, conn *websocket.Conn, credential string) (text []byte, free func(), err error) {
	held := &held{gate: a.cfg.Gate, credential: credential}
	defer func() {
		if err != nil {
			held.free()
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
		if err := held.grow(len(text) + messageStep); err != nil {
			return nil, nil, err
		}
		step, err := io.ReadAll(io.LimitReader(in, messageStep))
		if err != nil {
			return nil, nil, err
		}
		if text = append(text, step...); len(step) < messageStep {
			return text, held.free, nil
		}
	}
}

// turnedAway tells a client whose message was not read to its end why its connection ends. What it
// still sends is not read, so that it has a moment to read this before the connection is cut.
func (l *line) turnedAway(ctx context.Context, err error) {
	var busy *gavel.BusyError
	var refused *rpcError
	if errors.As(err, &busy) || errors.As(err, &refused) {
		l.write(ctx, l.api.failed(nil, err))
		wait(ctx, turnAwayTime)
	}
}

// sharing is a connection whose reader lets others run after each step: whoever sends as
// fast as it can, or in the smallest of frames, keeps no core to itself.
type sharing struct{ net.Conn }

// Read reads, and lets others run.
func (c sharing) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	runtime.Gosched()
	return n, err
}

// sharingWriter hands its connection out as one that shares.
type sharingWriter struct{ http.ResponseWriter }

// Hijack hands the connection out.
func (w sharingWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return sharing{conn}, buffered, nil
}

// line is one connection on which requests and answers cross.
type line struct {
	api     *API
	from    gavel.Caller
	cancel  context.CancelFunc
	slots   chan struct{}
	running sync.WaitGroup
	mu      sync.Mutex // one message is written at a time
	send    func(ctx context.Context, text []byte) error
}

// start does something beside the rest. A panic in it ends this connection and no other:
// what is asked stays open, and is listed to whoever connects again.
func (l *line) start(what string, f func()) {
	l.running.Go(func() {
		if !rescue.Run(l.api.log, what, f) {
			l.cancel()
		}
	})
}

// run answers one request beside the others. Beyond the limit it waits: whoever sends
// more is not read from. It returns false when the connection ends first.
func (l *line) run(ctx context.Context, request func()) bool {
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

// write sends one message. Who does not take it in time is cut off.
func (l *line) write(ctx context.Context, message any) {
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

// tell sends the first answer of two.
func (l *line) tell(ctx context.Context) func(answer) {
	return func(first answer) { l.write(ctx, first) }
}

// follow sends events until the connection ends. A client that is too slow is cut off.
func (l *line) follow(ctx context.Context) {
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

func (l *line) ping(ctx context.Context, conn *websocket.Conn) {
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
