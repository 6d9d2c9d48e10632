package decisionlog

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the log's counters. They count even if they are not registered.
type metrics struct {
	events, bytes, errors, maskErrors, blocked, reopened, pruned, suppressed prometheus.Counter
}

// newMetrics creates the metrics, and registers them if registry is not nil. waiting returns the
// length of the queue.
func newMetrics(registry prometheus.Registerer, waiting func() (lines, bytes int)) (*metrics, error) {
	var all []prometheus.Collector
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "gavel", Subsystem: "decision_log", Name: name, Help: help})
		all = append(all, c)
		return c
	}
	gauge := func(name, help string, value func() float64) {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "gavel", Subsystem: "decision_log", Name: name, Help: help}, value))
	}
	m := &metrics{
		events:     counter("events_total", "Lines written to the decision log."),
		bytes:      counter("bytes_total", "Bytes written to the decision log."),
		errors:     counter("errors_total", "Attempts to write the decision log that failed."),
		maskErrors: counter("mask_errors_total", "Events logged without facts and result because they could not be masked or were too large."),
		blocked:    counter("blocked_total", "Events that had to wait for space in the queue."),
		reopened:   counter("reopened_total", "Times that the log file was renamed, removed, replaced or truncated by another process."),
		pruned:     counter("pruned_total", "Old log files that were removed."),
		suppressed: counter("suppressed_total", "Refused logins that were only counted, because there were too many."),
	}
	gauge("queue_events", "Events waiting to be written.", func() float64 { lines, _ := waiting(); return float64(lines) })
	gauge("queue_bytes", "Bytes waiting to be written.", func() float64 { _, bytes := waiting(); return float64(bytes) })
	if registry == nil {
		return m, nil
	}
	for _, c := range all {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, nil
}
