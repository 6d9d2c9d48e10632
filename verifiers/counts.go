package verifiers

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gavel"
)

// counts has the statistics of one endpoint since the start.
type counts struct {
	waiting  int
	asked    uint64
	last     string // outcome
	lastAt   time.Time
	name     string
	outcomes map[string]uint64
}

type metrics struct {
	questions *prometheus.CounterVec
	duration  *prometheus.HistogramVec
}

func newMetrics() *metrics {
	return &metrics{
		questions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gavel_verifier_questions_total",
			Help: "Questions to verifiers by outcome."}, []string{"verifier", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "gavel_verifier_duration_seconds",
			Help: "How long verifiers took to answer, with retries.", Buckets: []float64{0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120}}, []string{"verifier"}),
	}
}

// Register adds the hub's metrics to a registry.
func (h *Hub) Register(registry prometheus.Registerer) error {
	waiting := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "gavel_verifier_waiting", Help: "Calls that wait for verifiers."},
		func() float64 { h.mu.Lock(); defer h.mu.Unlock(); return float64(h.waiting) })
	for _, c := range []prometheus.Collector{h.metrics.questions, h.metrics.duration, waiting} {
		if err := registry.Register(c); err != nil {
			return err
		}
	}
	return nil
}

// startWaiting counts a call that waits, until leave is called. It returns nil if too many calls
// wait already.
func (h *Hub) startWaiting(revision string) (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sets[revision]
	if s != nil && h.waiting >= s.settings.MaxWaiting {
		return nil
	}
	h.waiting++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.waiting--
	}
}

// endpoint returns a verifier of a policy, or nil, and how many calls may wait for it.
func (h *Hub) endpoint(revision, path string) (gavel.Verifier, int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sets[revision]
	if s == nil {
		return nil, 0
	}
	if chat, ok := s.settings.Telegrams[path]; ok {
		return s.opened[path], chat.MaxWaiting
	}
	return s.opened[path], s.settings.Webhooks[path].MaxWaiting
}

// startWaitingFor does the same for one verifier, for which at most most calls may wait.
func (h *Hub) startWaitingFor(v gavel.AskedVerifier, most int) (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.each[v.Endpoint]
	if c == nil {
		c = &counts{name: v.Name, outcomes: map[string]uint64{}}
		h.each[v.Endpoint] = c
	}
	if c.waiting >= most {
		return nil
	}
	c.waiting++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		c.waiting--
	}
}

func (h *Hub) countReply(v gavel.AskedVerifier, reply gavel.VerifierReply, took time.Duration) {
	h.metrics.questions.WithLabelValues(v.Name, reply.Outcome).Inc()
	if took > 0 {
		h.metrics.duration.WithLabelValues(v.Name).Observe(took.Seconds())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.each[v.Endpoint]; c != nil {
		c.asked++
		c.outcomes[reply.Outcome]++
		c.last, c.lastAt = reply.Outcome, h.cfg.Now()
	}
}

// Status returns the statistics of each endpoint since the start, sorted by configuration path.
func (h *Hub) Status() []gavel.VerifierState {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]gavel.VerifierState, 0, len(h.each))
	for path, c := range h.each {
		list = append(list, gavel.VerifierState{Verifier: c.name, Path: path, Waiting: c.waiting, Asked: c.asked,
			Outcomes: maps.Clone(c.outcomes), Last: c.last, LastAt: c.lastAt})
	}
	slices.SortFunc(list, func(a, b gavel.VerifierState) int { return strings.Compare(a.Path, b.Path) })
	return list
}
