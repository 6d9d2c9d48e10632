package server

import (
	"math"
	"math/bits"
	"time"
)

const (
	costHalfLife = 30 * time.Second // of what calls cost, until it counts for half
	knownCalls   = 10               // from which on it is known what calls of a credential cost
)

// costs are what the calls of a credential cost, with what is past counting less and less: the
// time that went into calls of each length, where a length is a power of two of microseconds.
type costs struct {
	calls float64
	spent [24]float64 // seconds
	at    time.Time
}

// add notes one call.
func (c *costs) add(now time.Time, took time.Duration) {
	c.age(now)
	c.calls++
	c.spent[min(len(c.spent)-1, bits.Len64(uint64(max(0, took.Microseconds()))))] += took.Seconds()
}

// usual is the length of the calls into which a credential's time goes: half of the time went
// into shorter ones. Cheap calls do not hide costly ones, and a few calls that took long, as
// where the machine was busy, do not count for the rest.
func (c *costs) usual(now time.Time) time.Duration {
	c.age(now)
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

// known reports whether there were enough calls.
func (c *costs) known(now time.Time) bool {
	c.age(now)
	return c.calls >= knownCalls
}

// forgotten reports whether hardly anything is left of them.
func (c *costs) forgotten(now time.Time) bool {
	c.age(now)
	return c.calls < 0.5
}

// costStep is how often what is past comes to count for less.
const costStep = time.Second

func (c *costs) age(now time.Time) {
	since := now.Sub(c.at)
	if since < costStep && since >= 0 {
		return
	}
	c.at = now
	part := math.Exp2(-max(0, since.Seconds()) / costHalfLife.Seconds())
	c.calls *= part
	for i := range c.spent {
		c.spent[i] *= part
	}
}
