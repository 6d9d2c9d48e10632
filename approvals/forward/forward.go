// Package forward sends questions to people: through webhooks of Slack, Discord and Telegram,
// and plain ones (APPROVALS-3, APPROVALS-4). The policy decides which question goes where.
// How a channel is reached is configured on this machine in DIR/<channel>.json, or
// DIR/<channel>.<to>.json for one target:
//
//	{"url": "https://hooks.example/…", "secret": "whsec_…"}
//
// The file holds secrets and has mode 0600. Everything that is sent was sanitised first, and
// says how to answer. Responses are never answers.
//
// A question is sent to a target until the target has accepted it. That is stored with the
// question, so after a restart open questions are sent only to the other targets. A target
// that accepted a question just as the process died gets it again, with the same webhook-id.
package forward

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/internal/outgoing"
	"gavel/internal/rescue"
	"gavel/internal/telegram"
)

// panicPause is the pause after a panic.
const panicPause = time.Second

// Config configures a forwarder. People, Dir and Now are required.
type Config struct {
	People *approvals.Manager
	Dir    string // of <channel>.json
	Now    func() time.Time
	// Pause waits between attempts; nil waits for real.
	Pause func(context.Context, time.Duration)
	// Bots returns the Telegram bot with a token; nil if there are none.
	Bots   func(token, base string) (*telegram.Bot, error)
	Logger *slog.Logger // nil discards
}

// Forwarder sends questions and their ends. It is safe for concurrent use.
type Forwarder struct {
	cfg   Config
	log   *slog.Logger
	queue *queue

	dropped atomic.Uint64

	telling sync.Mutex // serialises writes about deliveries
	mu      sync.Mutex
	asked   map[delivery]bool                    // open questions that were sent here, are being sent or were given up
	tapped  map[delivery]context.CancelCauseFunc // open questions with buttons
	taps    sync.WaitGroup
}

// message is one thing to send to one target.
type message struct {
	target gavel.Target
	event  *approvals.Event
}

// delivery is a question on its way to a target.
type delivery struct {
	id     string
	target gavel.Target
}

// New checks cfg. Nothing is sent before Run.
func New(cfg Config) (*Forwarder, error) {
	if cfg.People == nil || cfg.Dir == "" || cfg.Now == nil {
		return nil, errors.New("forward: People, Dir and Now are required")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Pause == nil {
		cfg.Pause = outgoing.Pause
	}
	f := &Forwarder{cfg: cfg, log: cfg.Logger, asked: map[delivery]bool{}, tapped: map[delivery]context.CancelCauseFunc{}}
	f.queue = newQueue(func(ctx context.Context, m message) {
		rescue.Run(f.log, "send a question to a target", func() { f.deliver(ctx, m) })
	})
	return f, nil
}

// Run forwards open questions and then new events, until ctx ends. It is called once. If
// events were missed because sending was too slow or something panicked, it starts again with
// the open questions; the ends of the others are not sent.
func (f *Forwarder) Run(ctx context.Context) {
	defer f.taps.Wait()
	defer f.queue.wait()
	rescue.Keep(ctx, f.log, "forward questions", panicPause, func() {
		for !f.follow(ctx) {
			f.log.Warn("forwarding was too slow and missed events")
		}
	})
}

// follow queues events that have a target. It returns true when ctx ended or the manager
// closed.
func (f *Forwarder) follow(ctx context.Context) bool {
	events := f.cfg.People.SubscribeQuietly() // before listing, so that nothing is missed
	defer events.Cancel()
	f.catchUp(ctx)
	for {
		select {
		case <-ctx.Done():
			return true
		case <-f.queue.room:
			f.catchUp(ctx)
		case event, ok := <-events.C:
			if !ok {
				return f.cfg.People.Closed()
			}
			f.noteDropped(event, f.enqueue(ctx, event))
		}
	}
}

// catchUp queues open questions that were not sent: after a restart, and when there is space
// again after questions were dropped. The rest waits for the next time.
func (f *Forwarder) catchUp(ctx context.Context) {
	open, err := f.cfg.People.List(ctx)
	if err != nil {
		f.log.Error("open questions were not forwarded", "error", err)
		return
	}
	f.forgetAllBut(open)
	for i := range open {
		f.enqueue(ctx, &approvals.Event{Name: approvals.EventRequested, Approval: open[i]})
	}
}

// noteDropped counts and logs messages that were dropped.
func (f *Forwarder) noteDropped(event *approvals.Event, left []gavel.Target) {
	for _, target := range left {
		f.log.Error("a message was not forwarded: too many messages or targets are waiting", "approval", event.Approval.ID,
			"event", event.Name, "channel", target.Channel, "dropped", f.dropped.Add(1))
	}
}

// enqueue queues an event for each of its targets that has not had it, and returns the targets
// without space.
func (f *Forwarder) enqueue(ctx context.Context, event *approvals.Event) (left []gavel.Target) {
	for _, d := range event.Approval.Forward {
		key := delivery{event.Approval.ID, d.Target}
		if event.Name != approvals.EventRequested {
			f.forget(key) // the question still comes first, if it is waiting
		} else if d.Delivered || !f.begin(key) {
			continue
		}
		if !f.queue.put(ctx, message{d.Target, event}) {
			f.forget(key)
			left = append(left, d.Target)
		}
	}
	return left
}

// begin reports whether a question must be sent to a target, and records that it is being
// sent. The record stays until the question ends: a question that was listed comes as an event,
// too, maybe after it was sent and answered.
func (f *Forwarder) begin(key delivery) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked[key] {
		return false
	}
	f.asked[key] = true
	return true
}

