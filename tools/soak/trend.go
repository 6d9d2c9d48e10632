package main

import (
	"fmt"
	"math"
	"time"
)

// trend describes how a measurement changes during a run.
type trend struct {
	name        string
	unit        string
	first, last float64 // floors
	slope       float64 // per minute, of the least-squares line through the floors
	growth      float64 // of that line from the first sample to the last
	limit       float64 // more growth counts as a leak; 0 means no limit
}

// window is the number of samples in a window. The floor of a window is its minimum. Usage rises and
// falls with the garbage collector, compilations of the policy and connections; a leak raises the
// floor.
const window = 5

// bound is the growth that measurements may have during a run.
type bound struct{ heap, goroutines, descriptors float64 }

// reliableLength is the duration from which a trend is reliable.
const reliableLength = 3 * time.Minute

// bounds returns the bounds for a run of this duration.
//
// A run of half a minute has four floors. A compilation in one of them can raise the line by 10 MiB,
// and waiting callers by 6 goroutines. The bounds are two to three times as large. They still find a
// leak in every call or reload: a policy has 10 MiB, and there are two reloads per second.
//
// After three minutes the line of a healthy server is level, even on a busy machine: it grew by at
// most 1.1 MiB, 2 goroutines and no descriptor in six minutes. The bounds are at least three times as
// large, and find a leak of one goroutine every 40 s.
func bounds(measured time.Duration) bound {
	if measured < reliableLength {
		return bound{heap: 32, goroutines: 20, descriptors: 10}
	}
	return bound{heap: 6, goroutines: 6, descriptors: 3}
}

// point is a value at a time in minutes.
type point struct{ at, value float64 }

// floors returns the minimum of each window of samples, at the middle of the window. It ignores an
// incomplete last window.
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

// trends returns the trend of each measurement.
func trends(samples []sample) []trend {
	if len(samples) == 0 {
		return nil
	}
	measured := samples[len(samples)-1].at - samples[0].at
	limits := bounds(measured)
	list := []trend{{name: "heap", unit: "MiB", limit: limits.heap}, {name: "goroutines", limit: limits.goroutines},
		{name: "open files", limit: limits.descriptors},
		{name: "resident", unit: "MiB"}} // no limit, because Go returns unused memory late
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

// leaks returns a problem for each trend that exceeds its limit, or a problem if there are too few
// samples.
func leaks(samples []sample) []string {
	if len(samples) < 2*window {
		return []string{fmt.Sprintf("only %d samples were taken, which are too few to measure growth", len(samples))}
	}
	var list []string
	for _, t := range trends(samples) {
		if t.limit > 0 && t.growth > t.limit {
			list = append(list, fmt.Sprintf("%s: it grew by %.1f %s, %.1f per minute; the limit is %.0f",
				t.name, t.growth, t.unit, t.slope, t.limit))
		}
	}
	return list
}

// restTolerance is the number of goroutines and of open files by which the server at rest may grow:
// some start with the first call that needs them, and one may belong to an overlapping scrape.
const restTolerance = 4

// restGrowth returns a problem for each resource that the server at rest did not release. Unlike a
// trend, this finds leaks even in a short run.
func restGrowth(before, after sample) []string {
	var list []string
	for _, m := range []struct {
		name          string
		before, after float64
	}{{"goroutines", before.goroutines, after.goroutines}, {"open files", before.descriptors, after.descriptors}} {
		if m.after-m.before > restTolerance {
			list = append(list, fmt.Sprintf("%s: %.0f at rest before the load, %.0f after it; the limit is %d more", m.name, m.before, m.after, restTolerance))
		}
	}
	return list
}
