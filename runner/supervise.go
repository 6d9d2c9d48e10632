package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"gavel"
	"gavel/client"
	"gavel/internal/inherit"
	"gavel/runner/spawn"
)

// The supervisor is a process of its own for one command of a service: whatever the command leaves
// behind becomes its child, and it ends with everything when its service ends. Both talk over
// one socket, a JSON value for each message. The service keeps the authority.

// Order is the first message: what to run, and how.
type Order struct {
	Call      gavel.Call   `json:"call"`
	Cwd       string       `json:"cwd"`
	Host      string       `json:"host"`
	Node      string       `json:"node"`
	CheckOnly bool         `json:"checkOnly"`
	Keys      [][]byte     `json:"keys"` // of grants
	Used      string       `json:"used"` // file of used grants; "" remembers none
	Base      Base         `json:"base"`
	Limits    spawn.Limits `json:"limits"`
	// LimitWrites is as in [Config].
	LimitWrites bool          `json:"limitWrites"`
	Timeout     time.Duration `json:"timeout"` // 0 is what the configuration says
	Session     bool          `json:"session"` // it has a terminal
}

// Message is every later message, in both directions. One member is set.
type Message struct {
	Decide  *gavel.Call     `json:"decide,omitempty"`  // to the service
	Decided *Decided        `json:"decided,omitempty"` // from it
	Wait    *gavel.Decision `json:"wait,omitempty"`
	Waited  *Waited         `json:"waited,omitempty"`

	Record   *gavel.RunEvent `json:"record,omitempty"`
	Recorded *string         `json:"recorded,omitempty"` // an error, or ""

	Pending *gavel.Pending `json:"pending,omitempty"`
	Began   *Began         `json:"began,omitempty"`
	Refused *Refusal       `json:"refused,omitempty"`
	Ended   *Ended         `json:"ended,omitempty"`
	Stop    bool           `json:"stop,omitempty"` // from the service
}

// Decided is an authority's answer.
type Decided struct {
	Decision gavel.Decision `json:"decision"`
	Error    string         `json:"error,omitempty"`
}

// Waited is an authority's answer.
type Waited struct {
	Answer client.Answer `json:"answer"`
	Error  string        `json:"error,omitempty"`
}

// Began says that a command runs.
type Began struct {
	Pid       int      `json:"pid"`
	Directory string   `json:"directory"`
	Notes     []string `json:"notes"`
}

// Ended says how it ended.
type Ended struct {
	Code     int           `json:"code"`
	Signal   int           `json:"signal"`
	TimedOut bool          `json:"timedOut"`
	Stopped  bool          `json:"stopped"` // the service asked for it
	Duration time.Duration `json:"duration"`
}

// Event is the end as it is recorded. The service records it, which is there to the end.
func (e *Ended) Event(agent, session, decision string) gavel.RunEvent {
	event := gavel.RunEvent{Kind: gavel.AuditRunEnded, Agent: agent, Session: session, Decision: decision, ExitCode: &e.Code, TimedOut: e.TimedOut, DurationMs: e.Duration.Milliseconds()}
	if e.Signal != 0 {
		event.Signal = syscall.Signal(e.Signal).String()
	}
	return event
}

// link is the supervisor's end of the socket. It is its authority and its record.
type link struct {
	mu      sync.Mutex // one question at a time
	out     *json.Encoder
	answers chan Message
	stop    context.CancelFunc
}

