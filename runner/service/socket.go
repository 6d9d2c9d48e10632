//go:build linux

package service

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"gavel"
	"gavel/internal/rescue"
	"gavel/runner/sessions"
)

const (
	maxStrangers = 64               // connections that have shown no token, of all
	maxCallers   = 64               // connections of JSON lines that have
	maxEvents    = 256              // events that wait for a caller that reads slowly
	firstTime    = 10 * time.Second // until a connection has shown what it speaks, and a token
	writeTime    = 10 * time.Second // for one answer
)

// Socket has connections speak JSON lines beside HTTP: those that begin with a brace, which no
// HTTP request does. Each line has a token. It is a listener of the other connections.
type Socket struct {
	net.Listener
	cfg  SocketConfig
	http chan net.Conn
	done chan struct{} // no more connections come
	fail error         // why; set before done is closed

	mu        sync.Mutex
	strangers []net.Conn // oldest first
	callers   []*lineCaller
	serving   sync.WaitGroup
}

// SocketConfig says whom a socket serves. Every field but First is required.
type SocketConfig struct {
	Service *Service
	// Allowed reports whether the process at the other end may connect at all.
	Allowed func(net.Conn) bool
	// Speaks returns for which agents and sessions a token may run commands; nil means none.
	Speaks func(token string) *gavel.CallerFacts
	Logger *slog.Logger
	// First is how long a connection has until it has shown a token; 0 is 10 s.
	First time.Duration
}

// lineCaller is a connection of JSON lines.
type lineCaller struct {
	*Lines
	conn   net.Conn
	events chan sessions.Event
	// token is the one of the latest line; "" before it was shown. It is the socket's to lock.
	token string
}

// NewSocket begins to accept connections of a listener of unix sockets. Close it.
func NewSocket(listener net.Listener, cfg SocketConfig) *Socket {
	if cfg.First == 0 {
		cfg.First = firstTime
	}
	s := &Socket{Listener: listener, cfg: cfg, http: make(chan net.Conn), done: make(chan struct{})}
	s.serving.Go(s.accept)
	return s
}

// Accept implements net.Listener. The connection speaks HTTP.
func (s *Socket) Accept() (net.Conn, error) {
	select {
	case conn := <-s.http:
		return conn, nil
	case <-s.done:
		return nil, s.fail
	}
}

// Close stops listening, and ends the connections of JSON lines; Wait returns when they have ended.
func (s *Socket) Close() error {
	err := s.Listener.Close()
	<-s.done
	s.mu.Lock()
	for _, conn := range s.strangers {
		_ = conn.Close()
	}
	for _, caller := range s.callers {
		_ = caller.conn.Close()
	}
	s.mu.Unlock()
	return err
}

// Wait returns when the socket is closed, and every connection of JSON lines has ended.
func (s *Socket) Wait() { s.serving.Wait() }

func (s *Socket) accept() {
	defer close(s.done)
	for {
		conn, err := s.Listener.Accept()
		if err != nil {
			s.fail = err
			return
		}
		s.admit(conn)
		s.serving.Go(func() { rescue.Run(s.cfg.Logger, "serve a connection of the runner's socket", func() { s.sort(conn) }) })
	}
}

// admit keeps a connection that has shown nothing yet. If there are too many, the oldest is
// closed, so that connections without requests do not keep others out.
func (s *Socket) admit(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.strangers) >= maxStrangers {
		_ = s.strangers[0].Close()
		s.strangers = s.strangers[1:]
	}
	s.strangers = append(s.strangers, conn)
}

// known takes a connection out of those that have shown nothing. It reports whether it still was
// one of them.
func (s *Socket) known(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.strangers, conn)
	if at >= 0 {
		s.strangers = slices.Delete(s.strangers, at, at+1)
	}
	return at >= 0
}

// sort finds out what a connection speaks, and has it answered.
func (s *Socket) sort(conn net.Conn) {
	_ = conn.SetReadDeadline(time.Now().Add(s.cfg.First))
	first, err := peek(conn)
	switch {
	case err != nil:
		s.known(conn)
		_ = conn.Close()
	case first == '{' && s.cfg.Allowed(conn):
		s.lines(conn)
	case s.known(conn): // HTTP, which also tells those who may not connect
		_ = conn.SetReadDeadline(time.Time{})
		select {
		case s.http <- conn:
		case <-s.done:
			_ = conn.Close()
		}
	}
}

// peek is the first byte that comes, which stays to be read.
func peek(conn net.Conn) (byte, error) {
	of, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, errors.New("it is not a unix socket")
	}
	raw, err := of.SyscallConn()
	if err != nil {
		return 0, err
	}
	first, n := make([]byte, 1), 0
	waited := raw.Read(func(fd uintptr) bool {
		for {
			if n, _, err = unix.Recvfrom(int(fd), first, unix.MSG_PEEK); !errors.Is(err, unix.EINTR) {
				return !errors.Is(err, unix.EAGAIN)
			}
		}
	})
	if err := errors.Join(waited, err); err != nil || n == 0 {
		return 0, errors.Join(errors.New("nothing comes"), err)
	}
	return first[0], nil
}

// lines answers JSON lines until the connection ends.
func (s *Socket) lines(conn net.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	caller := &lineCaller{Lines: NewLines(&timed{conn}), conn: conn, events: make(chan sessions.Event, maxEvents)}
	caller.speaks = func(token string) (*gavel.CallerFacts, error) { return s.shown(caller, token) }
	caller.holds = func(token string) bool { return s.cfg.Speaks(token) != nil }
	defer s.leave(caller)
	var telling sync.WaitGroup
	defer telling.Wait()
	defer cancel()
	defer conn.Close() //nolint:errcheck // it may be gone already
	telling.Go(func() {
		for {
			select {
			case event := <-caller.events:
				caller.Event(event)
			case <-ctx.Done():
				return
			}
		}
	})
	if err := caller.Serve(ctx, s.cfg.Service, conn); err != nil {
		s.cfg.Logger.Info("a connection of JSON lines was ended", "error", err)
	}
}

// shown is for whom the holder of a token may speak.
func (s *Socket) shown(caller *lineCaller, token string) (*gavel.CallerFacts, error) {
	speaks := s.cfg.Speaks(token)
	if speaks == nil {
		return nil, errUnknown
	}
	first := s.known(caller.conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case first && len(s.callers) >= maxCallers:
		return nil, errors.New("too many connections of JSON lines are open; close some of them, and connect again")
	case first:
		s.callers = append(s.callers, caller)
		_ = caller.conn.SetReadDeadline(time.Time{}) // a caller may be silent for as long as it wants
	}
	caller.token = token
	return speaks, nil
}

func (s *Socket) leave(caller *lineCaller) {
	s.known(caller.conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callers = slices.DeleteFunc(s.callers, func(c *lineCaller) bool { return c == caller })
}

// Event tells every caller of JSON lines whose latest token speaks for the session. One that does
// not read is cut off.
func (s *Socket) Event(event sessions.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, caller := range s.callers {
		if !s.cfg.Speaks(caller.token).SpeaksFor(event.Agent, event.Key) {
			continue
		}
		select {
		case caller.events <- event:
		default:
			_ = caller.conn.Close()
		}
	}
}

// timed is a connection on which each write has a time limit.
type timed struct{ net.Conn }

// Write implements io.Writer. A caller that reads nothing is cut off: a part of a line would be
// read as another one.
func (t *timed) Write(text []byte) (int, error) {
	_ = t.SetWriteDeadline(time.Now().Add(writeTime))
	n, err := t.Conn.Write(text)
	if err != nil {
		_ = t.Close()
	}
	return n, err
}
