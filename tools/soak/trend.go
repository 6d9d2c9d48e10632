package main

import (
	"fmt"
	"math"
	"time"
)

// trend is the course of one measurement.
type trend struct {
	name        string
	unit        string
	first, last float64 // floors
	slope       float64 // per minute, by least squares through the floors
	growth      float64 // growth of that line from the first sample to the last
	most        float64 // growth that does not count as a leak; 0 means no bound
}

// window is how many samples make one floor, which is their minimum. Usage goes up and down
// with the garbage collector, with policies that are being compiled and with connections; a
// leak raises the floor.
const window = 5

// bound says how much a measurement may grow until the end of a soak.
type bound struct{ heap, goroutines, descriptors float64 }

// long is the duration from which a trend is reliable.
const long = 3 * time.Minute

// bounds depend on the duration. Half a minute contains four floors. If a policy is being
// compiled during one of them, the line rises by 10 MiB, and waiting callers add 6 goroutines.
// Two to three times that is still little compared with a leak in every call or reload: a
// policy that is never released is 10 MiB, and there are two per second. After three minutes
// the line of a healthy server is level, even on a busy machine: within 1.1 MiB, 2 goroutines
// and no descriptor over six minutes. These bounds are at least three times that, and find one
// goroutine that stays every 40 s.
func bounds(measured time.Duration) bound {
	if measured < long {
		return bound{heap: 32, goroutines: 20, descriptors: 10}
	}
	return bound{heap: 6, goroutines: 6, descriptors: 3}
}

// point is a value at a time in minutes.
type point struct{ at, value float64 }

// floors returns the minimum of each window of samples, at the middle of the window. An
// incomplete last window is left out.
func floors(samples []sample, value func(sample) float64) []point {
	var list []point
	for i := 0; i+window <= len(samples); i += window {
		lowest := math.Inf(1)
		for _, s := range samples[i : i+window] {
			lowest = min(lowest, value(s))
		}
		list = append(list, point{samples[i+window/2].at.Minutes(), lowest})
	}
	return list
}

// slope returns the slope of the least-squares line, per minute.
func slope(points []point) float64 {
	var at, value float64
	for _, p := range points {
		at += p.at / float64(len(points))
		value += p.value / float64(len(points))
	}
	var product, square float64
	for _, p := range points {
		product += (p.at - at) * (p.value - value)
		square += (p.at - at) * (p.at - at)
	}
	if square == 0 {
		return 0
	}
	return product / square
}

// trends returns the trend of each measurement of a soak.
func trends(samples []sample) []trend {
	if len(samples) == 0 {
		return nil
	}
	measured := samples[len(samples)-1].at - samples[0].at
	most := bounds(measured)
	list := []trend{{name: "heap", unit: "MiB", most: most.heap}, {name: "goroutines", most: most.goroutines},
		{name: "open files", most: most.descriptors},
		{name: "resident", unit: "MiB"}} // no bound, because Go returns unused memory late
	for i, value := range []func(sample) float64{
		func(s sample) float64 { return s.heap }, func(s sample) float64 { return s.goroutines },
		func(s sample) float64 { return s.descriptors }, func(s sample) float64 { return s.resident },
	} {
		points := floors(samples, value)
		if len(points) == 0 {
			continue
		}
		t := &list[i]
		t.first, t.last, t.slope = points[0].value, points[len(points)-1].value, slope(points)
		t.growth = t.slope * measured.Minutes()
	}
	return list
}

// leaks returns the trends that exceed their bounds. Too few samples are a problem, too,
// because nothing was measured.
func leaks(samples []sample) []string {
	if len(samples) < 2*window {
		return []string{fmt.Sprintf("only %d samples were taken: growth cannot be judged", len(samples))}
	}
	var list []string
	for _, t := range trends(samples) {
		if t.most > 0 && t.growth > t.most {
			list = append(list, fmt.Sprintf("%s: it grew by %.1f %s while it was measured, %.1f a minute; %.0f is taken for noise",
				t.name, t.growth, t.unit, t.slope, t.most))
		}
	}
	return list
}

// remaining is how many goroutines and open files may be left at rest after the work: those
// that start with the first call that needs them, and one overlapping scrape.
const remaining = 4

// residue returns what is left at rest. It needs no trend and therefore little time: it finds
// what stays after a dozen reloads.
func residue(before, after sample) []string {
	var list []string
	for _, m := range []struct {
		name          string
		before, after float64
	}{{"goroutines", before.goroutines, after.goroutines}, {"open files", before.descriptors, after.descriptors}} {
		if m.after-m.before > remaining {
			list = append(list, fmt.Sprintf("%s: %.0f at rest before the work, %.0f after it; %d more may stay", m.name, m.before, m.after, remaining))
		}
	}
	return list
}
