// Package verifiers asks outside authorities about calls (VERIFIER-1). It asks all verifiers of a
// decision at once, under one deadline, until the first deny. It decides nothing: the policy defines
// what the answers mean. Each technology has a package of its own below this one. This package does
// not import them; the creator of a [Hub] passes the functions that open verifiers.
package verifiers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"gavel"
	"gavel/internal/redact"
)

const (
	maxSets   = 8      // policies whose verifiers are kept, because requests finish with the policy they began with
	maxAllows = 10_000 // allows in the cache
)

// Config defines a hub. Now, NewID and Open are required.
type Config struct {
	Now   func() time.Time
	NewID func() string // a fresh UUID
	// Open opens the webhook of a configuration path. It does not connect. Its errors must not
	// contain secrets.
	Open func(ctx context.Context, path string, settings gavel.WebhookSettings) (gavel.Verifier, error)
	// OpenTelegram does the same for a chat in Telegram; nil if there are no bots here.
	OpenTelegram func(ctx context.Context, path string, settings gavel.TelegramSettings) (gavel.Verifier, error)
	Audit        gavel.Audit  // records every question and answer; nil records nothing
	Logger       *slog.Logger // nil discards
}

// Hub implements gavel.Verifiers. It is safe for concurrent use.
type Hub struct {
	cfg      Config
	redactor *redact.Redactor
	allows   *lru.Cache[string, time.Time] // until when an allow counts
	metrics  *metrics

	mu      sync.Mutex
	sets    map[string]*set // by revision
	order   []string        // of sets, the newest last
	waiting int             // calls that wait, of all sets
	each    map[string]*counts
}

// set has the verifiers of one policy.
type set struct {
	settings gavel.VerifierSettings
	opened   map[string]gavel.Verifier // by the path of their settings
}

// New makes a hub without any verifier.
func New(cfg Config) (*Hub, error) {
	if cfg.Now == nil || cfg.NewID == nil || cfg.Open == nil {
		return nil, errors.New("verifiers: Config.Now, Config.NewID or Config.Open is missing")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	remembered, err := lru.New[string, time.Time](maxAllows)
	if err != nil {
		return nil, fmt.Errorf("make the memory of allows: %w", err)
	}
	return &Hub{cfg: cfg, redactor: redact.New(), allows: remembered, metrics: newMetrics(), sets: map[string]*set{}, each: map[string]*counts{}}, nil
}

// Load opens the verifiers of a policy, all or none, and keeps them for decisions of its
// revision. The error is a *gavel.PolicyError with every problem.
func (h *Hub) Load(ctx context.Context, revision string, settings gavel.VerifierSettings) error {
	opened, wrong := h.open(ctx, settings)
	if len(wrong) > 0 {
		closeAll(opened)
		return &gavel.PolicyError{Problems: wrong}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, old := range h.sets { // only running requests still use these
		closeAll(old.opened)
	}
	h.order = append(slices.DeleteFunc(h.order, func(r string) bool { return r == revision }), revision)
	h.sets[revision] = &set{settings, opened}
	if len(h.order) > maxSets {
		delete(h.sets, h.order[0])
		h.order = h.order[1:]
	}
	return nil
}

// open opens every verifier. It returns those that could be opened, and the problems of the others.
func (h *Hub) open(ctx context.Context, settings gavel.VerifierSettings) (opened map[string]gavel.Verifier, wrong []gavel.Problem) {
	opened = map[string]gavel.Verifier{}
	add := func(path string, verifier gavel.Verifier, err error) {
		var known *gavel.PolicyError
		switch {
		case err == nil:
			opened[path] = verifier
		case errors.As(err, &known):
			wrong = append(wrong, known.Problems...)
		default:
			wrong = append(wrong, gavel.Problem{Path: path, Message: err.Error(), Fix: "see docs/verifier.md"})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(settings.Webhooks)) {
		verifier, err := h.cfg.Open(ctx, path, settings.Webhooks[path])
		add(path, verifier, err)
	}
	for _, path := range slices.Sorted(maps.Keys(settings.Telegrams)) {
		if h.cfg.OpenTelegram == nil {
			add(path, nil, errors.New("this command does not ask with Telegram"))
			continue
		}
		verifier, err := h.cfg.OpenTelegram(ctx, path, settings.Telegrams[path])
		add(path, verifier, err)
	}
	return opened, wrong
}

// Close closes idle connections.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sets {
		closeAll(s.opened)
	}
}

// Verifier returns the verifier of a path in a policy; nil if there is none.
func (h *Hub) Verifier(revision, path string) gavel.Verifier {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sets[revision]; s != nil {
		return s.opened[path]
	}
	return nil
}

func closeAll(opened map[string]gavel.Verifier) {
	for _, verifier := range opened {
		if closer, ok := verifier.(interface{ Close() }); ok {
			closer.Close()
		}
	}
}
