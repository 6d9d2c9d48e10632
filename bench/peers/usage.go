package peers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Resident returns the server's resident memory in bytes.
func (p *Process) Resident() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read the memory of %s, which needs Linux: %w", p.Name, err)
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, errors.New("/proc/PID/status has no VmRSS")
}

// Usage contains what a server has used since its start. All fields but CPU are only known for Gavel.
type Usage struct {
	CPU            time.Duration // processor time
	Collector      time.Duration // the garbage collector's part of it
	Objects, Bytes float64       // allocated
}

// Usage returns what the server has used.
func (p *Process) Usage(ctx context.Context) (Usage, error) {
	var u Usage
	if p.metrics != nil {
		sample, err := p.metrics.read(ctx)
		if err != nil {
			return Usage{}, err
		}
		text, err := os.ReadFile(p.outputFile)
		if err != nil {
			return Usage{}, err
		}
		u = Usage{Objects: sample.objects, Bytes: sample.bytes, Collector: collectorTime(text)}
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	if err != nil {
		return Usage{}, fmt.Errorf("read the processor time of %s, which needs Linux: %w", p.Name, err)
	}
	u.CPU, err = processorTime(string(text))
	return u, err
}

// processorTime parses proc_pid_stat(5). A tick is a hundredth of a second on every machine
// that Go supports.
func processorTime(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]) // the program's name may contain any character
	if len(fields) < 13 {
		return 0, fmt.Errorf("read processor time of %q: it has too few fields", stat)
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}

// Minus returns the usage since an earlier measurement.
func (u Usage) Minus(before Usage) Usage {
	return Usage{u.CPU - before.CPU, u.Collector - before.Collector, u.Objects - before.Objects, u.Bytes - before.Bytes}
}

// Plus adds the usage of two periods.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.CPU + v.CPU, u.Collector + v.Collector, u.Objects + v.Objects, u.Bytes + v.Bytes}
}

// metrics reads the Prometheus metrics of a Gavel.
type metrics struct{ url, token string }

type sample struct {
	objects, bytes    float64 // allocated since the start
	reloads, failures float64 // of the policy
}

func (m *metrics) read(ctx context.Context) (sample, error) {
	token, err := readToken(m.token)
	if err != nil {
		return sample{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url, nil)
	if err != nil {
		return sample{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return sample{}, fmt.Errorf("read metrics: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	if answer.StatusCode != http.StatusOK {
		return sample{}, fmt.Errorf("read metrics: %s", answer.Status)
	}
	var s sample
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		s.line(lines.Text())
	}
	return s, lines.Err()
}

func (s *sample) line(text string) {
	name, number, _ := strings.Cut(text, " ")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return // a comment
	}
	switch name {
	case "go_memstats_mallocs_total":
		s.objects = value
	case "go_memstats_alloc_bytes_total":
		s.bytes = value
	case "gavel_policy_reloads_total":
		s.reloads = value
	case "gavel_policy_reload_failures_total":
		s.failures = value
	}
}

// collectorTime adds up the processor time of every collection in the output of GODEBUG=gctrace=1,
// without that of processors that were otherwise idle.
func collectorTime(trace []byte) time.Duration {
	milliseconds := 0.0
	for line := range bytes.Lines(trace) {
		_, rest, found := bytes.Cut(line, []byte(" ms clock, "))
		times, _, complete := bytes.Cut(rest, []byte(" ms cpu"))
		if !found || !complete || !bytes.HasPrefix(line, []byte("gc ")) {
			continue
		}
		// stop the world + assist/background/idle + stop the world
		parts := strings.FieldsFunc(string(times), func(r rune) bool { return r == '+' || r == '/' })
		for i, part := range parts {
			if value, err := strconv.ParseFloat(part, 64); err == nil && i != 3 {
				milliseconds += value
			}
		}
	}
	return time.Duration(milliseconds * float64(time.Millisecond))
}
