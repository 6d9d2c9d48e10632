package approvalapi

import (
	"bufio"
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/internal/rescue"
	"gavel/internal/strictjson"
)

// connectTimeout is how long a connection may take until its first line has the
// token (APPROVALS-4).
const connectTimeout = 15 * time.Second

const (
	maxLines    = 256                    // connections that the socket serves at a time: all are of this user
	acceptAgain = 100 * time.Millisecond // after a connection that was not accepted
	refusalTime = 100 * time.Millisecond // for telling a client that there is no room
)

// Lines serves JSON lines on a unix socket (APPROVALS-4): one JSON object per line, each with the
// token of the approvals file. An object is JSON-RPC, or OpenClaw's own form
// {"type":"request","token","id","request":{…}}, which is answered with
// {"type":"decision","id","decision"}.
//
// allowed reports whether the process at the other end may connect at all. Lines returns when the
// listener is closed or the server stops, after every connection has ended.
func (a *API) Lines(listener net.Listener, allowed func(net.Conn) bool) {
	ctx, cancel := a.untilStopped(context.Background())
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	var serving sync.WaitGroup
	defer serving.Wait()
	slots := make(chan struct{}, a.cfg.Lines)
	for {
		conn, err := listener.Accept()
		switch {
		case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			if err == nil {
				_ = conn.Close()
			}
			return
		case err != nil: // for example because there are no file descriptors left; that may change
			a.log.Error("a connection was not accepted", "error", err)
			wait(ctx, acceptAgain)
			continue
		}
		select {
		case slots <- struct{}{}:
		default:
			a.refuseConnection(conn)
			continue
		}
		serving.Go(func() {
			defer func() { <-slots }()
			defer conn.Close() //nolint:errcheck // it may be gone already
			rescue.Run(a.log, "serve a connection of the operators' socket", func() {
				if allowed(conn) {
					a.serveLines(ctx, conn)
				}
			})
		})
	}
}

// refuseConnection sends an error and closes the connection. It does not wait for a slow client.
func (a *API) refuseConnection(conn net.Conn) {
	var text bytes.Buffer
	_ = strictjson.Write(&text, a.failed(nil, &rpcError{Code: rpcRefused, Message: fmt.Sprintf("%d connections are already open", a.cfg.Lines),
		Data: &rpcData{Code: "overloaded", Reason: "OVERLOADED", Fix: "close some of them, then connect again"}}))
	_ = conn.SetWriteDeadline(time.Now().Add(refusalTime))
	_, _ = conn.Write(text.Bytes()) // it fits into the send buffer of a new connection
	_ = conn.Close()
}

// wait waits for a time, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// lineRequest is one line, in either form.
type lineRequest struct {
	request
	Type    string         `json:"type"`
	Request jsontext.Value `json:"request"`
	issue   string         // of the token
}

// decisionLine is the answer in OpenClaw's own form.
type decisionLine struct {
	Type     string         `json:"type"`
	ID       jsontext.Value `json:"id,omitempty"`
	Decision *string        `json:"decision"`
	Error    *rpcError      `json:"error,omitempty"`
}

// serveLines answers one connection until it ends, or a line has the wrong token.
func (a *API) serveLines(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	from := gavel.Caller{Credential: LineCredential, Person: a.cfg.SocketPerson, From: LineCredential, Rights: gavel.ScopeOperators.Rights()}
	l := &connection{api: a, from: from, cancel: cancel, slots: make(chan struct{}, maxRunning),
		send: func(_ context.Context, text []byte) error {
			if err := conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
				return err
			}
			_, err := conn.Write(text)
			return err
		}}
	defer func() { cancel(); l.running.Wait() }()
	if err := conn.SetReadDeadline(time.Now().Add(connectTimeout)); err != nil {
		return
	}
	lines := lineReader{conn: conn, in: bufio.NewReaderSize(conn, shortLine)}
	held := a.unknown()
	for {
		text, err := lines.next(ctx, held)
		if err != nil {
			held.free()
			l.explainRefusal(ctx, err)
			return
		}
		if len(text) == 0 {
			held.free()
			continue
		}
		if !l.take(ctx, text, held, &lines) {
			held.free()
			return
		}
		held = a.operators()
	}
}

