package bundles_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
	"gavel/rego"
)

// BenchmarkSnapshotDecide decides equal facts again, facts that differ in something that no rule
// reads, and new facts, for which the policy is evaluated. In a new context the frozen part is
// computed too.
func BenchmarkSnapshotDecide(b *testing.B) {
	for _, bench := range []struct{ name, call string }{
		{"plain", `{"agent":{"id":"coder"},"tool":{"name":"read","params":{"path":"x"}}}`},
		{"denied", `{"agent":{"id":"coder"},"tool":{"name":"browser"}}`},
		{"exec1", execCall("coder", "wc -l src")},
		{"exec4", execCall("coder", "cut -f1 x | head -5 | tail -1 && wc -l src")},
		{"asked", execCall("coder", "rm -rf x")},
	} {
		each := func(name string, evaluator bundles.Evaluator, change func(f *gavel.Facts, n string)) {
			b.Run(bench.name+"/"+name, func(b *testing.B) {
				cfg := shipped("")
				cfg.Evaluator = evaluator
				s, err := bundles.Load(context.Background(), cfg)
				require.NoError(b, err)
				s.Compile()
				facts, n := factsOf(b, bench.call), 0
				b.ReportAllocs()
				for b.Loop() {
					n++
					change(&facts, strconv.Itoa(n))
					s.Decide(context.Background(), facts, false)
				}
			})
		}
		each("again", bundles.Compiled, func(*gavel.Facts, string) {})
		each("words", bundles.Compiled, func(f *gavel.Facts, n string) { f.Session.Key = n })
		each("new", bundles.Compiled, func(f *gavel.Facts, n string) { f.Sender.ID = n })
		each("context", bundles.Compiled, func(f *gavel.Facts, n string) { f.Model.ID = n })
		each("new/topdown", bundles.Topdown, func(f *gavel.Facts, n string) { f.Sender.ID = n })
	}
}

// BenchmarkCustomPackages decides new facts by the shipped policy and many custom packages at
// different depths, each with a rule about one tool.
func BenchmarkCustomPackages(b *testing.B) {
	for _, packages := range []int{0, 2000} {
		b.Run(strconv.Itoa(packages), func(b *testing.B) {
			dir := policyDir(b, "config.yaml", string(rego.DefaultConfig))
			for i := range packages {
				name := fmt.Sprintf("custom%s.p%d", []string{"", ".team"}[i%2], i)
				writeFile(b, filepath.Join(dir, fmt.Sprintf("p%d.rego", i)), fmt.Sprintf("package %s\n\ndeny contains \"no\" if input.tool.name == \"tool%d\"\n", name, i))
			}
			cfg := shipped(dir)
			cfg.Evaluator = bundles.Compiled
			s, err := bundles.Load(context.Background(), cfg)
			require.NoError(b, err)
			s.Compile()
			facts, n := factsOf(b, execCall("coder", "wc -l src")), 0
			s.Decide(context.Background(), facts, false)
			b.ReportAllocs()
			for b.Loop() {
				n++
				facts.Sender.ID = strconv.Itoa(n)
				s.Decide(context.Background(), facts, false)
			}
		})
	}
}

// BenchmarkReload loads a policy after a change of its configuration.
func BenchmarkReload(b *testing.B) {
	for _, modules := range []int{0, 2000} {
		b.Run(strconv.Itoa(modules), func(b *testing.B) {
			dir := policyDir(b, "config.yaml", plainConfig)
			for i := range modules {
				writeFile(b, filepath.Join(dir, fmt.Sprintf("lib%d.rego", i)), fmt.Sprintf("package custom.lib%d\n\nknown(tool) if startswith(tool, \"x%d\")\n", i, i))
			}
			store, err := bundles.Open(context.Background(), shipped(dir))
			require.NoError(b, err)
			store.Current().Decide(context.Background(), factsOf(b, toolCall("main", "read")), false)
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				n++
				writeFile(b, filepath.Join(dir, "config.yaml"), fmt.Sprintf("%s# %d\n", plainConfig, n))
				require.NoError(b, store.Reload(context.Background()))
			}
		})
	}
}

// BenchmarkStart loads a policy whose compiled Rego an earlier process saved, and decides one call.
// A hook without a server does this and runs the analyzer.
func BenchmarkStart(b *testing.B) {
	cfg := shipped("")
	cfg.CompileCache, cfg.LoadCache, cfg.Evaluator = nil, newFullCache(), bundles.Compiled
	first, err := bundles.Load(context.Background(), cfg)
	require.NoError(b, err)
	first.SaveCompiled()
	facts := factsOf(b, execCall("coder", "wc -l src"))
	b.ReportAllocs()
	for b.Loop() {
		s, err := bundles.Load(context.Background(), cfg)
		require.NoError(b, err)
		s.Decide(context.Background(), facts, false)
	}
}
