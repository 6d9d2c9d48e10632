package decisionlog

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the log's counters. They count whether or not a registry wants them.
type metrics struct {
	events, bytes, errors, maskErrors, blocked prometheus.Counter
}

func newMetrics(registry prometheus.Registerer, queued func() float64) (*metrics, error) {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "gavel", Subsystem: "decision_log", Name: name, Help: help})
	}
	m := &metrics{
		events:     counter("events_total", "Decisions written to the decision log."),
		bytes:      counter("bytes_total", "Bytes written to the decision log."),
		errors:     counter("errors_total", "Attempts to write the decision log that failed."),
		maskErrors: counter("mask_errors_total", "Decisions logged without facts and result because masking them failed."),
		blocked:    counter("blocked_total", "Decisions that had to wait for room in the queue."),
	}
	if registry == nil {
		return m, nil
	}
	gauge := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "gavel", Subsystem: "decision_log", Name: "queue_events",
		Help: "Decisions that wait to be written."}, queued)
	for _, c := range []prometheus.Collector{m.events, m.bytes, m.errors, m.maskErrors, m.blocked, gauge} {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, nil
}
