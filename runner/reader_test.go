//go:build linux

package runner_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
)

// language is an interpreter with a script that says what it is told of itself, and needs a file beside it.
type language struct {
	ending, script, evil, beside string
	// says is what the script writes; NAME is its name as it was written, and PATH its path.
	says string
}

func languages(t *testing.T) map[string]language {
	t.Helper()
	all := map[string]language{
		"python3": {".py", "import sys, helper\nprint(__name__, sys.argv, __file__, sys.path[0], helper.X, sorted(k for k in globals() if k[0] != '_'))\nprint(open(__file__).read() == 'gone')\n",
			"print('evil')\n", "helper.py", "__main__ ['NAME', 'one'] PATH DIR beside ['helper', 'sys']\nFalse\n"},
		"node": {".js", "console.log(require.main === module, process.argv.slice(1).join(), __filename, __dirname, require('./helper.js'), process.execArgv.length, typeof path)\n",
			"console.log('evil')\n", "helper.js", "true PATH,one PATH DIR beside 0 undefined\n"},
		"node, a module": {".mjs", "import X from './helper.js'\nconsole.log(process.argv.slice(1).join(), import.meta.url, X, typeof require)\n",
			"console.log('evil')\n", "helper.js", "PATH,one file://PATH beside undefined\n"},
	}
	for name := range all {
		if _, err := exec.LookPath(strings.Split(name, ",")[0]); err != nil {
			delete(all, name) // not every machine has node or python3
		}
	}
	return all
}

// interpreter is where a language is, without links.
func interpreter(t *testing.T, name string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks("/usr/bin/" + strings.Split(name, ",")[0])
	require.NoError(t, err)
	return real
}

func TestPythonAndNodeScriptsKnowTheirNamesAndRunAsJudged(t *testing.T) {
	for name, l := range languages(t) {
		program := interpreter(t, name)
		for about, c := range map[string]struct {
			words func(script string) []string
			first bool // it is run by its first line
			after string
		}{
			"a word":                           {words: func(script string) []string { return []string{program, script, "one"} }},
			"a relative word":                  {words: func(script string) []string { return []string{program, filepath.Base(script), "one"} }},
			"its first line":                   {words: func(script string) []string { return []string{script, "one"} }, first: true},
			"a word behind a wrapper":          {words: func(script string) []string { return []string{"/usr/bin/nice", program, script, "one"} }},
			"its first line behind a wrapper":  {words: func(script string) []string { return []string{"/usr/bin/nice", script, "one"} }, first: true},
			"a word of a pipeline":             {words: func(script string) []string { return []string{program, script, "one"} }, after: " | '/usr/bin/cat'"},
			"its first line of a pipeline":     {words: func(script string) []string { return []string{script, "one"} }, first: true, after: " | '/usr/bin/cat'"},
			"its first line behind a variable": {words: func(script string) []string { return []string{script, "one"} }, first: true, after: " 2>&1"},
		} {
			t.Run(name+", "+about, func(t *testing.T) {
				dir := directory(t)
				write(t, filepath.Join(dir, l.beside), "X = 'beside'; module = 0\n")
				if strings.HasPrefix(name, "node") {
					write(t, filepath.Join(dir, l.beside), "module.exports = 'beside'\n")
				}
				script := write(t, filepath.Join(dir, "it's"+l.ending), "#!/usr/bin/env "+strings.Split(name, ",")[0]+"\n"+l.script)
				words := c.words(script)
				decision := judgedScript(t, dir, script, words, c.after)
				replaced := func(context.Context, gavel.RunEvent) error { // right before the start
					write(t, script+".new", l.evil)
					return os.Rename(script+".new", script)
				}
				out, code, _, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}, Record: replaced,
					Base: runner.Base{Path: []string{"/usr/bin", "/bin"}}}), dir)
				require.NoError(t, err)
				require.Zero(t, code, out)
				written := words[len(words)-2]
				assert.Equal(t, strings.NewReplacer("NAME", written, "PATH", script, "DIR", dir).Replace(l.says), strings.ReplaceAll(out, `"`, "'"))
			})
		}
	}
}

