package approvals_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/approvals"
)

// What 10,000 open questions with 100 people watching take, as docs/approvals.md says.
const maxScaleMemory = 150 << 20

func TestTenThousandQuestionsWithAHundredWatchers(t *testing.T) {
	const questions, watchers = 10_000, 100
	before := heap()
	var n atomic.Int64
	d := newDesk(t, func(c *approvals.Config) {
		c.NewID = func() string { return fmt.Sprintf("%08d-aaaa-4000-8000-000000000000", n.Add(1)) }
	})
	var watching sync.WaitGroup
	var heard atomic.Int64
	subscriptions := make([]*approvals.Subscription, watchers)
	for i := range subscriptions {
		subscriptions[i] = d.Subscribe()
		watching.Go(func() {
			for range subscriptions[i].C {
				heard.Add(1)
			}
		})
	}
	for i := range questions {
		d.opened(t, question(other(i)))
	}
	list, err := d.List(t.Context())
	require.NoError(t, err)
	assert.Len(t, list, questions)
	took := heap() - before
	for _, s := range subscriptions {
		s.Cancel()
	}
	watching.Wait()
	t.Logf("%d MiB for %d questions and %d watchers; %d events heard", took>>20, questions, watchers, heard.Load())
	assert.Less(t, took, int64(maxScaleMemory))
	runtime.KeepAlive(list)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
