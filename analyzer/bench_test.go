package analyzer_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"gavel"
	"gavel/analyzer"
	"gavel/rego"
)

func BenchmarkAnalyze(b *testing.B) {
	exec := func(command string) gavel.Tool {
		return gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}
	}
	for _, bench := range []struct {
		name string
		tool gavel.Tool
	}{
		{"plain tool", gavel.Tool{Name: "read", Params: map[string]any{"path": "README.md"}}},
		{"one command", exec("rg -n TODO src/")},
		{"pipeline", exec("cat x | grep -e TODO | head -5 && git status")},
		{"100 commands", exec(strings.TrimSuffix(strings.Repeat("rg -n TODO src/ && ", 100), " && "))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			analyzer := benchAnalyzer(b)
			call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Session: gavel.Session{Key: "agent:main:main"},
				Tool: bench.tool, Environment: claims("bash", "rg", "cat", "grep", "head", "git")}
			b.ReportAllocs()
			for b.Loop() {
				analyzer.Analyze(b.Context(), call, withoutRules())
			}
		})
	}
}

// BenchmarkAnalyzeNew is the same with a text that was not met before: nothing that was
// read is there to be used again.
func BenchmarkAnalyzeNew(b *testing.B) {
	for name, text := range benchTexts() {
		b.Run(name, func(b *testing.B) {
			analyzer, n := benchAnalyzer(b), 0
			call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Session: gavel.Session{Key: "agent:main:main"},
				Tool: gavel.Tool{Name: "exec"}, Environment: claims("bash", "rg", "cat", "grep", "head", "git")}
			b.ReportAllocs()
			for b.Loop() {
				n++
				call.Tool.Params = map[string]any{"command": strings.Replace(text, "TODO", "T"+strconv.Itoa(n), 1)}
				analyzer.Analyze(b.Context(), call, withoutRules())
			}
		})
	}
}

// withoutRules is what a policy without rules about commands says.
func withoutRules() *gavel.AnalyzerSettings {
	return &gavel.AnalyzerSettings{WithoutWords: true, Others: gavel.AgentSettings{Hosts: map[string]bool{}}}
}

func benchAnalyzer(b *testing.B) *analyzer.Analyzer {
	b.Helper()
	a, err := analyzer.New(analyzer.Config{Host: emptyHost{}, Tables: shippedTables(b)})
	require.NoError(b, err)
	return a
}

func benchTexts() map[string]string {
	return map[string]string{
		"one command":  "rg -n TODO src/",
		"pipeline":     "cat x | grep -e TODO | head -5 && git status",
		"100 commands": strings.TrimSuffix(strings.Repeat("rg -n TODO src/ && ", 100), " && "),
	}
}

// BenchmarkParse is the bare parse of the same texts, which BenchmarkAnalyze is
// compared with.
func BenchmarkParse(b *testing.B) {
	for name, text := range benchTexts() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadTables reads what the analyzer knows by name, which every start does.
func BenchmarkReadTables(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := analyzer.ReadTables(rego.Policy)
		require.NoError(b, err)
	}
}
