package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"gavel"
	"gavel/credentials/wire"
	"gavel/credentials/wrappers"
)

// client is one connection.
type client struct {
	*Daemon
	conn     *net.UnixConn
	lines    *wire.Lines
	admitted func() // gives the place of clients that have not shown anything back
	who      *caller
	proof    []byte // that the daemon knows the secret; none if the client does not ask
}

// serve reads one request and answers it.
func (c *client) serve(ctx context.Context) {
	now := c.state.Load()
	request, err := c.request(now)
	if err != nil {
		c.refuse(err)
		return
	}
	if request.Admin != "" {
		c.admin(ctx, now, request)
		return
	}
	c.tool(ctx, now, request)
}

// request reads a request, and returns it if its signature, its caller and its time are right. The
// error is a *wire.RefusedError.
func (c *client) request(now *state) (*wire.Request, error) {
	_ = c.conn.SetReadDeadline(time.Now().Add(now.config.Proxy.HeaderTimeout))
	line, err := c.lines.Next(wire.MaxRequest - 1)
	switch {
	case errors.Is(err, wire.ErrLongLine):
		c.counts.Oversized.Add(1)
		return nil, &wire.RefusedError{Text: wire.TextTooLarge, Why: err}
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.counts.ReadTimeout.Add(1)
		return nil, &wire.RefusedError{Text: wire.TextTimeout, Why: err}
	case errors.Is(err, io.EOF):
		return nil, &wire.RefusedError{Text: wire.TextEmpty, Why: err}
	case err != nil:
		return nil, &wire.RefusedError{Text: wire.TextInternal, Why: err}
	}
	request, err := wire.ParseRequest(line)
	if err != nil {
		return nil, err
	}
	framed := request.Admin == ""
	who, examined := examine(c.conn)
	if who == nil {
		c.counts.CallerVerifyFail.Add(1)
		return nil, &wire.RefusedError{Text: wire.TextNoCaller, Framed: framed, Why: examined}
	}
	c.who = who
	if err := c.callers.verify(who, examined, now.config.Security.AllowUnverified); err != nil {
		c.counts.CallerVerifyFail.Add(1)
		return nil, &wire.RefusedError{Text: wire.TextForeign, Framed: framed, Why: err}
	}
	if err := c.authentic(request); err != nil {
		return nil, &wire.RefusedError{Text: wire.TextNotAllowed, Framed: framed, Why: err}
	}
	if request.Admin == wire.AdminCheck && !c.callers.mayCheck(who, examined) {
		return nil, &wire.RefusedError{Text: wire.TextNotAllowed, Why: fmt.Errorf("check is not for the caller %q, %s", who.name, who.exe)}
	}
	return request, nil
}

// authentic checks the time and the signature of a request, and that it is the first of its kind.
func (c *client) authentic(request *wire.Request) error {
	at := c.cfg.Now()
	mac, err := request.Verify(c.secret, at)
	if err != nil {
		c.counts.AuthFail.Add(1)
		return err
	}
	if request.Proof { // now: a busy machine may get to it when the request is no longer fresh
		c.proof = wire.Proof(c.secret, mac)
	}
	switch c.replay.see(c.who.uid, mac, request.Made(), at) {
	case seenBefore:
		c.counts.ReplayReject.Add(1)
		return errors.New("the request was made before")
	case seenTooMany:
		c.counts.ReplayReject.Add(1)
		return errors.New("too many requests are remembered: raise proxy.replay_cache_max_entries")
	case seenTooOld:
		c.counts.ReplayReject.Add(1)
		return errors.New("the request may have been made before: the clock of this machine was set back; wait until it is past the time of earlier requests, or restart the daemon")
	}
	return nil
}