// Supervise runs one command for a service, as this whole process. The descriptors 0 to 2 are
// those of the command.
func Supervise(service io.ReadWriter, blocked func() (*Blocked, error)) error {
	if err := spawn.Enter(); err != nil {
		return err
	}
	inherit.NoIgnoredSignals()
	in := json.NewDecoder(service)
	var order Order
	if err := in.Decode(&order); err != nil {
		return fmt.Errorf("read what to run: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	l := &link{out: json.NewEncoder(service), answers: make(chan Message, 1), stop: stop}
	go l.listen(in)
	cfg := Config{Authority: l, Host: order.Host, Node: order.Node, CheckOnly: order.CheckOnly, Base: order.Base, Limits: order.Limits, LimitWrites: order.LimitWrites, Record: l.Record, Blocked: blocked, Self: Self,
		Notice: func(p gavel.Pending) { l.tell(Message{Pending: &p}) }}
	if order.Used != "" {
		cfg.Used = &UsedGrants{Path: order.Used}
	}
	for _, key := range order.Keys {
		cfg.Keys = append(cfg.Keys, key)
	}
	return l.run(ctx, cfg, order)
}

func (l *link) run(ctx context.Context, cfg Config, order Order) error {
	r, err := New(cfg)
	if err != nil {
		return err
	}
	plan, err := r.Prepare(ctx, order.Call, order.Cwd)
	if err != nil {
		return l.refused(err)
	}
	defer plan.Close()
	began := func(pid int) {
		l.tell(Message{Began: &Began{Pid: pid, Directory: plan.Directory(), Notes: append([]string{}, plan.Notes...)}})
	}
	result, err := plan.Run(ctx, Foreground{Stdio: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}, Timeout: Lifecycle{Configured: plan.Decision.Exec.Lifecycle}.Limit(order.Timeout), Session: order.Session, Began: began})
	if err != nil {
		return l.refused(err)
	}
	l.tell(Message{Ended: &Ended{Code: result.ExitCode(), Signal: int(result.Signal), TimedOut: result.TimedOut, Stopped: result.Ended, Duration: result.Duration}})
	return nil
}

func (l *link) refused(err error) error {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		refusal = &Refusal{Code: CodeStart, Message: err.Error()}
	}
	l.tell(Message{Refused: refusal})
	return nil
}

// listen reads what the service sends. When the service is gone, the command ends.
func (l *link) listen(in *json.Decoder) {
	defer l.stop()
	defer close(l.answers)
	for {
		var message Message
		if in.Decode(&message) != nil || message.Stop {
			return
		}
		l.answers <- message
	}
}

func (l *link) tell(message Message) {
	if l.out.Encode(message) != nil {
		l.stop()
	}
}

// ask sends a question to the service and returns its answer.
func (l *link) ask(ctx context.Context, question Message) (Message, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.out.Encode(question); err != nil {
		return Message{}, fmt.Errorf("ask the runner: %w", err)
	}
	select {
	case answer, ok := <-l.answers:
		if !ok {
			return Message{}, errors.New("the runner is gone")
		}
		return answer, nil
	case <-ctx.Done():
		return Message{}, ctx.Err()
	}
}

// Decide implements Authority.
func (l *link) Decide(ctx context.Context, call gavel.Call) (gavel.Decision, error) {
	answer, err := l.ask(ctx, Message{Decide: &call})
	switch {
	case err != nil:
		return gavel.Decision{}, err
	case answer.Decided == nil:
		return gavel.Decision{}, errors.New("the runner's answer is not a decision")
	case answer.Decided.Error != "":
		return gavel.Decision{}, errors.New(answer.Decided.Error)
	}
	return answer.Decided.Decision, nil
}

// Wait implements Authority.
func (l *link) Wait(ctx context.Context, decision gavel.Decision) (client.Answer, error) {
	answer, err := l.ask(ctx, Message{Wait: &decision})
	switch {
	case err != nil:
		return client.Answer{}, err
	case answer.Waited == nil:
		return client.Answer{}, errors.New("the runner's answer is not one of a person")
	case answer.Waited.Error != "":
		return client.Answer{}, errors.New(answer.Waited.Error)
	}
	return answer.Waited.Answer, nil
}

// Record implements Recorder.
func (l *link) Record(ctx context.Context, event gavel.RunEvent) error {
	answer, err := l.ask(ctx, Message{Record: &event})
	switch {
	case err != nil:
		return err
	case answer.Recorded == nil:
		return errors.New("the runner did not say whether it recorded the event")
	case *answer.Recorded != "":
		return errors.New(*answer.Recorded)
	}
	return nil
}
