package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheHeapMayGrowByTheRoomOrToItsDouble(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		alive uint64
		want  int
	}{
		"a small policy leaves all the room":         {16 << 20, 600},
		"a large one doubles, as by itself":          {256 << 20, 100},
		"where both are the same":                    {room, 100},
		"nothing is alive before a first collection": {0, 9600},
	} {
		assert.Equal(t, c.want, percent(c.alive, room), name)
	}
}

// Not parallel: the pace is the process's.
func TestTheOperatorsCollectorSettingsAreKept(t *testing.T) {
	before := debug.SetGCPercent(123)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	current := func() int {
		percent := debug.SetGCPercent(123)
		debug.SetGCPercent(percent)
		return percent
	}
	for _, variable := range []string{"GOGC", "GOMEMLIMIT"} {
		a := &app{getenv: func(name string) string { return map[string]string{variable: "200"}[name] }}
		a.collectSeldom()
		told := a.collector()
		told.calm()
		told.loading()
		told.loaded()
		assert.Equal(t, 123, current(), variable)
	}
	a := &app{getenv: func(string) string { return "" }}
	a.collectSeldom()
	assert.Equal(t, 1500, current(), "a command that ends at once")
	debug.SetGCPercent(123)
	free := a.collector()
	free.calm()
	assert.NotEqual(t, 123, current(), "a pace of its own")
	calm := current()
	debug.SetGCPercent(calm)
	free.loading()
	resting := current()
	assert.Greater(t, resting, calm)
	debug.SetGCPercent(resting)
	free.loaded()
	settled := current()
	assert.Less(t, settled, resting)

	debug.SetGCPercent(123)
	require.Eventually(t, func() bool {
		runtime.GC()
		time.Sleep(time.Millisecond)
		return current() != 123
	}, time.Minute, time.Millisecond, "a collection is followed by its pace")
	free.end()
}
