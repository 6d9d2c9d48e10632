package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// room is how many bytes the heap of a server may at least grow between two runs of the
// garbage collector. What a policy keeps alive is small beside what requests leave
// behind: by the runtime's default of its double, the collector would run many times a
// second and take a quarter of the processor.
const room = 96 << 20

// roomToLoad is the same while a policy is loaded beside the one in force: on two
// processors a collection keeps requests waiting for up to 10 ms, and it would be one
// after the other.
const roomToLoad = 384 << 20

// collector paces the garbage collector of a server. It does nothing where the operator
// says how, with GOGC or GOMEMLIMIT.
type collector struct {
	told  bool
	room  atomic.Uint64 // that there is now
	ended atomic.Bool
}

func (a *app) collector() *collector {
	return &collector{told: a.getenv("GOGC") != "" || a.getenv("GOMEMLIMIT") != ""}
}

// rest lets it rest while the first policy is compiled, which leaves much behind once.
func (c *collector) rest() {
	if !c.told {
		debug.SetGCPercent(400)
	}
}

// calm collects what the first load has left behind, and paces from then on.
func (c *collector) calm() {
	debug.FreeOSMemory()
	c.leave(room)
	c.follow()
}

// loading lets it rest while another policy is loaded.
func (c *collector) loading() { c.leave(roomToLoad) }

// loaded collects what a load has left behind, if that is much.
func (c *collector) loaded() {
	if !c.told && read("/memory/classes/heap/objects:bytes") > alive()+room {
		debug.FreeOSMemory()
	}
	c.leave(room)
}

// end ends pacing.
func (c *collector) end() { c.ended.Store(true) }

// leave leaves so much room from now on.
func (c *collector) leave(room uint64) {
	c.room.Store(room)
	c.pace()
}

// pace sets the pace for what was alive when the last collection ended.
func (c *collector) pace() {
	if !c.told {
		debug.SetGCPercent(percent(alive(), c.room.Load()))
	}
}

// mark is unreachable at once, so that the end of a collection is noticed.
type mark struct{ _ *mark }

// follow paces again after each collection: the pace is a part of what is alive, and would
// leave many times the room where that has grown.
func (c *collector) follow() {
	if !c.told && !c.ended.Load() {
		runtime.AddCleanup(new(mark), func(c *collector) { c.pace(); c.follow() }, c)
	}
}

// percent is how much the heap may grow before the next collection, in percent of what
// is alive: to its double, as the runtime does by itself, or by room.
func percent(alive, room uint64) int {
	return int(max(100, room*100/max(alive, 1<<20)))
}

// alive is what the last collection found in use, in bytes.
func alive() uint64 { return read("/gc/heap/live:bytes") }

// read is one of the runtime's metrics, in bytes.
func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return room // a runtime without it keeps its own pace
	}
	return sample[0].Value.Uint64()
}
