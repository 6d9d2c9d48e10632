package bundles_test

import (
	"context"
	"strconv"
	"testing"

	"gavel"
)

// BenchmarkSnapshotDecide decides facts that were met before, facts that differ in what
// is withheld first, and facts that are new, for which the policy is evaluated.
func BenchmarkSnapshotDecide(b *testing.B) {
	for _, bench := range []struct{ name, call string }{
		{"plain", `{"agent":{"id":"coder"},"tool":{"name":"read","params":{"path":"x"}}}`},
		{"denied", `{"agent":{"id":"coder"},"tool":{"name":"browser"}}`},
		{"exec1", execCall("coder", "wc -l src")},
		{"exec4", execCall("coder", "cut -f1 x | head -5 | tail -1 && wc -l src")},
		{"asked", execCall("coder", "rm -rf x")},
	} {
		each := func(name string, change func(f *gavel.Facts, n string)) {
			b.Run(bench.name+"/"+name, func(b *testing.B) {
				s, facts, n := load(b, ""), factsOf(b, bench.call), 0
				b.ReportAllocs()
				for b.Loop() {
					n++
					change(&facts, strconv.Itoa(n))
					s.Decide(context.Background(), facts, false)
				}
			})
		}
		each("again", func(*gavel.Facts, string) {})
		each("words", func(f *gavel.Facts, n string) { f.Session.Key = n })
		each("new", func(f *gavel.Facts, n string) { f.Sender.ID = n })
	}
}
