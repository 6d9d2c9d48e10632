//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// identityOf is what a pin says of a file.
func identityOf(t *testing.T, path string) (device, inode, sha string) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	stat := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert,unconvert // documented; another type on macOS
	return strconv.FormatUint(uint64(stat.Dev), 10), strconv.FormatUint(stat.Ino, 10), hex.EncodeToString(sum[:])
}

func TestAnAllowedCommandComesWithItsPinsWhenTheyAreRequested(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	tool, link := filepath.Join(dir, "pinned-tool"), filepath.Join(dir, "pinned-link")
	require.NoError(t, os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o700))
	require.NoError(t, os.Symlink(tool, link))
	f := newFlow(t, "agents: {main: {}}\nsandboxing: {mode: \"off\"}\ntools: {profile: full, exec: {host: gateway, security: allowlist, ask: \"off\", allowlist: ["+tool+", /usr/bin/env]}}\n")
	call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "env " + link + " x"}},
		Environment: &gavel.Environment{Cwd: dir, Path: []string{"/usr/bin"}}}
	decision := f.Decide(t.Context(), call, gavel.Options{Pins: true})
	require.Equal(t, gavel.Allow, decision.Effect, decision.Reasons)
	pins := decision.Exec.Pins
	require.NotNil(t, pins)
	assert.Equal(t, []any{dir, "bash", true}, []any{pins.Directory, pins.Shell, pins.Parsed})
	device, inode, sha := identityOf(t, tool)
	require.Len(t, pins.Files, 2, "%+v", pins.Files)
	assert.Equal(t, gavel.PinWrapper, pins.Files[0].Role)
	assert.Equal(t, gavel.Pin{Role: gavel.PinProgram, Named: tool, Path: tool, Device: device, Inode: inode, SHA256: sha}, pins.Files[1])

	assert.Nil(t, f.Decide(t.Context(), call, gavel.Options{}).Exec.Pins, "nobody requested them")
	call.Environment.Executables = map[string]string{"env": "/usr/bin/env", link: tool}
	claimed := f.Decide(t.Context(), call, gavel.Options{Pins: true})
	require.NotNil(t, claimed.Exec)
	assert.Nil(t, claimed.Exec.Pins, "what a gateway claims is not compared with this machine")
}
