package daemon

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gavel/credentials/source"
	"gavel/credentials/wire"
	"gavel/internal/rescue"
)

// How long output is still read when the tool has ended, because a child of it may hold it open.
const (
	drainIdle = time.Second
	drainMost = 5 * time.Second
)

// run runs the tool with its credentials, and sends what it writes.
func (u *use) run(ctx context.Context, now *state, values map[string]string) {
	fail := func(text string, err error) {
		u.refuse(&wire.RefusedError{Text: text, Framed: true, Why: err})
	}
	if err := u.audit.usable(); err != nil {
		fail(wire.TextInternal, fmt.Errorf("the run could not be recorded: %w", err))
		return
	}
	// Whoever may change the program would be given the credentials.
	if err := source.Executable(u.tool.Binary); err != nil {
		fail(wire.TextNoStart, err)
		return
	}
	config, err := u.configFile(values)
	if err != nil {
		fail(wire.TextInternal, err)
		return
	}
	tidy := sync.OnceFunc(func() {
		if config == "" {
			return
		}
		if err := os.RemoveAll(config); err != nil {
			u.cfg.Logger.Error("a configuration file with credentials could not be removed", "error", err)
		}
	})
	defer tidy()
	pty := u.wantsPTY()
	process, err := start(command{binary: u.tool.Binary, args: u.request.Arguments(), dir: u.dir, stdin: u.tool.Stdin, pty: pty, size: u.request.WindowSize,
		env: u.environ(u.tool, u.passed, u.request.Env, values, pty, u.dir.path, config)})
	if err != nil {
		fail(wire.TextNoStart, err)
		return
	}
	r := &runner{use: u, process: process, tidy: tidy, limit: now.config.Proxy.MaxOutput,
		spool: newSpool(now.config.Proxy.InlineThreshold, u.temp.file), secrets: values}
	r.serve(ctx, now)
}

// configFile writes the tool's configuration file, and returns its directory, or "".
func (u *use) configFile(values map[string]string) (string, error) {
	file := u.tool.ConfigFile
	if file == nil {
		return "", nil
	}
	text, err := file.Render(values)
	if err != nil {
		return "", err
	}
	return u.temp.config(file.Subdir, file.Filename, text)
}

// runner moves input and output between a process and a client.
type runner struct {
	*use
	process *process
	tidy    func() // removes the configuration file
	spool   *spool
	limit   int64 // bytes of output; 0 is none
	secrets map[string]string

	obeyed int64 // signals in lines that end here, or before, were sent already; see [runner.ahead]
	bytes  atomic.Int64
	sums   [2]hash.Hash
	rests  [2]rest
	over   atomic.Bool // the limit is exceeded
}

// serve returns when the process has ended and the client has everything, or is gone.
func (r *runner) serve(ctx context.Context, now *state) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var sending, pumping, reading sync.WaitGroup
	sending.Go(func() { r.guarded(cancel, r.send) })
	if len(r.proof) > 0 {
		_ = r.spool.push(r.frame(wire.Message{Type: wire.TypeProof, Data: r.proof}))
	}
	for i, stream := range r.process.outputs {
		r.sums[i] = sha256.New()
		pumping.Go(func() { r.guarded(cancel, func() error { return r.pump(i, stream) }) })
	}
	reading.Go(func() { r.guarded(cancel, func() error { return r.control(now) }) })

	stop := context.AfterFunc(ctx, func() { r.spool.fail(context.Cause(ctx)) })
	defer stop()
	timeout := r.process.wait(ctx, r.tool.Timeout, func() { drained(&pumping, r.process) })
	r.tidy() // before the client learns that the tool has ended
	code := r.process.exitCode()
	for i := range r.process.outputs {
		_ = r.push(i, r.rests[i].text(code < 0 || r.over.Load() || r.process.disturbed()))
	}
	if ctx.Err() == nil || timeout {
		if r.over.Load() {
			_ = r.spool.push(r.frame(wire.Message{Type: wire.TypeStderr, Data: []byte("gavel: the tool was stopped: its output is larger than proxy.max_output_size\n")}))
		}
		_ = r.spool.push(r.frame(wire.Message{Type: wire.TypeDone, ExitCode: code, Timeout: timeout}))
	}
	r.spool.end()
	sending.Wait()
	_ = r.conn.SetReadDeadline(time.Now())
	r.process.closeInput()
	reading.Wait()
	r.recorded(code, timeout)
	if err := errors.Join(r.spool.free(), r.process.free()); err != nil {
		r.cfg.Logger.Error("a run did not end cleanly", "error", err)
	}
}

// guarded runs one of the movers. When it fails, or panics, the run ends.
func (r *runner) guarded(cancel context.CancelFunc, f func() error) {
	if err := rescue.Call(f); err != nil {
		r.cfg.Logger.Info("a run was ended", "tool", r.tool.Name, "error", err, "stack", rescue.Stack(err))
		r.spool.fail(err)
		cancel()
	}
}

// send writes what waits to the client.
func (r *runner) send() error {
	for {
		frame, err := r.spool.pop()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.write(frame); err != nil {
			return fmt.Errorf("send output: %w", err)
		}
		r.spool.done(frame)
	}
}

// control reads what the client writes. It ends with the connection, or with a line that is none:
// then the tool's standard input ends.
func (r *runner) control(now *state) error {
	defer r.process.closeInput()
	for {
		_ = r.conn.SetReadDeadline(time.Time{}) // a client may be silent for as long as it wants
		if r.process.ended() {
			return nil // the deadline that serve sets may have been set before
		}
		if err := r.lines.Wait(); err != nil {
			return nil //nolint:nilerr // the client says nothing more
		}
		_ = r.conn.SetReadDeadline(time.Now().Add(now.config.Proxy.MessageTimeout))
		if r.process.ended() {
			return nil
		}
		line, err := r.lines.Next(int(now.config.Proxy.MaxControl))
		if err != nil {
			r.cfg.Logger.Info("a control line was not read", "tool", r.tool.Name, "error", err)
			return nil //nolint:nilerr // as above
		}
		message, err := wire.ParseControl(line)
		if err != nil {
			r.cfg.Logger.Info("a control line was refused", "tool", r.tool.Name, "error", err)
			return nil //nolint:nilerr // as above
		}
		r.obey(message)
	}
}

// obey does what a control line says.
func (r *runner) obey(message wire.Control) {
	switch message.Type {
	case wire.ControlStdin:
		if len(message.Data) > 0 {
			r.process.input(message.Data, r.ahead)
		}
		if message.EOF {
			r.process.closeInput()
		}
	case wire.ControlSignal:
		if r.lines.Offset() > r.obeyed {
			r.process.signal(message.Signal)
		}
	case wire.ControlWindow:
		r.process.resize(message.Rows, message.Cols)
	}
}

// drained waits until the output of a process is read, or nothing has come for a while.
func drained(pumping *sync.WaitGroup, p *process) {
	done := make(chan struct{})
	go func() { pumping.Wait(); close(done) }()
	end := time.Now().Add(drainMost)
	for {
		before := p.progress.Load()
		select {
		case <-done:
			return
		case <-time.After(drainIdle):
		}
		if p.reading.Load() == 0 { // the client is what is waited for
			end = time.Now().Add(drainMost)
			continue
		}
		if p.progress.Load() == before || time.Now().After(end) {
			break
		}
	}
	p.closeOutputs()
	<-done
}