func (f *Forwarder) forget(key delivery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.asked, key)
}

// forgetAllBut forgets questions whose end was missed.
func (f *Forwarder) forgetAllBut(open []gavel.Approval) {
	ids := make(map[string]bool, len(open))
	for i := range open {
		ids[open[i].ID] = true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.asked, func(key delivery, _ bool) bool { return !ids[key.id] })
}

// Dropped counts messages that were dropped because too many were waiting. Dropped questions
// are sent when there is space, if they are still open.
func (f *Forwarder) Dropped() uint64 { return f.dropped.Load() }

// deliver sends a message, and records who has accepted a question. A message that was not
// accepted, or whose delivery could not be stored, is not sent again before a restart.
func (f *Forwarder) deliver(ctx context.Context, m message) {
	id := m.event.Approval.ID
	at, err := endpointIn(f.cfg.Dir, m.target)
	if err == nil && at.Bot != nil {
		err = f.askInTelegram(ctx, m, at.Bot)
	} else if err == nil {
		err = f.sendMessage(ctx, m, at)
	}
	if err != nil {
		f.log.Error("a question was not forwarded", "approval", id, "event", m.event.Name, "channel", m.target.Channel, "to", m.target.To, "error", err)
		return
	}
	f.log.Info("forwarded", "approval", id, "event", m.event.Name, "channel", m.target.Channel)
	if m.event.Name != approvals.EventRequested || at.Bot != nil {
		return // after a restart, a question with buttons is asked again
	}
	if err := f.remember(ctx, delivery{id, m.target}); err != nil {
		f.log.Error("a question may be forwarded again after a restart", "approval", id, "channel", m.target.Channel, "error", err)
	}
}

// remember stores that a target has accepted a question. Calls are serialised, because those
// for one question would conflict.
func (f *Forwarder) remember(ctx context.Context, key delivery) error {
	f.telling.Lock()
	defer f.telling.Unlock()
	return f.cfg.People.MarkDelivered(context.WithoutCancel(ctx), key.id, key.target)
}

func (f *Forwarder) sendMessage(ctx context.Context, m message, at *endpoint) error {
	body, err := f.body(m)
	if err != nil {
		return err
	}
	suffix := m.event.Name[strings.LastIndexByte(m.event.Name, '.')+1:]
	return f.send(ctx, at, m.event.Approval.ID+"-"+suffix, body)
}
