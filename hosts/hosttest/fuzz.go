package hosttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel/hosts"
)

// Fuzz fuzzes a translator: it must not panic, and must deny what it cannot read.
func Fuzz(f *testing.F, h hosts.Host) {
	f.Helper()
	for _, dir := range []string{"testdata/payloads/*.json", "testdata/golden/*.json"} {
		files, err := filepath.Glob(dir)
		require.NoError(f, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(f, err)
			var g golden
			if json.Unmarshal(text, &g) == nil && g.Stdin != "" {
				text = []byte(g.Stdin)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := hosts.ReadPayload(text)
		if err != nil {
			denies(t, h.Fail(p, err))
			return
		}
		r, err := h.Read(p)
		if err != nil {
			denies(t, h.Fail(p, err))
			return
		}
		if r.NoOpinion {
			require.Empty(t, r.Calls)
			return
		}
		require.NotEmpty(t, r.Calls)
		r.Complete(hosts.ProcessInfo{})
		for _, call := range r.Calls {
			require.NotEmpty(t, call.Tool.Name)
			require.NotEmpty(t, call.Agent.ID)
		}
		denies(t, h.Answer(r, hosts.Judge(r, nil)))
	})
}

func denies(t *testing.T, reply hosts.Reply) {
	t.Helper()
	refuses := func(text []byte) bool {
		return strings.Contains(string(text), "deny") || strings.Contains(string(text), `"cancel":true`)
	}
	require.True(t, reply.Exit == 2 && len(reply.Stderr) > 0 || refuses(reply.Stdout),
		"%+v", reply)
	require.NotContains(t, string(reply.Stdout), `"allow"`)
	require.True(t, refuses(reply.HTTP()) || reply.Exit == 2, "over HTTP: %+v", reply)
}
