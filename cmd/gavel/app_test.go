package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

const readCall = `{"id":"r","agent":{"id":"coder"},"tool":{"name":"read"}}`

func TestTextCannotMoveTheCursor(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"plain":          "plain",
		"naïve 名前":       "naïve 名前",
		"a\x1b[2Jb":      `a\x1b[2Jb`,
		"a\nb\tc\r":      `a\nb\tc\r`,
		"a\u202eb":       `a\u202eb`,
		"a\u200bb\ufeff": `a\u200bb\ufeff`,
		"a\xffb":         `a\ufffdb`,
	} {
		assert.Equal(t, want, clean(given))
	}
}

func TestATerminalGetsColours(t *testing.T) {
	t.Parallel()
	a, stdout, _ := testApp(readCall)
	a.terminal = terminal{stdout: true, width: 100}
	require.Equal(t, exitOK, a.run(t.Context(), []string{"decide", "-"}))
	assert.Contains(t, stdout.String(), "\x1b[32mallow")

	a, stdout, _ = testApp(readCall)
	a.terminal = terminal{stdout: true, width: 100}
	a.getenv = withVariables(a.getenv, "NO_COLOR", "1")
	require.Equal(t, exitOK, a.run(t.Context(), []string{"decide", "-"}))
	assert.NotContains(t, stdout.String(), "\x1b")
	assert.Contains(t, stdout.String(), "allow")
}

// Reasons have lines of their own, whole, and no line is wider than the terminal.
func TestATerminalShowsWholeReasons(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{60, 80, 160} {
		a, stdout, _ := testApp(readCall + "\n" + `{"id":"a-call-with-a-very-long-name","agent":{"id":"coder"},"tool":{"name":"browser"}}`)
		a.terminal = terminal{stdout: true, width: columns}
		a.getenv = func(name string) string { return map[string]string{"NO_COLOR": "1", "HOME": "/home/u"}[name] }
		require.Equal(t, exitDenied, a.run(t.Context(), []string{"decide", "-"}))
		table, _, _ := strings.Cut(stdout.String(), "\n\n")
		for line := range strings.SplitSeq(table, "\n") {
			assert.LessOrEqual(t, width(line), columns, line)
		}
		assert.Contains(t, strings.Join(strings.Fields(table), " "), "tools.not_allowed: tool browser is not listed in tools.profile (coding)")
	}
}

func TestRowsAreAlignedWhateverTheirText(t *testing.T) {
	t.Parallel()
	a, stdout, _ := testApp(readCall + "\n" + `{"id":"名前名前名前名前名前","agent":{"id":"` + strings.Repeat("x", 60) +
		`"},"tool":{"name":"\u001b[31mbrowser"}}`)
	a.terminal = terminal{stdout: true, width: 160}
	a.getenv = withVariables(a.getenv, "NO_COLOR", "1", "HOME", "/home/u")
	require.Equal(t, exitDenied, a.run(t.Context(), []string{"decide", "--output", "text", "-"}))
	rows := strings.Split(stdout.String(), "\n")
	column := width(rows[0][:strings.Index(rows[0], "DECISION")])
	rows = slices.DeleteFunc(rows[1:], func(row string) bool { return strings.HasPrefix(row, indent) })
	for i, effect := range []string{"allow", "deny"} {
		assert.Equal(t, column, width(rows[i][:strings.Index(rows[i], effect)]), rows[i])
	}
}

// The source is in its column, whether or not a terminal shows it, and every reason has a line below it.
func TestATableThatIsPipedIsAlignedAndHasEveryReason(t *testing.T) {
	t.Parallel()
	a, stdout, _ := testApp(readCall + "\n" + `{"id":"piped","agent":{"id":"coder"},"tool":{"name":"exec","params":{"command":"curl x | sh"}},` +
		`"environment":{"cwd":"/srv/app","path":["/usr/bin"],"executables":{"curl":"/usr/bin/curl","sh":"/usr/bin/sh"}}}`)
	require.NotEqual(t, exitError, a.run(t.Context(), []string{"decide", "--output", "text", "-"}))
	header, rows, _ := strings.Cut(stdout.String(), "\n")
	column, reasons := strings.Index(header, "SOURCE"), 0
	for row := range strings.SplitSeq(rows, "\n") {
		switch {
		case strings.HasPrefix(row, indent):
			reasons++
		case strings.Contains(row, "built-in/config.yaml"):
			assert.Equal(t, column, strings.Index(row, "built-in/config.yaml"), row)
		}
	}
	assert.Contains(t, rows, indent+"exec.allowlist_miss: curl x: /usr/bin/curl matches no allowlist entry")
	assert.Contains(t, rows, indent+"exec.opaque_program: sh: Gavel cannot see the commands that sh reads")
	assert.GreaterOrEqual(t, reasons, 3)
}

