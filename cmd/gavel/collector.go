package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// room is the least number of bytes by which the heap of a server may grow between two runs of
// the garbage collector. A policy keeps little alive compared with what requests leave behind.
// With the runtime's default, which doubles the heap, the collector would run many times a
// second and use a quarter of the processor time.
const room = 96 << 20

// roomToLoad is the same limit while a new policy is loaded beside the one in force. On two
// processors a collection delays requests by up to 10 ms, and a load would cause one after the
// other.
const roomToLoad = 384 << 20

// collector paces the garbage collector of a server. It does nothing if the operator sets GOGC
// or GOMEMLIMIT.
type collector struct {
	idle  bool          // the operator sets the pace
	room  atomic.Uint64 // the current room
	ended atomic.Bool
}

func (a *app) collector() *collector { return &collector{idle: a.paced()} }

// paced reports whether the operator set the pace of the garbage collector.
func (a *app) paced() bool { return a.getenv("GOGC") != "" || a.getenv("GOMEMLIMIT") != "" }

// collectSeldom lets the heap grow sixteenfold before garbage is collected, which is more than
// one decision needs: the process ends right after its answer. It does nothing if the operator
// set a pace.
func (a *app) collectSeldom() {
	if !a.paced() {
		debug.SetGCPercent(1500)
	}
}

// calm collects the garbage of the first load, and paces the collector from then on. During that
// load the runtime keeps its own pace: a slower one saves a fifth of the time, but leaves a heap
// with gaps that takes 15 MB more for as long as the server runs.
func (c *collector) calm() {
	if !c.idle {
		debug.FreeOSMemory()
	}
	c.leave(room)
	c.follow()
}

// loading makes the collector run rarely while another policy is loaded.
func (c *collector) loading() { c.leave(roomToLoad) }

// loaded collects the garbage of a load, if there is much.
func (c *collector) loaded() {
	if !c.idle && read("/memory/classes/heap/objects:bytes") > alive()+room {
		debug.FreeOSMemory()
	}
	c.leave(room)
}

// end stops pacing.
func (c *collector) end() { c.ended.Store(true) }

// leave sets the room from now on.
func (c *collector) leave(room uint64) {
	c.room.Store(room)
	c.pace()
}

// pace sets the pace from what was alive when the last collection ended.
func (c *collector) pace() {
	if !c.idle {
		debug.SetGCPercent(percent(alive(), c.room.Load()))
	}
}

// mark is unreachable at once, so its cleanup signals the end of a collection.
type mark struct{ _ *mark }

// follow sets the pace again after each collection. The pace is a percentage of what is alive;
// if that has grown, the old percentage would leave many times the intended room.
func (c *collector) follow() {
	if !c.idle && !c.ended.Load() {
		runtime.AddCleanup(new(mark), func(c *collector) { c.pace(); c.follow() }, c)
	}
}

// percent returns how much the heap may grow before the next collection, in percent of what is
// alive: by 100 %, which is the runtime's default, or by room if that is more.
func percent(alive, room uint64) int {
	return int(max(100, room*100/max(alive, 1<<20)))
}

// alive returns how many bytes the last collection found in use.
func alive() uint64 { return read("/gc/heap/live:bytes") }

// read returns one metric of the runtime, in bytes.
func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return room // a runtime without this metric keeps its own pace
	}
	return sample[0].Value.Uint64()
}
