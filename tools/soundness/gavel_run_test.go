//go:build linux

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runWithFakeGavel runs a campaign with a shell script in place of gavel. The script finds the
// command in $text.
func runWithFakeGavel(t *testing.T, script string) result {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel-stand-in-")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755)) // the user nobody runs the script
	program := filepath.Join(dir, "gavel")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/bash\nfor text; do :; done\n"+script+"\n"), 0o755))
	plain := slices.Repeat([]query{{command: "rg x | head -5"}}, 12) // so that agents ask that may run it
	return runCampaign(t, campaign{first: plain, shells: []string{"bash"}, gavel: program})
}

func TestRunningMoreThanDecidedIsAnEscape(t *testing.T) {
	t.Parallel()
	found := runWithFakeGavel(t, `/bin/bash -c "$text"; "$PATH"/hit`)
	require.NotEmpty(t, found.escapes)
	for _, f := range found.escapes {
		assert.Equal(t, ranForbidden, f.problem, f.describe(7))
	}
}

func TestRunningARefusedCommandIsAnEscape(t *testing.T) {
	t.Parallel()
	found := runWithFakeGavel(t, `/bin/bash -c "$text" >/dev/null 2>&1; echo "gavel run: deny"; exit 126`)
	assert.NotEmpty(t, found.escapes)
	assert.NotZero(t, found.tally.denied)
}

func TestRefusingEverythingIsNotAnEscape(t *testing.T) {
	t.Parallel()
	found := runWithFakeGavel(t, `echo "gavel run: deny"; exit 126`)
	assert.Empty(t, found.escapes)
	assert.NotZero(t, found.tally.denied)
	assert.Zero(t, found.tally.programs)
}
