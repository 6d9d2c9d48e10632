package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// An answer covers the content of the code files that a command names. A permanent answer covers what was
// judged, and no more.

const (
	asksLocal = "tools: {exec: {host: gateway, constructs: {redirect: paths}}, read: {allow: ['/**']}}\nagents: {main: {}}\n"
	tools     = "node deno bun tsx ts-node npx yarn pnpm make gmake npm python3 Rscript awk sed ruby perl lua php tclsh cargo go pytest gradle mvn just task rake tox nox " +
		"bash sh cat uv ant ninja invoke docker java expect jq psql gdb ansible-playbook swift cmake pre-commit jest composer deploytool"
	filesOfCode = "run.sh s.sh x x.py y.js main.mjs p.mjs dir/index.js main.ts deno.json package.json Makefile " +
		"sub/makefile sub/package.json mod.py pkg/__main__.py pkg/__init__.py pkg/sub.py x.R x.awk x.sed x.rb " +
		"main.rb lib.rb Foo.pm x.pl x.lua lib.lua x.php x.tcl Cargo.toml build.rs cmdx/main.go cmdx/other.go " +
		"here.go go.mod conftest.py tests/test_a.py build.gradle pom.xml justfile Taskfile.yml Rakefile " +
		"tox.ini noxfile.py build.xml build.ninja tasks.py compose.yaml Dockerfile x.jar site.yml " +
		".pre-commit-config.yaml data"
)

// codeDirectory is a directory of code, with a second one of programs that do nothing.
type codeDirectory struct {
	*flow
	dir, bin string
}

func newCodeDirectory(t *testing.T, config string) *codeDirectory {
	t.Helper()
	w := &codeDirectory{flow: newFlow(t, config), dir: t.TempDir(), bin: t.TempDir()}
	return w.withPrograms(t)
}

// sibling returns another code directory under the same policy, with approvals and an allowlist of its own.
func (w *codeDirectory) sibling(t *testing.T) *codeDirectory {
	t.Helper()
	pdp := &gavel.PDP{Analyzer: w.Analyzer, Policy: w.Policy, NewID: w.NewID, Now: w.Now, Timeout: w.Timeout}
	other := &codeDirectory{flow: newFlowFor(t, pdp), dir: t.TempDir(), bin: t.TempDir()}
	return other.withPrograms(t)
}

func (w *codeDirectory) withPrograms(t *testing.T) *codeDirectory {
	t.Helper()
	for _, name := range strings.Fields(tools) {
		require.NoError(t, os.WriteFile(filepath.Join(w.bin, name), []byte("\x7fELF\x00 "+name), 0o755))
	}
	return w
}

func (w *codeDirectory) write(t *testing.T, name, content string) {
	t.Helper()
	full := filepath.Join(w.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(t, os.WriteFile(full, []byte(content), 0o755))
}

func (w *codeDirectory) decide(t *testing.T, command string) gavel.Decision {
	t.Helper()
	return w.run(t, command, func(c *gavel.Call) {
		c.Environment = &gavel.Environment{Cwd: w.dir, Home: filepath.Join(w.dir, "home"), Path: []string{w.bin, "/usr/bin", "/bin"}, Platform: "linux"}
	})
}

// codeFiles reads testdata/code-files.txt.
func codeFiles(t *testing.T) (list []struct{ command, file string }) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "code-files.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if file, command, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); found {
			list = append(list, struct{ command, file string }{command, file})
		}
	}
	require.Greater(t, len(list), 100, "too few commands were read")
	return list
}

// RT-07, R41: if a code file changes after an answer, the command asks again.
func TestContentsAreBound(t *testing.T) {
	t.Parallel()
	base := newCodeDirectory(t, asksLocal)
	for _, c := range codeFiles(t) {
		t.Run(c.command+" with another "+c.file, func(t *testing.T) {
			t.Parallel()
			w := base.sibling(t)
			for _, name := range strings.Fields(filesOfCode) {
				w.write(t, name, "harmless\n")
			}
			first := w.decide(t, c.command)
			w.answer(t, first, "allow-once")
			w.write(t, c.file, "something else\n") // in place: the same inode
			changed := w.decide(t, c.command)
			require.Equal(t, gavel.Ask, changed.Effect, "other content is another call")
			assert.NotEqual(t, first.Approval.ID, changed.Approval.ID)
			w.write(t, c.file, "harmless\n")
			assert.Equal(t, gavel.Allow, w.decide(t, c.command).Effect, "what was approved may run: %v", w.decide(t, c.command).Reasons)
		})
	}
}