// take starts to answer a line, concurrently with others. It returns false if the connection must
// end.
func (l *connection) take(ctx context.Context, text []byte, held *messageMemory, lines *lineReader) bool {
	var q lineRequest
	if err := strictjson.Unmarshal(text, &q); err != nil {
		l.write(ctx, l.api.failed(nil, &rpcError{Code: rpcParse, Message: err.Error()}))
		return false
	}
	if !l.api.token(q.Token) {
		l.write(ctx, l.api.failed(q.ID, &rpcError{Code: rpcRefused, Message: "the token is not the one of the approvals file",
			Data: &rpcData{Code: "unauthenticated", Reason: "UNAUTHENTICATED", Fix: "send socket.token of exec-approvals.json with every line"}}))
		return false
	}
	if !lines.known {
		lines.known = true
		if err := lines.conn.SetReadDeadline(time.Time{}); err != nil || ctx.Err() != nil {
			return false
		}
		l.follow(ctx)
	}
	q.issue = gavel.IssueOf(q.Token)
	return l.run(ctx, func() { l.answer(ctx, &q, held.free) })
}

// The names of the operators' socket in budgets of credentials. Connections that have not shown the token yet
// share a budget of their own, so that they take nothing from those that have.
const (
	LineCredential    = "approvals.sock"
	unknownCredential = "approvals.sock without a token"
)

func (a *API) unknown() *messageMemory {
	return &messageMemory{limiter: a.cfg.Limiter, credential: unknownCredential}
}
func (a *API) operators() *messageMemory {
	return &messageMemory{limiter: a.cfg.Limiter, credential: LineCredential}
}

// shortLine is the maximum length of a line that is read in one piece, in bytes.
const shortLine = 4096

// lineReader reads lines of one connection.
type lineReader struct {
	conn  net.Conn
	in    *bufio.Reader
	known bool // a line had the right token; until then, the connection has a time limit
}

// next reads one line and trims white space. It reserves memory for the line as it grows, and limits
// the time for the rest of a line that has begun, because that part is in memory.
func (r *lineReader) next(ctx context.Context, held *messageMemory) (text []byte, err error) {
	late := lineDeadline{conn: r.conn}
	for {
		part, err := r.in.ReadSlice('\n')
		if len(text)+len(part) > maxBody {
			return nil, &rpcError{Code: rpcParse, Message: "the line is longer than 1 MiB"}
		}
		if full := held.grow(len(text) + len(part)); full != nil {
			return nil, full
		}
		text = append(text, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(text) > 0: // the last one may lack its end
			return bytes.TrimSpace(text), late.end(ctx)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		if r.known {
			if err := late.begin(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// token reports whether a token is right, in constant time.
func (a *API) token(shown string) bool {
	token := a.cfg.File.Token()
	return token != "" && len(token) >= a.cfg.LeastToken && subtle.ConstantTimeCompare([]byte(token), []byte(shown)) == 1
}

// answer answers a line in the same form. It drops the text of the line and releases its
// share of the budget before it waits for anybody.
func (l *connection) answer(ctx context.Context, line *lineRequest, free func()) {
	defer free()
	q := *line
	*line = lineRequest{}
	original := q.Type == "request"
	if original {
		q.request = request{Version: "2.0", ID: q.ID, Method: "exec.approval.request", Params: q.Request}
	}
	id, from := q.ID, l.from
	from.Issue = q.issue
	got, later := l.api.enter(ctx, q.request, from)
	q = lineRequest{}
	free()
	switch {
	case later != nil && original:
		later.accepted = nil
		got = l.api.finish(ctx, later, nil)
	case later != nil:
		got = l.api.finish(ctx, later, l.firstAnswer(ctx))
	}
	if !original {
		l.write(ctx, got)
		return
	}
	view, _ := got.Result.(decisionView)
	l.write(ctx, decisionLine{"decision", id, view.Decision, got.Error})
}
