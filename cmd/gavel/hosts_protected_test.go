package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/hostconfig"
)

// The files that gavel install writes, and those in which a host reads settings that switch hooks
// off, are in one table; what no agent may write is in another.
func TestNoAgentMayWriteAFileInWhichAHostReadsItsHooks(t *testing.T) {
	t.Parallel()
	f := newFlow(t, `agents: {main: {exec: {host: gateway, security: full, ask: "off"}}}`)
	list, err := hostconfig.Hosts()
	require.NoError(t, err)
	seen := 0
	for _, host := range list {
		files := slices.Clone(host.Reads)
		for _, level := range slices.Sorted(maps.Keys(host.Levels)) {
			place := host.Levels[level]
			files = append(files, place.File, place.Darwin)
		}
		for _, file := range files {
			if file == "" {
				continue
			}
			seen++
			file = strings.Replace(file, "~", "/home/u", 1)
			if !filepath.IsAbs(file) {
				file = filepath.Join("/srv/app", file)
			}
			d := f.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Platform: "linux"},
				Tool: gavel.Tool{Name: "write", Params: map[string]any{"path": file, "content": "x"}}}, gavel.Options{})
			assert.Equal(t, gavel.Deny, d.Effect, "%s: %s", host.Name, file)
			assert.Equal(t, []string{"guard.settings"}, codesOf(d), "%s: %s", host.Name, file)
		}
	}
	assert.Greater(t, seen, 30)
}
