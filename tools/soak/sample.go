package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// How often samples are taken and progress is printed.
const (
	sampleEvery   = time.Second
	progressEvery = 5 * time.Second
)

// sample is a measurement of the server process at one time.
type sample struct {
	at          time.Duration // since the start of the load
	heap        float64       // MiB in use
	goroutines  float64
	descriptors float64
	resident    float64 // MiB
	reloads     float64 // so far
	failures    float64 // of reloads, so far
}

const mebibyte = 1 << 20

// measure takes a sample of the server.
func (s *soak) measure(c *client) (sample, error) {
	values, err := c.metrics()
	if err != nil {
		return sample{}, err
	}
	at := sample{at: time.Since(s.start), reloads: values["gavel_policy_reloads_total"], failures: values["gavel_policy_reload_failures_total"],
		heap: values["go_memstats_heap_inuse_bytes"] / mebibyte, goroutines: values["go_goroutines"]}
	proc := filepath.Join("/proc", strconv.Itoa(s.server.cmd.Process.Pid))
	open, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return sample{}, fmt.Errorf("count open files, which needs Linux: %w", err)
	}
	at.descriptors = float64(len(open))
	status, err := os.ReadFile(filepath.Join(proc, "statm"))
	if err != nil {
		return sample{}, fmt.Errorf("read resident memory: %w", err)
	}
	if _, err := fmt.Sscanf(string(status), "%f %f", new(float64), &at.resident); err != nil {
		return sample{}, fmt.Errorf("read resident memory from %q: %w", status, err)
	}
	at.resident *= float64(os.Getpagesize()) / mebibyte
	return at, nil
}

// metrics returns the server's metrics that have no labels, by name.
func (c *client) metrics() (map[string]float64, error) {
	text, err := c.scrape()
	if err != nil {
		return nil, fmt.Errorf("scrape /metrics: %w", err)
	}
	values := map[string]float64{}
	for line := range strings.Lines(text) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if value, err := strconv.ParseFloat(number, 64); err == nil {
			values[name] = value
		}
	}
	for _, name := range []string{"go_memstats_heap_inuse_bytes", "go_goroutines", "gavel_policy_reloads_total", "gavel_policy_reload_failures_total"} {
		if _, ok := values[name]; !ok {
			return nil, fmt.Errorf("/metrics has no %s", name)
		}
	}
	return values, nil
}

// watch takes samples until ctx ends, and prints the progress.
func (s *soak) watch(ctx context.Context, c *client) {
	defer c.close()
	due := progressEvery
	for pause(ctx, sampleEvery) {
		now, err := s.measure(c)
		if err != nil {
			s.ledger.report(requestFailed, "%s", err)
			continue
		}
		s.last = now
		if now.at >= s.length/warmUp {
			s.samples = append(s.samples, now)
		}
		if now.at >= due {
			s.progress(now)
			due += progressEvery
		}
	}
}

// How the server is measured at rest, before and after the load. Closed connections and compilations
// of the policy take a moment to disappear.
const (
	restSamples = 8
	restEvery   = 500 * time.Millisecond
)

// atRest returns the minimum of several samples without load.
func (s *soak) atRest() (sample, error) {
	c := s.client(false, "admin")
	defer c.close()
	least, err := s.measure(c)
	for range restSamples {
		if err != nil {
			return least, err
		}
		time.Sleep(restEvery)
		var next sample
		next, err = s.measure(c)
		next.goroutines = min(next.goroutines, least.goroutines)
		next.descriptors = min(next.descriptors, least.descriptors)
		least = next
	}
	return least, err
}
