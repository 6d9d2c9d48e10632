package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hook"
)

func TestProofsAreOfOnePolicyAndOneProgram(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state", "proofs")
	kept := &proofs{file: file, program: "this one"}
	assert.False(t, kept.Holds("a"))
	kept.Keep("a")
	assert.True(t, kept.Holds("a"))
	assert.False(t, kept.Holds("b"))
	other := &proofs{file: file, program: "another"}
	assert.False(t, other.Holds("a"))
	unknown := &proofs{file: file}
	unknown.Keep("a")
	assert.False(t, unknown.Holds("a"), "a program that cannot be identified proves nothing")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAFileThatOthersMayWriteProvesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	kept := &proofs{file: filepath.Join(dir, "proofs"), program: "this one"}
	kept.Keep("a")
	require.NoError(t, os.Chmod(kept.file, 0o622))
	assert.False(t, kept.Holds("a"))
	require.NoError(t, os.Chmod(kept.file, 0o600))
	require.NoError(t, os.Chmod(dir, 0o777))
	assert.False(t, kept.Holds("a"))
	require.NoError(t, os.Chmod(dir, 0o700))
	assert.True(t, kept.Holds("a"))
}

func TestOnlyTheLatestProofsAreKept(t *testing.T) {
	t.Parallel()
	kept := &proofs{file: filepath.Join(t.TempDir(), "state", "proofs"), program: "this one"}
	for i := range maxProofs + 3 {
		kept.Keep(string(rune('0' + i)))
	}
	assert.Len(t, kept.lines(), maxProofs)
	assert.False(t, kept.Holds("0"))
	assert.True(t, kept.Holds(string(rune('0'+maxProofs+2))))
}

// Settings of a project can set variables of its hooks.
func TestProofsInTheProjectOfTheCallProveNothing(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	a := newApp()
	a.getenv = func(name string) string { return map[string]string{"XDG_STATE_HOME": project}[name] }
	calls := []gavel.Call{{Environment: &gavel.Environment{Cwd: project}}}
	assert.Empty(t, a.proofsFor(hook.Place{}, calls).program)
	assert.Equal(t, filepath.Join(project, "gavel", "proofs"), a.proofsFor(hook.Place{}, nil).file)
	assert.Equal(t, "/s/proofs", a.proofsFor(hook.Place{State: "/s"}, calls).file, "the command line is trusted")
}