func TestOnlyCallersWhoMayKnowOfAQuestionCanWaitForIt(t *testing.T) {
	t.Parallel()
	a, _, stderr := testApp("")
	a.terminal.stdin = true
	require.Equal(t, exitError, a.run(t.Context(), []string{"decide"}))
	assert.Contains(t, stderr.String(), "standard input is a terminal")
	assert.Contains(t, stderr.String(), "gavel decide calls.jsonl")
}

func TestATooLongLineIsSkipped(t *testing.T) {
	t.Parallel()
	long := `{"agent":{"id":"` + strings.Repeat("x", 3*maxLine) + `"}}`
	a, stdout, stderr := testApp(long + "\n" + readCall + "\n" + long)
	require.Equal(t, exitError, a.run(t.Context(), []string{"decide", "-"}))
	assert.Contains(t, stderr.String(), "stdin:1:1048577: the line is longer than 1 MiB")
	assert.Contains(t, stderr.String(), "stdin:3:1048577: ")
	assert.Equal(t, 1, strings.Count(stdout.String(), `"decision":"allow"`))
}

func TestDecisionsAppearAsLinesAreRead(t *testing.T) {
	t.Parallel()
	in, feed := io.Pipe()
	results, out := io.Pipe()
	a, _, _ := testApp("")
	a.stdin, a.stdout = in, out
	done := make(chan int)
	go func() {
		code := a.run(context.Background(), []string{"decide", "-"})
		_ = out.Close()
		done <- code
	}()
	reader := newLines(results)
	for range 3 {
		_, err := io.WriteString(feed, readCall+"\n")
		require.NoError(t, err)
		answer, err := reader.next()
		require.NoError(t, err)
		assert.Contains(t, string(answer), `"decision":"allow"`)
	}
	require.NoError(t, feed.Close())
	assert.Equal(t, exitOK, <-done)
}

func TestProgressIsShown(t *testing.T) {
	t.Parallel()
	a, _, stderr := testApp(strings.Repeat(readCall+"\n", 250))
	a.terminal.stderr = true
	clock := time.Unix(0, 0)
	a.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	require.Equal(t, exitOK, a.run(t.Context(), []string{"decide", "-"}))
	assert.Contains(t, stderr.String(), "200 calls decided, 0 asked, 0 denied")
	assert.True(t, strings.HasSuffix(stderr.String(), "\r\x1b[K"), "the line of progress is taken away at the end")
}

// The calls that the documentation uses are decided alike on every machine.
func TestSampleCalls(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "calls.jsonl"))
	require.NoError(t, err)
	a, stdout, stderr := testApp(string(text))
	require.Equal(t, exitDenied, a.run(t.Context(), []string{"decide", "-"}))
	require.Empty(t, stderr.String())
	want := map[string]gavel.Effect{
		"read-readme": gavel.Allow, "edit-handler": gavel.Allow, "list-files": gavel.Allow, "count-lines": gavel.Allow,
		"run-tests": gavel.Ask, "search-and-save": gavel.Deny, "pipe-to-shell": gavel.Ask, "inject-preload": gavel.Deny,
		"greet-team": gavel.Deny, "relay-message": gavel.Allow, "relay-reads": gavel.Deny, "fetch-docs": gavel.Allow,
		"open-browser": gavel.Deny, "owner-schedules": gavel.Allow, "stranger-schedules": gavel.Deny,
		"subagent-reads": gavel.Allow, "subagent-remembers": gavel.Deny, "sandboxed-fetch": gavel.Deny, "sandboxed-escape": gavel.Deny,
	}
	got := map[string]gavel.Effect{}
	for _, d := range readDecisions(t, stdout, len(want)) {
		got[d.Call] = d.Effect
	}
	assert.Equal(t, want, got)
}
