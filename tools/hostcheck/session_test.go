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

// sessionOf is a session that runs nothing before npm has served it.
func sessionOf(t *testing.T, said *[]string, plans ...plan) *session {
	t.Helper()
	root := t.TempDir()
	return &session{tools: &tools{root: root, bin: filepath.Join(root, "bin")}, plans: plans, atOnce: 2, say: func(line string) { *said = append(*said, line) }}
}

// npmThat puts a program npm, and nothing else, on the search path.
func npmThat(t *testing.T, does string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\n"+does+"\n"), 0o700)) //nolint:gosec // a program
	t.Setenv("PATH", dir)
}

func TestARefusedCallThatRanIsAnError(t *testing.T) {
	denied := cells()[slices.IndexFunc(cells(), func(c cell) bool { return c.name == "denied" })]
	require.False(t, denied.runs)
	for got, fails := range map[string]bool{notRun: false, ran: true, noAttempt: true, otherwise: true, failed: true} {
		var said []string
		s := sessionOf(t, &said)
		s.results = []result{{host: hosts()[0], cell: denied, got: notRun, want: notRun}, {host: hosts()[1], cell: denied, got: got, want: notRun}}
		if err := s.verdict(); fails {
			assert.EqualError(t, err, "1 of 2 cells are not as they should be", got)
		} else {
			require.NoError(t, err)
			assert.Equal(t, []string{"2 cells are as they should be, in claude-code 2.1.330, codex 0.169.0"}, said)
		}
	}
}

func TestWithoutNpmEveryHostIsReported(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var said []string
	s := sessionOf(t, &said, plan{hosts()[0], cells()}, plan{hosts()[1], cells()})
	require.NoError(t, s.run(t.Context()))
	require.NoError(t, s.verdict())
	assert.Equal(t, []string{"claude-code 2.1.330 was not run here: npm is not on this machine: install node and npm to run hosts",
		"codex 0.169.0 was not run here: npm is not on this machine: install node and npm to run hosts", "no host was run"}, said)
}

func TestWithoutARegistryEveryHostIsReportedWithNpmsError(t *testing.T) {
	npmThat(t, "echo npm error network unreachable >&2; exit 7")
	var said []string
	s := sessionOf(t, &said, plan{hosts()[0], cells()})
	require.NoError(t, s.run(t.Context()))
	require.NoError(t, s.verdict())
	require.Len(t, said, 2)
	assert.Contains(t, said[0], "claude-code 2.1.330 was not run here: npm install")
	assert.Contains(t, said[0], "exit status 7: npm error network unreachable")
}

func TestAHostThatIsNotServedIsNamed(t *testing.T) {
	npmThat(t, `case "$*" in *node@*) exit 0 ;; esac; echo "npm error 404 for $*" >&2; exit 1`)
	var said []string
	s := sessionOf(t, &said, plan{hosts()[0], cells()})
	require.NoError(t, s.run(t.Context()))
	require.NoError(t, s.verdict())
	assert.Contains(t, said[0], "npm error 404 for install")
	assert.Contains(t, said[0], "@anthropic-ai/claude-code@2.1.330")
}

func TestNoHostIsStartedAfterTheDeadline(t *testing.T) {
	npmThat(t, "exit 0")
	var said []string
	s := sessionOf(t, &said, plan{hosts()[0], cells()})
	s.until = time.Now().Add(-time.Hour)
	require.NoError(t, s.run(t.Context()))
	require.NoError(t, s.verdict())
	assert.Equal(t, []string{"claude-code 2.1.330 was not run here: no time is left", "no host was run"}, said)
}

func TestEveryHostHasOneVersion(t *testing.T) {
	for _, h := range hosts() {
		assert.Regexp(t, regexp.MustCompile(`^\d+\.\d+\.\d+$`), h.version, h.name)
		assert.NotEmpty(t, h.pkg, h.name)
		source, err := os.ReadFile("versions.go")
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(source), `"`+h.version+`"`), "%s is named in one place", h.version)
	}
}

func TestTheShortCellsShowThatACallRunsAndThatRefusedOnesDoNot(t *testing.T) {
	for _, h := range hosts() {
		var names []string
		for _, c := range cellsOf(h, "", true) {
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
