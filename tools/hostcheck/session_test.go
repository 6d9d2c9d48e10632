package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newTestSession returns a session with nothing installed.
func newTestSession(t *testing.T, printed *[]string, plans ...plan) *session {
	t.Helper()
	root := t.TempDir()
	return &session{tools: &runner{root: root, bin: filepath.Join(root, "bin")}, plans: plans, parallel: 2, print: func(line string) { *printed = append(*printed, line) }}
}

// installFakeNpm sets PATH to a directory with only a shell script npm.
func installFakeNpm(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\n"+script+"\n"), 0o700)) //nolint:gosec // a program
	t.Setenv("PATH", dir)
}

func TestARefusedCallThatRanIsAnError(t *testing.T) {
	denied := cells()[slices.IndexFunc(cells(), func(c cell) bool { return c.name == "denied" })]
	require.False(t, denied.shouldRun)
	for got, fails := range map[string]bool{notRun: false, ran: true, noAttempt: true, refusedElsewhere: true, failed: true} {
		var printed []string
		s := newTestSession(t, &printed)
		s.results = []result{{host: hosts()[0], cell: denied, got: notRun, want: notRun}, {host: hosts()[1], cell: denied, got: got, want: notRun}}
		if err := s.summarize(); fails {
			assert.EqualError(t, err, "1 of 2 cells failed", got)
		} else {
			require.NoError(t, err)
			assert.Equal(t, []string{"2 cells passed, in claude-code 2.1.330, codex 0.169.0"}, printed)
		}
	}
}

func TestWithoutNpmEveryHostIsSkipped(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var printed []string
	s := newTestSession(t, &printed, plan{hosts()[0], cells()}, plan{hosts()[1], cells()})
	require.NoError(t, s.run(t.Context()))
	require.NoError(t, s.summarize())
	assert.Equal(t, []string{"claude-code 2.1.330: skipped: npm is not installed: install node and npm to run hosts",
		"codex 0.169.0: skipped: npm is not installed: install node and npm to run hosts", "no host was run"}, printed)
}

func TestWithoutARegistryHostsAreSkippedWithNpmsError(t *testing.T) {
	installFakeNpm(t, "echo npm error network unreachable >&2; exit 7")
	var printed []string
	s := newTestSession(t, &printed, plan{hosts()[0], cells()})
	require.NoError(t, s.run(t.Context()))
	require.NoError(t, s.summarize())
	require.Len(t, printed, 2)
	assert.Contains(t, printed[0], "claude-code 2.1.330: skipped: npm install")
	assert.Contains(t, printed[0], "exit status 7: npm error network unreachable")
}

func TestAHostMissingFromTheRegistryIsSkipped(t *testing.T) {
	installFakeNpm(t, `case "$*" in *node@*) exit 0 ;; esac; echo "npm error 404 for $*" >&2; exit 1`)
	var printed []string
	s := newTestSession(t, &printed, plan{hosts()[0], cells()})
	require.NoError(t, s.run(t.Context()))
	require.NoError(t, s.summarize())
	assert.Contains(t, printed[0], "npm error 404 for install")
	assert.Contains(t, printed[0], "@anthropic-ai/claude-code@2.1.330")
}

func TestNothingStartsAfterTheDeadline(t *testing.T) {
	installFakeNpm(t, "exit 0")
	var printed []string
	s := newTestSession(t, &printed, plan{hosts()[0], cells()})
	s.deadline = time.Now().Add(-time.Hour)
	require.NoError(t, s.run(t.Context()))
	require.NoError(t, s.summarize())
	assert.Equal(t, []string{"claude-code 2.1.330: skipped: the time limit was reached", "no host was run"}, printed)
}

func TestEveryHostHasOneVersion(t *testing.T) {
	for _, h := range hosts() {
		assert.Regexp(t, regexp.MustCompile(`^\d+\.\d+\.\d+$`), h.version, h.name)
		assert.NotEmpty(t, h.pkg, h.name)
		source, err := os.ReadFile("versions.go")
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(source), `"`+h.version+`"`), "%s must appear only once", h.version)
	}
}

func TestShortCellsIncludeACallThatRunsAndRefusedOnes(t *testing.T) {
	for _, h := range hosts() {
		var names []string
		for _, c := range selectCells(h, "", true) {
			names = append(names, c.name)
		}
		for _, name := range []string{"denied", "rewritten", dead, hung, garbage} {
			assert.Contains(t, names, name, h.name)
		}
		if !slices.Contains(names, "asked") {
			assert.Contains(t, names, unattended, h.name)
		}
	}
}
