package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"gavel/bench/load"
	"gavel/bench/peers"
)

// row summarises the turns of a cell.
type row struct {
	name, server   string
	rate           float64       // median, like fullP99, p50, p99 and memory
	fullP99        time.Duration // p99 while the server receives requests as fast as it answers
	p50, p99       time.Duration // at a constant rate; 0 if the server could not keep up in most rounds
	p999, max      time.Duration // of all rounds together, because one round has too few requests
	memory         int64
	cpu            time.Duration // of the server, per request
	objects, bytes float64       // allocated per request; like collector, only known for Gavel
	collector      float64       // the garbage collector's share of the processor time
	rounds         []figures     // for ratios
}

// figures contains the measurements of a round: requests per second, and times in nanoseconds. A
// missing measurement is 0.
type figures struct{ rate, cpu, p99, fullP99 float64 }

func rows(list []*cell) []row {
	all := make([]row, len(list))
	for i, c := range list {
		all[i] = c.row()
	}
	return all
}

func (c *cell) row() row {
	r := row{name: c.name, server: c.process.Name}
	var rates []float64
	var memory []int64
	var p50, p99, full []time.Duration
	var used peers.Usage
	answers, all := 0.0, load.NewResult()
	for _, t := range c.turns {
		rates, memory, used = append(rates, t.closed.Rate()), append(memory, t.memory), used.Plus(t.used)
		full = append(full, t.closed.Percentile(99))
		count := float64(t.closed.Latency.TotalCount())
		answers += count
		round := figures{rate: t.closed.Rate(), cpu: float64(t.used.CPU) / count, fullP99: float64(t.closed.Percentile(99))}
		if t.open != nil {
			p50, p99 = append(p50, t.open.Percentile(50)), append(p99, t.open.Percentile(99))
			round.p99 = float64(t.open.Percentile(99))
			all.Add(*t.open)
		}
		r.rounds = append(r.rounds, round)
	}
	r.rate, r.memory, r.fullP99 = median(rates), median(memory), median(full)
	if 2*len(p50) > len(c.turns) {
		r.p50, r.p99, r.p999, r.max = median(p50), median(p99), all.Percentile(99.9), all.Percentile(100)
	}
	r.objects, r.bytes = used.Objects/answers, used.Bytes/answers
	r.cpu = time.Duration(float64(used.CPU) / answers)
	r.collector = float64(used.Collector) / float64(used.CPU)
	return r
}

// find returns the row of a case and a server.
func find(list []row, name, server string) (row, bool) {
	for _, r := range list {
		if r.name == name && r.server == server {
			return r, true
		}
	}
	return row{}, false
}

// writeTable prints the rows. A dash marks a missing measurement.
func writeTable(w io.Writer, list []row) error {
	lines := []string{"case\tserver\trequests/s\tto echo\tfull p99\tp50\tp99\tp99.9\tmax\tCPU\tmemory\tallocations\tbytes\tcollector"}
	previous := ""
	for _, r := range list {
		name := r.name
		if name == previous {
			name = ""
		}
		previous = r.name
		lines = append(lines, strings.Join([]string{name, r.server, fmt.Sprintf("%.0f", r.rate), toEcho(list, r), short(r.fullP99),
			short(r.p50), short(r.p99), short(r.p999), short(r.max), short(r.cpu), megabytes(r.memory),
			dashIfZero("%.0f", r.objects), dashIfZero("%.0f", r.bytes), dashIfZero("%.1f%%", 100*r.collector)}, "\t"))
	}
	return writeAligned(w, lines)
}

// writeStarts prints how long servers take to start, and their memory afterwards.
func writeStarts(w io.Writer, processes []*peers.Process) error {
	lines := []string{"server\tfirst answer\tmemory"}
	for _, p := range processes {
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s", p.Name, short(p.FirstAnswer), megabytes(p.Memory)))
	}
	return writeAligned(w, lines)
}

// writeAligned prints tab-separated cells in aligned columns.
func writeAligned(w io.Writer, lines []string) error {
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		if _, err := fmt.Fprintln(aligned, line); err != nil {
			return err
		}
	}
	if err := aligned.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// toEcho formats the rate relative to the echo server's in the same case.
func toEcho(list []row, r row) string {
	echo, ok := find(list, r.name, peers.Echo)
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.3f", r.rate/echo.rate)
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.0f MB", float64(bytes)/(1<<20)) }

func dashIfZero(format string, value float64) string {
	if value == 0 {
		return "-"
	}
	return fmt.Sprintf(format, value)
}

// short formats a duration with three significant digits.
func short(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d < time.Millisecond:
		return fmt.Sprintf("%.3g µs", float64(d)/float64(time.Microsecond))
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
	default:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
}
