package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel"
)

// benchPDP is a decision point without a log, with a policy of the given text, or
// the shipped one.
func benchPDP(b *testing.B, configuration string) *gavel.PDP {
	b.Helper()
	a, _, _ := testApp("")
	path := ""
	if configuration != "" {
		path = filepath.Join(b.TempDir(), "config.yaml")
		require.NoError(b, os.WriteFile(path, []byte(configuration), 0o600))
	}
	pdp, err := a.load(context.Background(), path)
	require.NoError(b, err)
	return pdp
}

// benchCall is a call of agent coder: of exec with a command, and of another tool with a path.
func benchCall(b *testing.B, tool, command string) gavel.Call {
	b.Helper()
	params := fmt.Sprintf(`{"command":%q}`, command)
	if tool != "exec" {
		params = `{"path":"src/a.txt"}`
	}
	text := fmt.Sprintf(`{"agent":{"id":"coder"},"tool":{"name":%q,"params":%s},"environment":{"cwd":"/srv/app",
		"home":"/home/u","path":["/usr/bin"],"executables":{"ls":"/usr/bin/ls","wc":"/usr/bin/wc","head":"/usr/bin/head",
		"tail":"/usr/bin/tail","cut":"/usr/bin/cut","rm":"/usr/bin/rm"}}}`, tool, params)
	var call gavel.Call
	require.NoError(b, json.Unmarshal([]byte(text), &call))
	return call
}

// measure times one call, after checking that it is decided as expected.
func measure(b *testing.B, pdp *gavel.PDP, call gavel.Call, want gavel.Effect) {
	b.Helper()
	got := pdp.Decide(context.Background(), call, gavel.Options{})
	require.Equal(b, want, got.Effect, "%+v", got.Reasons)
	b.ReportAllocs()
	for b.Loop() {
		pdp.Decide(context.Background(), call, gavel.Options{})
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, bench := range []struct {
		name, tool, command string
		want                gavel.Effect
	}{
		{"plain tool", "read", "", gavel.Allow},
		{"denied tool", "browser", "", gavel.Deny},
		{"exec of one segment", "exec", "ls -la src", gavel.Allow},
		{"exec of five segments", "exec", "cut -f1 a | head -5 | tail -1 && wc -l src && ls", gavel.Allow},
		{"asked", "exec", "rm -rf build", gavel.Ask},
		{"refused", "exec", "ls > out", gavel.Deny},
	} {
		b.Run(bench.name, func(b *testing.B) {
			measure(b, benchPDP(b, ""), benchCall(b, bench.tool, bench.command), bench.want)
		})
	}
}

// BenchmarkDecideAgents shows what the number of configured agents costs.
func BenchmarkDecideAgents(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var config strings.Builder
			config.WriteString("tools: {exec: {allowlist: [/usr/bin/ls]}}\nagents:\n  coder: {profile: coding}\n")
			for i := 1; i < n; i++ {
				fmt.Fprintf(&config, "  agent%d: {profile: coding}\n", i)
			}
			measure(b, benchPDP(b, config.String()), benchCall(b, "exec", "ls"), gavel.Allow)
		})
	}
}

// BenchmarkDecideAllowlist shows what the length of an allowlist costs, when the
// entry that matches is the last one.
func BenchmarkDecideAllowlist(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var config strings.Builder
			config.WriteString("agents: {coder: {profile: coding}}\ntools:\n  exec:\n    allowlist:\n")
			for i := 1; i < n; i++ {
				fmt.Fprintf(&config, "      - /opt/tool%d/bin/*\n", i)
			}
			config.WriteString("      - /usr/bin/ls\n")
			measure(b, benchPDP(b, config.String()), benchCall(b, "exec", "ls"), gavel.Allow)
		})
	}
}

// BenchmarkDecideRules shows what the number of rules about commands costs, when the last one permits.
func BenchmarkDecideRules(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var config strings.Builder
			config.WriteString("agents: {coder: {profile: coding}}\ntools:\n  exec:\n    rules:\n")
			for i := 1; i < n; i++ {
				fmt.Fprintf(&config, "      - {program: /opt/tool%d/bin/x, operands: [x], effect: deny}\n", i)
			}
			config.WriteString("      - {program: /usr/bin/ls, effect: allow}\n")
			measure(b, benchPDP(b, config.String()), benchCall(b, "exec", "ls"), gavel.Allow)
		})
	}
}
