package analyzer_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// countingHost is a machine on which every name is a program and every path is what it
// says, and which counts the questions. looked is called with each; nil does nothing.
type countingHost struct {
	mu     sync.Mutex
	asked  map[string]int
	looked func(total int)
	total  int
}

func (h *countingHost) count(question string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked == nil {
		h.asked = map[string]int{}
	}
	h.asked[question]++
	h.total++
	if h.looked != nil {
		h.looked(h.total)
	}
}

func (h *countingHost) Named(name string, _ []string) (host.Program, bool) {
	h.count("named " + name)
	return host.Program{Path: "/usr/bin/" + name, Real: "/usr/bin/" + name}, true
}

func (h *countingHost) Absent(name string, _ []string) bool {
	h.count("absent " + name)
	return true
}

func (h *countingHost) At(absolute string) (host.Program, bool) {
	h.count("at " + absolute)
	return host.Program{}, false
}

func (h *countingHost) Script(absolute string) (host.Script, bool) {
	h.count("script " + absolute)
	return host.Script{}, false
}

func (h *countingHost) Resolve(absolute string) (string, bool) {
	h.count("resolve " + absolute)
	return absolute, true
}

func (h *countingHost) Kind(absolute string) host.Kind {
	h.count("kind " + absolute)
	return host.KindMissing
}

func (h *countingHost) File(real string) (size int64, names int, ok bool) {
	h.count("file " + real)
	return 0, 0, false
}

func (h *countingHost) List(dir string) ([]string, bool) {
	h.count("list " + dir)
	return nil, false
}

func (h *countingHost) Entries(dir string, _ int) ([]host.Entry, bool) {
	h.count("entries " + dir)
	return nil, true
}

func (h *countingHost) Text(absolute string, _ int) (string, bool) {
	h.count("text " + absolute)
	return "", false
}

func (h *countingHost) Program(real string) (sha256, interpreter string) {
	h.count("program " + real)
	return "", ""
}

func (h *countingHost) View() host.Host { return h }

// most is how many questions a call may ask, and how often each of them.
func (h *countingHost) most(t *testing.T, total int) {
	t.Helper()
	for question, times := range h.asked {
		assert.LessOrEqual(t, times, 1, "asked more than once: %.200s", question)
		assert.Less(t, len(question), 4200, "a path that is too long was asked for")
	}
	assert.LessOrEqual(t, h.total, total)
}

func counted(t *testing.T, ctx context.Context, host host.Host, tool gavel.Tool) gavel.Facts {
	t.Helper()
	a, err := analyzer.New(analyzer.Config{Host: host, Tables: shippedTables(t), Home: "/home/u", Cwd: "/srv/app", Path: []string{"/usr/bin"}, Platform: "linux"})
	require.NoError(t, err)
	return a.Analyze(ctx, gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: tool}, nil)
}

func execTool(command string, more ...any) gavel.Tool {
	params := map[string]any{"command": command}
	for i := 0; i+1 < len(more); i += 2 {
		params[more[i].(string)] = more[i+1]
	}
	return gavel.Tool{Name: "exec", Params: params}
}

func TestTheWorkForOneCallIsBounded(t *testing.T) {
	t.Parallel()
	many := make([]string, 9000)
	for i := range many {
		many[i] = fmt.Sprintf("f%d", i)
	}
	for name, tc := range map[string]struct {
		tool     gavel.Tool
		exceeded []string
		most     int
	}{
		"finding 38: one directory after another is looked up once each": {execTool(strings.Repeat("cd a && ", 249) + "ls"), []string{}, 1000},
		"finding 38: long ways are looked up to the limit of a path":     {execTool(strings.Repeat("cd a/a/a/a/a/a/a/a/a/a && ", 250) + "ls"), []string{"path"}, 1000},
		"finding 38: the same directory is the same question":            {execTool(strings.Repeat("cd /srv/app/a && ", 249) + "ls"), []string{}, 20},
		"finding 39: a path of 200 KB is not followed":                   {gavel.Tool{Name: "read", Params: map[string]any{"path": strings.Repeat("a/", 100_000)}}, []string{"path"}, 5},
		"finding 39: nor one of 257 names":                               {gavel.Tool{Name: "read", Params: map[string]any{"path": "/" + strings.Repeat("a/", 257)}}, []string{"path"}, 5},
		"finding 39: nor one in a patch":                                 {gavel.Tool{Name: "apply_patch", Params: map[string]any{"input": "*** Add File: " + strings.Repeat("a", 5000) + "\n"}}, []string{"path"}, 5},
		"finding 44: a working directory of 80 KB is none":               {execTool("npx f", "workdir", "/"+strings.Repeat("d/", 40_000)), []string{"path"}, 20},
		"finding 39: a file of a redirection":                            {execTool("ls > " + strings.Repeat("d/", 3000)), []string{"path"}, 20},
		"finding 38: more words than may be looked up":                   {execTool("rm " + strings.Join(many, " ")), []string{"lookups"}, 8192},
		"an everyday command meets no limit":                             {execTool("cd src && rg -n TODO . | head -5 > out"), []string{}, 40},
		"an everyday path meets no limit":                                {gavel.Tool{Name: "read", Params: map[string]any{"path": "a/b"}}, []string{}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := &countingHost{}
			facts := counted(t, t.Context(), host, tc.tool)
			assert.Equal(t, tc.exceeded, facts.Exceeded)
			host.most(t, tc.most)
		})
	}
}

func TestAnalysisEndsWithItsContext(t *testing.T) {
	t.Parallel()
	command := "ls"
	for i := range 200 {
		command += fmt.Sprintf(" && cat f%d g%d h%d", i, i, i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	host := &countingHost{looked: func(total int) {
		if total == 10 {
			cancel() // the client is gone
		}
	}}
	facts := counted(t, ctx, host, execTool(command))
	assert.Equal(t, []string{"time"}, facts.Exceeded)
	assert.Equal(t, 10, host.total, "nothing is looked up for nobody")
	assert.False(t, facts.Exec.Parsed)
	assert.Equal(t, "limit", facts.Exec.Refusal.Kind)
}

func TestNothingIsExaminedAfterTheDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	host := &countingHost{}
	facts := counted(t, ctx, host, gavel.Tool{Name: "read", Params: map[string]any{"path": "a"}})
	assert.Equal(t, []string{"time"}, facts.Exceeded)
	assert.Zero(t, host.total)
}
