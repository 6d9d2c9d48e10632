//go:build linux

package sessions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"

	"gavel"
	"gavel/runner"
	"gavel/runner/spawn"
)

// Defaults of Config.
const (
	Yield         = 10 * time.Second // until a command goes to the background
	RunningNotice = 10 * time.Second // until it is reported that an approved command still runs
	cleanup       = 30 * time.Minute
	most          = 64
	patience      = 2*spawn.Grace + 15*time.Second // TERM and KILL, for the command and for what it has left behind
	mostKept      = 512
)

// Config says how commands are run.
type Config struct {
	// Supervisor are the words of a process that calls runner.Supervise with its descriptor 3.
	Supervisor []string
	Authority  runner.Authority
	Order      runner.Order // host, keys, environment and limits of every command
	// Record records what becomes of commands; nil records nothing.
	Record func(ctx context.Context, event gavel.RunEvent) error
	// RunningNotice is how long an approved command runs until that is reported; 0 is what the
	// policy says, or else 10 s, a negative one never.
	RunningNotice time.Duration
	// Cleanup is how long an ended session is kept; 0 is what the policy says, or else 30 min.
	Cleanup time.Duration
	// Patience is how long a supervisor may take to end its command; then it is killed, and its
	// command with it. 0 is 25 s.
	Patience time.Duration
	// Most is how many commands may run at once; 0 is 64.
	Most int
	// Quiet leaves out the events about the end of commands in the background, whatever the policy
	// says. Commands that people were asked about are always reported.
	Quiet bool
	// Events is called with what happens to sessions; may be nil. It must not block.
	Events func(Event)
	Now    func() time.Time
	// OpenTerminal opens a pseudo-terminal: this process's end, and the command's. A command that asks
	// for one runs with pipes if there is none. Nil opens one of this system.
	OpenTerminal func() (ours, theirs *os.File, err error)
}

// Kinds of events.
const (
	EventPending  = "exec.approval-pending"
	EventRunning  = "exec.running"
	EventFinished = "exec.finished"
	EventDenied   = "exec.denied"
	// EventUnrecorded says that the record of runs lacks the end of a command.
	EventUnrecorded = "exec.unrecorded"
)

// Event is what happened to a session.
type Event struct {
	Kind     string `json:"event"`
	Agent    string `json:"agent"`
	Session  string `json:"sessionId"`
	Key      string `json:"sessionKey,omitempty"` // of the call
	ExitCode *int   `json:"exitCode,omitempty"`
	Message  string `json:"message,omitempty"`
}

// Store keeps the sessions of all agents. It is safe for concurrent use.
type Store struct {
	cfg  Config
	mu   sync.Mutex
	list map[string]*Session
	pids map[int]bool // of supervisors
	all  sync.WaitGroup
	over bool
}

// New returns an empty store.
func New(cfg Config) (*Store, error) {
	if len(cfg.Supervisor) == 0 || cfg.Authority == nil {
		return nil, errors.New("sessions need a supervisor and an authority")
	}
	if err := spawn.Adopt(); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.OpenTerminal == nil {
		cfg.OpenTerminal = pty.Open
	}
	if cfg.Most == 0 {
		cfg.Most = most
	}
	if cfg.Patience == 0 {
		cfg.Patience = patience
	}
	return &Store{cfg: cfg, list: map[string]*Session{}, pids: map[int]bool{}}, nil
}

// Exec is a call of the tool exec, with what its parameters say about how it runs.
type Exec struct {
	Call       gavel.Call
	Cwd        string
	Yield      time.Duration // 0 is the default
	Background bool
	Timeout    time.Duration // 0 is the default
	Pty        bool
	Rows, Cols uint16 // of the terminal; 0 is 24 and 80
}

// Run begins a command, and returns when it ended, went to the background, or waits for a person.
func (s *Store) Run(ctx context.Context, e Exec) (Shown, error) {
	session, err := s.begin(e)
	if err != nil {
		return Shown{}, err
	}
	select {
	case <-session.asked:
		return session.shown(s.cfg.Now()), nil // people may take long
	case <-session.started:
	case <-session.done:
	}
	var late <-chan time.Time
	switch {
	case session.synchronous():
	case e.Background:
		session.awaitBegin(ctx)
		return session.shown(s.cfg.Now()), nil
	default:
		timer := time.NewTimer(session.lifecycle().Yield(max(0, e.Yield), Yield))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-session.done:
		s.remove(session) // the answer has everything
	case <-late:
		session.toBackground()
	case <-ctx.Done(): // the caller is gone
		session.toBackground()
		if session.synchronous() {
			session.stop()
		}
	}
	return session.shown(s.cfg.Now()), nil
}

