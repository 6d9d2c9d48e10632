package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/bench/load"
	"gavel/bench/peers"
)

func TestTheTableIsAlignedAndMarksMissingValues(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, writeTable(&out, []row{
		{name: "plain", server: peers.Echo, rate: 40000, fullP99: 4_000_000, p50: 150_000, p99: 1_500_000, p999: 2_000_000, max: 2_500_000_000, cpu: 9_870, memory: 21 << 20},
		{name: "plain", server: peers.Gavel, rate: 10000, cpu: 100_000, memory: 50 << 20, objects: 120.4, bytes: 2048, collector: 0.125},
	}))
	assert.Equal(t, strings.Join([]string{
		"case   server    requests/s  to echo  full p99  p50     p99     p99.9  max    CPU      memory  allocations  bytes  collector",
		"plain  chi echo  40000       1.000    4 ms      150 µs  1.5 ms  2 ms   2.5 s  9.87 µs  21 MB   -            -      -",
		"       gavel     10000       0.250    -         -       -       -      -      100 µs   50 MB   120          2048   12.5%",
		"", ""}, "\n"), out.String())
}

func TestARowIsTheMedianOfItsTurns(t *testing.T) {
	t.Parallel()
	result := func(latency int64) load.Result {
		r := load.NewResult()
		require.NoError(t, r.Latency.RecordValues(latency, 100))
		r.Elapsed = time.Second
		return r
	}
	slow, fast, faster := result(9e6), result(3e6), result(1e6)
	c := &cell{name: "plain", process: &peers.Process{Server: peers.Server{Name: "x"}}, turns: []turn{
		{closed: slow, open: &slow, memory: 5, used: peers.Usage{CPU: 100, Objects: 100}},
		{closed: fast, open: &fast, memory: 7, used: peers.Usage{CPU: 200, Objects: 500}},
		{closed: faster, open: &faster, memory: 6, used: peers.Usage{CPU: 300, Objects: 600, Collector: 150}},
	}}
	got := c.row()
	assert.InEpsilon(t, 3e6, float64(got.p99), 0.01)
	assert.InEpsilon(t, 3e6, float64(got.fullP99), 0.01)
	assert.InEpsilon(t, 9e6, float64(got.max), 0.01, "the maximum of all rounds")
	assert.EqualValues(t, 6, got.memory)
	assert.InEpsilon(t, 100, got.rate, 0.01)
	assert.InEpsilon(t, 4, got.objects, 0.01)
	assert.EqualValues(t, 2, got.cpu)
	assert.InEpsilon(t, 0.25, got.collector, 0.01)
	require.Len(t, got.rounds, 3)
	assert.InEpsilon(t, 1, got.rounds[0].cpu, 0.01)
	assert.InEpsilon(t, 3e6, got.rounds[1].fullP99, 0.01)
	assert.InEpsilon(t, 1e6, got.rounds[2].p99, 0.01)
	assert.InEpsilon(t, 100, got.rounds[2].rate, 0.01)

	c.turns[0].open, c.turns[1].open = nil, nil
	assert.Zero(t, c.row().p99, "it kept up in one round of three")
	assert.Zero(t, c.row().rounds[0].p99)
}
