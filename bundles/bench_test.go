package bundles_test

import (
	"context"
	"testing"
)

func BenchmarkSnapshotDecide(b *testing.B) {
	s := load(b, "")
	for _, bench := range []struct{ name, call string }{
		{"plain", `{"agent":{"id":"coder"},"tool":{"name":"read","params":{"path":"x"}}}`},
		{"denied", `{"agent":{"id":"coder"},"tool":{"name":"browser"}}`},
		{"exec1", execCall("coder", "wc -l src")},
		{"exec4", execCall("coder", "cut -f1 x | head -5 | tail -1 && wc -l src")},
		{"asked", execCall("coder", "rm -rf x")},
	} {
		b.Run(bench.name, func(b *testing.B) {
			facts := factsOf(b, bench.call)
			b.ReportAllocs()
			for b.Loop() {
				s.Decide(context.Background(), facts, false)
			}
		})
	}
}