// awaitBegin waits until it is known which process runs, or for a second: the supervisor may be stopped.
func (s *Session) awaitBegin(ctx context.Context) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-s.began:
	case <-s.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// begin starts a session.
func (s *Store) begin(e Exec) (*Session, error) {
	s.tidy()
	s.mu.Lock()
	defer s.mu.Unlock()
	running := len(s.pids) // with those that were removed, and are ending
	switch {
	case s.over:
		return nil, errors.New("the runner is ending")
	case running >= s.cfg.Most:
		return nil, fmt.Errorf("%d commands are running, and no more are permitted at once; end one with the tool process", running)
	case len(s.list) >= mostKept:
		return nil, errors.New("too many ended sessions are kept; remove some with the tool process")
	}
	session := &Session{ID: strings.ToLower(rand.Text()[:12]), Agent: e.Call.Agent.ID, Key: e.Call.Session.Key, store: s, since: s.cfg.Now(),
		asked: make(chan struct{}), started: make(chan struct{}), began: make(chan struct{}), done: make(chan struct{}), background: e.Background}
	session.ctx, session.cancel = context.WithCancel(context.Background())
	session.Command, _ = e.Call.Tool.Params["command"].(string)
	session.timeout = e.Timeout
	order := s.cfg.Order
	order.Call, order.Cwd, order.Session, order.Timeout = e.Call, e.Cwd, e.Pty, e.Timeout
	if err := session.launch(order, e); err != nil {
		return nil, err
	}
	s.list[session.ID], s.pids[session.process.Process.Pid] = session, true
	s.all.Go(session.serve)
	return session, nil
}

// find returns a session of an agent, and of those for whom a caller may speak.
func (s *Store) find(agent, id string, speaks *gavel.CallerFacts) (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, known := s.list[id]
	if !known || !session.of(agent, speaks) {
		return nil, fmt.Errorf("this agent has no session %q; the action list shows its sessions", id)
	}
	return session, nil
}

// of reports whether a session is one of an agent, begun in a session of the host for which a caller
// may speak. Nil speaks for everybody.
func (s *Session) of(agent string, speaks *gavel.CallerFacts) bool {
	return gavel.Fold(s.Agent) == gavel.Fold(agent) && (speaks == nil || speaks.SpeaksFor(s.Agent, s.Key))
}

// of lists the sessions of an agent, oldest first.
func (s *Store) of(agent string, speaks *gavel.CallerFacts) []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []*Session{}
	for _, session := range s.list {
		if session.of(agent, speaks) {
			list = append(list, session)
		}
	}
	slices.SortFunc(list, func(a, b *Session) int { return a.since.Compare(b.since) })
	return list
}

func (s *Store) remove(session *Session) {
	session.stop()
	s.mu.Lock()
	delete(s.list, session.ID)
	s.mu.Unlock()
}

// tidy removes sessions that ended long ago.
func (s *Store) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, session := range s.list {
		if at, ended := session.endedAt(); ended && s.cfg.Now().Sub(at) > session.lifecycle().Cleanup(s.cfg.Cleanup, cleanup) {
			delete(s.list, id)
		}
	}
}

// Close ends every command, and returns when all have ended.
func (s *Store) Close() {
	s.mu.Lock()
	s.over = true
	for _, session := range s.list {
		session.stop()
	}
	s.mu.Unlock()
	s.all.Wait()
}

// forget takes a supervisor that has ended out of those that are known.
func (s *Store) forget(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pids, pid)
}

// killStrays kills what a supervisor has left behind that was killed itself. No supervisor is
// started meanwhile, so every other child is known.
func (s *Store) killStrays() {
	s.mu.Lock()
	defer s.mu.Unlock()
	spawn.KillStrays(func(pid int) bool { return s.pids[pid] })
}

func (s *Store) record(ctx context.Context, event gavel.RunEvent) error {
	if s.cfg.Record == nil {
		return nil
	}
	return s.cfg.Record(ctx, event)
}

func (s *Store) event(event Event) {
	if s.cfg.Events != nil {
		s.cfg.Events(event)
	}
}

// waitGrace is how long a supervisor may take to end when it has said everything.
const waitGrace = 15 * time.Second