// refuse answers a request that is not served, in the form that the client expects.
func (c *client) refuse(err error) {
	var refused *wire.RefusedError
	if !errors.As(err, &refused) {
		refused = &wire.RefusedError{Text: wire.TextInternal, Why: err}
	}
	uid, pid, exe := c.cfg.UID, 0, ""
	if c.who != nil {
		uid, pid, exe = c.who.uid, c.who.pid, c.who.exe
	}
	c.cfg.Logger.Warn("a request was refused", "answer", refused.Text, "why", refused.Why, "uid", uid, "pid", pid, "exe", exe)
	answer := wire.ErrorLine(refused.Text)
	if refused.Framed {
		answer = c.frame(wire.Message{Type: wire.TypeError, Message: refused.Text})
	}
	_ = c.write(answer)
}

func (c *client) frame(message wire.Message) []byte {
	frame, err := wire.EncodeFrame(message)
	if err != nil {
		frame, _ = wire.EncodeFrame(wire.Message{Type: wire.TypeError, Message: wire.TextInternal}) // it is short
	}
	return frame
}

// write sends bytes; a client that takes none for too long is given up.
func (c *client) write(bytes []byte) error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(c.state.Load().config.Proxy.WriteTimeout))
	_, err := c.conn.Write(bytes)
	return err
}

// tool runs a tool for a client, if the policy allows it.
func (c *client) tool(ctx context.Context, now *state, request *wire.Request) {
	fail := func(text string, why error) {
		c.refuse(&wire.RefusedError{Text: text, Framed: true, Why: why})
	}
	tool := now.config.Tools[request.Tool]
	if tool == nil {
		fail(wire.TextNoTool, fmt.Errorf("%q is not in the configuration", request.Tool))
		return
	}
	if !c.slots.take() {
		c.counts.Busy.Add(1)
		fail(wire.TextBusy, errors.New("proxy.max_connections tools run"))
		return
	}
	defer c.slots.give()
	c.admitted()
	ctx, cancel := c.while(ctx, now.config.Proxy.MaxLifetime)
	defer cancel()
	dir, err := openDirectory(tool, request.Cwd)
	if err != nil {
		fail(wire.TextNoDirectory, err)
		return
	}
	defer dir.close()
	use := &use{client: c, tool: tool, request: request, dir: dir, began: c.cfg.Now()}
	use.passed, use.dropped = c.cfg.Environment.split(tool, request.Env)
	if len(use.dropped) > 0 {
		c.cfg.Logger.Info("variables of a request were dropped", "tool", tool.Name, "names", use.dropped)
	}
	if refused := use.decide(ctx); refused != nil {
		c.counts.Denied.Add(1)
		c.refuse(refused)
		return
	}
	values, err := now.vault.values(ctx, tool.Uses())
	if err != nil {
		fail(wire.TextInternal, err)
		return
	}
	c.counts.Ran.Add(1)
	use.run(ctx, now, values)
}

// while returns a context that ends when the connection's time is over, or when its client is
// gone: no tool runs without a client.
func (c *client) while(ctx context.Context, lifetime time.Duration) (context.Context, context.CancelFunc) {
	cancel := context.CancelFunc(func() {})
	if lifetime > 0 {
		ctx, cancel = context.WithTimeout(ctx, lifetime)
	}
	ctx, gave := context.WithCancel(ctx)
	c.running.Go(func() {
		ticker := time.NewTicker(200 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if gone(c.conn) {
					gave()
					return
				}
			}
		}
	})
	return ctx, func() { gave(); cancel() }
}

// directory is where a tool runs. It is open, so that what was judged is where it runs.
type directory struct {
	file *os.File
	path string // its real path
}

// openDirectory opens the directory of a request, or the configured one.
func openDirectory(tool *wrappers.Tool, asked string) (*directory, error) {
	path := asked
	if tool.WorkingDir != "" {
		path = tool.WorkingDir
	}
	if !filepath.IsAbs(path) {
		return nil, errors.New("it is not an absolute path")
	}
	file, err := openDir(path)
	if err != nil {
		return nil, err
	}
	real, err := realPath(file, path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &directory{file, real}, nil
}

func (d *directory) close() { _ = d.file.Close() }

// use is one run of a tool.
type use struct {
	*client
	tool            *wrappers.Tool
	request         *wire.Request
	dir             *directory
	passed, dropped []string
	began           time.Time
	decision        gavel.Decision
}