// judgedScript is an allow for words that run a script, of which nobody but the script could be replaced.
func judgedScript(t *testing.T, dir, script string, words []string, after string) gavel.Decision {
	t.Helper()
	var pins []gavel.Pin
	segment, rest := gavel.ExecSegment{}, words
	if rest[0] == "/usr/bin/nice" {
		segment.Wrappers, rest = [][]string{rest[:1]}, rest[1:]
		pins = append(pins, pinOf(t, 0, gavel.PinWrapper, words[0]))
	}
	segment.Argv = rest
	pins = append(pins, pinOf(t, 0, gavel.PinProgram, rest[0]))
	if rest[0] != script {
		pins = append(pins, pinOf(t, 0, "script", script))
	}
	decision := allow(t, dir, pins, words...)
	decision.Exec.Segments = []gavel.ExecSegment{segment}
	decision.Exec.Command += after
	if strings.Contains(after, "cat") {
		decision.Exec.Segments = append(decision.Exec.Segments, gavel.ExecSegment{Argv: []string{"/usr/bin/cat"}})
		decision.Exec.Pins.Files = append(decision.Exec.Pins.Files, pinOf(t, 1, gavel.PinProgram, "/usr/bin/cat"))
	}
	return decision
}

// What the first line of a script names is looked up once, also in a text.
func TestAScriptInATextIsRunByTheInterpreterThatWasJudged(t *testing.T) {
	for about, c := range map[string]struct {
		first   string
		instead func(t *testing.T, dir string)
	}{
		"a name behind env": {"#!/usr/bin/env interp", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "planted", "interp"), "#!/bin/sh\necho evil\n")
		}},
		"a link": {"#!DIR/interp", func(t *testing.T, dir string) {
			evil := write(t, filepath.Join(dir, "evil"), "#!/bin/sh\necho evil\n")
			require.NoError(t, os.Symlink(evil, filepath.Join(dir, "new")))
			require.NoError(t, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "interp")))
		}},
	} {
		for _, words := range [][]string{{"SCRIPT", "one"}, {"/usr/bin/nice", "SCRIPT", "one"}} {
			t.Run(about+", "+words[0], func(t *testing.T) {
				dir := directory(t)
				require.NoError(t, os.Mkdir(filepath.Join(dir, "planted"), 0o700))
				require.NoError(t, os.Symlink("/usr/bin/bash", filepath.Join(dir, "interp")))
				script := write(t, filepath.Join(dir, "t.sh"), strings.ReplaceAll(c.first, "DIR", dir)+"\necho good $1; tr '\\0' ' ' </proc/$$/cmdline\n")
				words := append([]string{}, words...)
				words[len(words)-2] = script
				decision := judgedScript(t, dir, script, words, " | '/usr/bin/cat'")
				out, _, _, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }},
					Record: func(context.Context, gavel.RunEvent) error { c.instead(t, dir); return nil },
					Base:   runner.Base{Path: []string{filepath.Join(dir, "planted"), dir, "/usr/bin", "/bin"}}}), dir)
				require.NoError(t, err)
				assert.Regexp(t, `^good one\n`+dir+`/interp /proc/self/fd/\d+ one `, out)
			})
		}
	}
}

func TestAScriptThatItsInterpreterOpensByItsNameOnlyIsRefused(t *testing.T) {
	dir := directory(t)
	node := write(t, filepath.Join(dir, "node"), "\x7fELF")
	for about, c := range map[string]struct {
		name    string
		options []string
	}{
		"an option that is not known": {"x.js", []string{"--watch"}},
		"another language":            {"x.ts", nil},
	} {
		t.Run(about, func(t *testing.T) {
			script := write(t, filepath.Join(dir, c.name), "console.log(1)\n")
			words := append(append([]string{node}, c.options...), script, "one")
			decision := judgedScript(t, dir, script, words, "")
			_, _, _, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}), dir)
			refused(t, err, runner.CodeUnheld)
			assert.NotContains(t, err.Error(), "without a shell", "there is none")
		})
	}
}
