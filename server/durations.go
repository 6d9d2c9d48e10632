package server

import (
	"math"
	"math/bits"
	"time"
)

const (
	durationHalfLife = 30 * time.Second // of what calls cost, until it counts for half
	minCalls         = 10               // from which on it is known what calls of a credential cost
)

// durations describes how long the calls of a credential take, with older calls counting less and
// less. spent has the time that went into calls of each length, a power of two in microseconds.
type durations struct {
	calls     float64
	spent     [24]float64 // seconds
	decayedAt time.Time
}

// record adds one call.
func (c *durations) record(now time.Time, took time.Duration) {
	c.decay(now)
	c.calls++
	c.spent[min(len(c.spent)-1, bits.Len64(uint64(max(0, took.Microseconds()))))] += took.Seconds()
}

// typical returns the median length of calls, weighted by their time: half of the time went into
// shorter calls. Cheap calls thus do not hide slow ones, and a few calls that were slow because
// the machine was busy hardly count.
func (c *durations) typical(now time.Time) time.Duration {
	c.decay(now)
	all := 0.0
	for _, seconds := range c.spent {
		all += seconds
	}
	shorter := 0.0
	for length, seconds := range c.spent {
		if shorter += seconds; seconds > 0 && shorter >= all/2 {
			return time.Microsecond << length
		}
	}
	return 0
}

// enough reports whether there were enough calls for a typical one.
func (c *durations) enough(now time.Time) bool {
	c.decay(now)
	return c.calls >= minCalls
}

// negligible reports whether past calls hardly count any more.
func (c *durations) negligible(now time.Time) bool {
	c.decay(now)
	return c.calls < 0.5
}

// decayStep is the shortest time between two reductions of the weight of past calls.
const decayStep = time.Second

func (c *durations) decay(now time.Time) {
	since := now.Sub(c.decayedAt)
	if since < decayStep && since >= 0 {
		return
	}
	c.decayedAt = now
	part := math.Exp2(-max(0, since.Seconds()) / durationHalfLife.Seconds())
	c.calls *= part
	for i := range c.spent {
		c.spent[i] *= part
	}
}
