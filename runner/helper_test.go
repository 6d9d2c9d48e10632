//go:build linux

package runner_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/client"
	"gavel/runner"
	"gavel/runner/front"
)

// answers decides what a test says.
type answers struct {
	decide func(gavel.Call) (gavel.Decision, error)
	answer client.Answer
	asked  int
}

func (a *answers) Decide(_ context.Context, call gavel.Call) (gavel.Decision, error) {
	a.asked++
	return a.decide(call)
}

func (a *answers) Wait(context.Context, gavel.Decision) (client.Answer, error) { return a.answer, nil }

// pinOf is the pin of a file as it is now.
func pinOf(t testing.TB, segment int, role, path string) gavel.Pin {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	stat := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // documented
	real, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	return gavel.Pin{Segment: segment, Role: role, Named: path, Path: real, Device: strconv.FormatUint(stat.Dev, 10), Inode: strconv.FormatUint(stat.Ino, 10),
		SHA256: hex.EncodeToString(sum[:])}
}

func quoted(words ...string) string {
	for i := range words {
		words[i] = "'" + strings.ReplaceAll(words[i], "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}

// allow is an allow for one program with these words, as it is now.
func allow(t testing.TB, dir string, pins []gavel.Pin, words ...string) gavel.Decision {
	t.Helper()
	return gavel.Decision{ID: "d", Effect: gavel.Allow, Revision: "r", Reasons: []gavel.Reason{{}}, Exec: &gavel.Exec{Host: "gateway",
		Command: quoted(append([]string{}, words...)...), Segments: []gavel.ExecSegment{{Argv: words}},
		Pins: &gavel.Pins{Directory: dir, Shell: "bash", Parsed: true, Files: pins, Wrappers: [][][]string{{}}}}}
}

func directory(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

func write(t testing.TB, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

func runnerOf(t testing.TB, cfg runner.Config) *runner.Runner {
	t.Helper()
	cfg.Blocked = front.Blocked
	cfg.Base.Home, cfg.Base.User = "/home/u", "u"
	r, err := runner.New(cfg)
	require.NoError(t, err)
	return r
}

// run runs what a decision allows, and returns what it wrote.
func run(t testing.TB, r *runner.Runner, dir string) (out string, code int, plan *runner.Plan, err error) {
	t.Helper()
	call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "what was given"}}}
	plan, err = r.Prepare(t.Context(), call, dir)
	if err != nil {
		return "", 0, nil, err
	}
	defer plan.Close()
	out, code, err = start(t, plan)
	return out, code, plan, err
}

func start(t testing.TB, plan *runner.Plan) (string, int, error) {
	t.Helper()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close() //nolint:errcheck // a test
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close() //nolint:errcheck // a test
	process, err := plan.Start(t.Context(), [3]*os.File{null, write, write}, false, false)
	require.NoError(t, write.Close())
	if err != nil {
		return "", 0, err
	}
	var text bytes.Buffer
	_, err = text.ReadFrom(read)
	require.NoError(t, err)
	state := <-process.Ended()
	return text.String(), state.Code, nil
}

func refused(t testing.TB, err error, code string) {
	t.Helper()
	var refusal *runner.Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, code, refusal.Code, err)
}

type recorded struct {
	list []gavel.RunEvent
	err  error
}

func (r *recorded) record(_ context.Context, event gavel.RunEvent) error {
	if r.err == nil {
		r.list = append(r.list, event)
	}
	return r.err
}

// logged is an authority with a decision log.
type logged struct {
	answers
	recorded
}

func (l *logged) Record(ctx context.Context, event gavel.RunEvent) error { return l.record(ctx, event) }

// file is the record of this machine.
type file struct{ list []gavel.AuditEvent }

func (f *file) Audit(_ context.Context, event gavel.AuditEvent) error {
	f.list = append(f.list, event)
	return nil
}
