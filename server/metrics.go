package server

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"gavel"
)

// metrics counts what the server does.
type metrics struct {
	allowed, asked, denied prometheus.Counter
	elevationRefused       prometheus.Counter
	requests               *prometheus.CounterVec
	duration               *prometheus.HistogramVec
	inFlight               prometheus.Gauge
}

func newMetrics(registry *prometheus.Registry, status func() gavel.PolicyStatus, stuck func() int, now func() time.Time) (*metrics, error) {
	decisions := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gavel_decisions_total", Help: "Decisions by their effect.",
	}, []string{"decision"})
	m := &metrics{
		allowed: decisions.WithLabelValues(gavel.Allow.String()),
		asked:   decisions.WithLabelValues(gavel.Ask.String()),
		denied:  decisions.WithLabelValues(gavel.Deny.String()),
		elevationRefused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "gavel_elevation_refused_total", Help: "Calls and directives that asked to leave the sandbox, and were refused.",
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gavel_http_requests_total", Help: "HTTP requests by route and status code.",
		}, []string{"route", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gavel_http_request_duration_seconds", Help: "How long HTTP requests took, by route.",
			Buckets: []float64{1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 0.1, 0.25, 1},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "gavel_in_flight_requests", Help: "HTTP requests in progress.",
		}),
	}
	for _, collector := range []prometheus.Collector{
		decisions, m.elevationRefused, m.requests, m.duration, m.inFlight,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "gavel_stuck_evaluations", Help: "Evaluations that are still running past their time limit."},
			func() float64 { return float64(stuck()) }),
		newPolicyCollector(status, now),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := registry.Register(collector); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, nil
}

// decided counts a decision.
func (m *metrics) decided(d *gavel.Decision) {
	if d.RefusesElevation() {
		m.elevationRefused.Inc()
	}
	switch d.Effect {
	case gavel.Allow:
		m.allowed.Inc()
	case gavel.Ask:
		m.asked.Inc()
	default:
		m.denied.Inc()
	}
}

// forRoute returns the counters of a route.
func (m *metrics) forRoute(route string) *routeMetrics {
	return &routeMetrics{requests: m.requests, route: route, duration: m.duration.WithLabelValues(route)}
}

// routeMetrics counts the requests of a route.
type routeMetrics struct {
	requests *prometheus.CounterVec
	route    string
	duration prometheus.Observer
	answered atomic.Pointer[prometheus.Counter] // of status 200, once there was one: the only counter worth caching
}

// request counts an answered request.
func (m *routeMetrics) request(status int, took time.Duration) {
	m.duration.Observe(took.Seconds())
	if status != http.StatusOK {
		m.requests.WithLabelValues(m.route, strconv.Itoa(status)).Inc()
		return
	}
	answered := m.answered.Load()
	if answered == nil {
		made := m.requests.WithLabelValues(m.route, strconv.Itoa(status))
		answered = &made
		m.answered.Store(answered)
	}
	(*answered).Inc()
}

// policyCollector reads the policy's status whenever it is scraped.
type policyCollector struct {
	status                                    func() gavel.PolicyStatus
	now                                       func() time.Time
	stale, reloads, failures, policy, answers *prometheus.Desc
}

func newPolicyCollector(status func() gavel.PolicyStatus, now func() time.Time) *policyCollector {
	return &policyCollector{
		status: status,
		now:    now,
		stale: prometheus.NewDesc("gavel_policy_stale_seconds",
			"Seconds for which a newer policy has failed to load; 0 when the policy in force is current.", nil, nil),
		reloads: prometheus.NewDesc("gavel_policy_reloads_total",
			"Policies that were put in force.", nil, nil),
		failures: prometheus.NewDesc("gavel_policy_reload_failures_total",
			"Policies that failed to load.", nil, nil),
		policy: prometheus.NewDesc("gavel_policy_info",
			"The policy in force; always 1, and absent without one.", []string{"revision"}, nil),
		answers: prometheus.NewDesc("gavel_policy_answers_total",
			"Answers of the policy: from the cache, or evaluated.", []string{"from"}, nil),
	}
}

// Describe sends the descriptions of the policy's metrics.
func (c *policyCollector) Describe(out chan<- *prometheus.Desc) {
	out <- c.stale
	out <- c.reloads
	out <- c.failures
	out <- c.policy
	out <- c.answers
}

// Collect sends the policy's metrics, all from one reading of its status.
func (c *policyCollector) Collect(out chan<- prometheus.Metric) {
	status := c.status()
	stale := 0.0
	if !status.StaleSince.IsZero() {
		stale = max(0, c.now().Sub(status.StaleSince).Seconds())
	}
	out <- prometheus.MustNewConstMetric(c.stale, prometheus.GaugeValue, stale)
	out <- prometheus.MustNewConstMetric(c.reloads, prometheus.CounterValue, float64(status.Reloads))
	out <- prometheus.MustNewConstMetric(c.failures, prometheus.CounterValue, float64(status.Failures))
	out <- prometheus.MustNewConstMetric(c.answers, prometheus.CounterValue, float64(status.Remembered), "memory")
	out <- prometheus.MustNewConstMetric(c.answers, prometheus.CounterValue, float64(status.Evaluated), "evaluation")
	if status.Revision != "" {
		out <- prometheus.MustNewConstMetric(c.policy, prometheus.GaugeValue, 1, status.Revision)
	}
}
