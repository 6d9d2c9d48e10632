// Package forward sends questions to where people are: webhooks of Slack, Discord,
// Telegram, and plain ones (document 000 §10 and §12). Which question goes where is
// said by the policy; how a channel is reached stands in a file of this machine,
// DIR/<channel>.json, or DIR/<channel>.<to>.json for one target:
//
//	{"url": "https://hooks.example/…", "secret": "whsec_…"}
//
// The file holds secrets and has mode 0600. Everything that is sent was made harmless
// first, and says how to answer. Nothing that comes back is an answer.
package forward

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/internal/private"
	"gavel/internal/strictjson"
)

const (
	queueSize = 1024
	workers   = 4
	totalTime = 30 * time.Second // of one message, with retries
	minSecret = 16               // bytes
	maxFile   = 64 << 10         // bytes of <channel>.json
)

// Config says what a forwarder works with. People, Dir and Now are required.
type Config struct {
	People *approvals.Manager
	Dir    string // of <channel>.json
	Now    func() time.Time
	// Pause waits between attempts; nil waits for real.
	Pause  func(context.Context, time.Duration)
	Logger *slog.Logger // nil discards
}

// Forwarder sends questions and their ends. It is safe for concurrent use.
type Forwarder struct {
	cfg   Config
	log   *slog.Logger
	queue chan message
}

// message is one thing to send to one target.
type message struct {
	target gavel.Target
	event  *approvals.Event
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
		cfg.Pause = pause
	}
	return &Forwarder{cfg: cfg, log: cfg.Logger, queue: make(chan message, queueSize)}, nil
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Run forwards until ctx ends. Events that were missed, because sending was too slow,
// are gone: the questions are still open, and listed.
func (f *Forwarder) Run(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	for range workers {
		sending.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case m := <-f.queue:
					f.deliver(ctx, m)
				}
			}
		})
	}
	for ctx.Err() == nil {
		events := f.cfg.People.SubscribeQuietly()
		ended := f.follow(ctx, events)
		events.Cancel()
		if ended {
			return
		}
		f.log.Warn("forwarding was too slow and has missed events")
	}
}

// follow queues what has a target. It returns true when ctx ended or the manager closed.
func (f *Forwarder) follow(ctx context.Context, events *approvals.Subscription) bool {
	for {
		select {
		case <-ctx.Done():
			return true
		case event, ok := <-events.C:
			if !ok {
				return f.cfg.People.Closed()
			}
			for _, target := range event.Approval.Terms.Forward {
				select {
				case f.queue <- message{target, event}:
				default:
					f.log.Error("a question was not forwarded: too many wait", "approval", event.Approval.ID, "channel", target.Channel)
				}
			}
		}
	}
}

// Reachable says whether a target can be sent to: there is a file that says how.
func (f *Forwarder) Reachable(target gavel.Target) bool {
	_, err := f.endpoint(target)
	return err == nil
}

func (f *Forwarder) deliver(ctx context.Context, m message) {
	id := m.event.Approval.ID
	at, err := f.endpoint(m.target)
	if err != nil {
		f.log.Error("a question was not forwarded", "approval", id, "channel", m.target.Channel, "error", err)
		return
	}
	body, err := f.body(m)
	if err != nil {
		f.log.Error("a question was not forwarded", "approval", id, "channel", m.target.Channel, "error", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, totalTime)
	defer cancel()
	suffix := m.event.Name[strings.LastIndexByte(m.event.Name, '.')+1:]
	if err := f.send(ctx, at, id+"-"+suffix, body); err != nil {
		f.log.Error("a question was not forwarded", "approval", id, "channel", m.target.Channel, "error", err)
		return
	}
	f.log.Info("forwarded", "approval", id, "event", m.event.Name, "channel", m.target.Channel)
}

// endpoint is how a channel is reached.
type endpoint struct {
	URL    string `json:"url"`
	Secret string `json:"secret"` // whsec_ and base64, or text; signs what is sent
	// AllowPrivate permits addresses of this machine and of private networks.
	AllowPrivate bool `json:"allowPrivate"`

	client *http.Client
}

func (f *Forwarder) endpoint(target gavel.Target) (*endpoint, error) {
	if !plain(target.Channel) {
		return nil, errors.New("the channel has no plain name")
	}
	if plain(target.To) {
		at, err := readEndpoint(filepath.Join(f.cfg.Dir, target.Channel+"."+target.To+".json"))
		if !errors.Is(err, fs.ErrNotExist) {
			return at, err
		}
	}
	return readEndpoint(filepath.Join(f.cfg.Dir, target.Channel+".json"))
}

// plain names are parts of file names.
func plain(name string) bool {
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '#' || r == '@') {
			return false
		}
	}
	return name != "" && len(name) <= 128
}

func readEndpoint(path string) (*endpoint, error) {
	text, err := private.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	var at endpoint
	if err := strictjson.Unmarshal(text, &at); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !strings.HasPrefix(at.URL, "https://") && !(at.AllowPrivate && strings.HasPrefix(at.URL, "http://")) {
		return nil, fmt.Errorf("%s: the url is not https", path)
	}
	if at.Secret != "" && len(at.Secret) < minSecret {
		return nil, fmt.Errorf("%s: the secret has fewer than %d characters", path, minSecret)
	}
	at.client = at.newClient()
	return &at, nil
}
