package analyzer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// git looks for git-lfs before it looks for an alias called lfs.
func TestASubCommandWithItsOwnProgramIsNotAnAlias(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"git lfs pull":      "program",
		"git --bare lfs":    "program",
		"git lsf pull":      "unlisted",
		"git status":        "exact",
		"git remote lfs":    "unlisted", // a sub-command of a sub-command is never a program
		"git lfs$x":         "open",
		"git $x lfs":        "open",
		"kubectl lfs":       "unlisted", // its grammar names no such programs
		"cd /x && git lfs":  "program",
		"git ./git-lfs":     "unlisted",
		"env git lfs fetch": "program",
	} {
		facts := realAnalyzer(t).Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
			Environment: claims("bash", "git", "git-lfs", "kubectl", "env", "kubectl-lfs")}, nil)
		require.NotEmpty(t, facts.Exec.Segments, command)
		last := facts.Exec.Segments[len(facts.Exec.Segments)-1]
		assert.Equal(t, want, last.CommandsKnown, command)
	}
}

// What others may replace, or take away, may be an alias when the command runs.
func TestASubCommandThatOthersMayReplaceMayBeAnAlias(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"git", "git-lfs"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755))
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "git-lfs"), 0o777))
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Cwd: dir, Path: []string{dir}})
	require.NoError(t, err)
	facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "git lfs pull"}}}, nil)
	require.Len(t, facts.Exec.Segments, 1)
	assert.True(t, facts.Exec.Segments[0].Executable.Found)
	assert.Equal(t, "unlisted", facts.Exec.Segments[0].CommandsKnown)
}
