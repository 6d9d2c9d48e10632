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

// asGavel is a campaign through a program that stands for gavel. The text is in $text.
func asGavel(t *testing.T, script string) result {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel-stand-in-")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755)) // nobody must be able to run it
	program := filepath.Join(dir, "gavel")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/bash\nfor text; do :; done\n"+script+"\n"), 0o755))
	plain := slices.Repeat([]question{{command: "rg x | head -5"}}, 12) // some agents may run it
	return campaigned(t, campaign{first: plain, shells: []string{"bash"}, gavel: program})
}

func TestAGavelThatRunsMoreThanWasDecidedIsDetected(t *testing.T) {
	t.Parallel()
	found := asGavel(t, `/bin/bash -c "$text"; "$PATH"/hit`)
	require.NotEmpty(t, found.escapes)
	for _, f := range found.escapes {
		assert.Equal(t, ranForbidden, f.problem, f.describe(7))
	}
}

func TestAGavelThatRunsWhatItRefusesIsNoticed(t *testing.T) {
	t.Parallel()
	found := asGavel(t, `/bin/bash -c "$text" >/dev/null 2>&1; echo "gavel run: deny"; exit 126`)
	assert.NotEmpty(t, found.escapes)
	assert.NotZero(t, found.tally.denied)
}

func TestAGavelThatRunsNothingLetsNothingEscape(t *testing.T) {
	t.Parallel()
	found := asGavel(t, `echo "gavel run: deny"; exit 126`)
	assert.Empty(t, found.escapes)
	assert.NotZero(t, found.tally.denied)
	assert.Zero(t, found.tally.programs)
}
