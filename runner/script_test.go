//go:build linux

package runner_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
	"gavel/runner/spawn"
)

// The redirection would put another program in the place of the copy.
func TestATextThatRedirectsTheDescriptorOfACopyIsRefused(t *testing.T) {
	dir := directory(t)
	tool, evil := write(t, filepath.Join(dir, "t.sh"), "#!/bin/sh\necho good\n"), write(t, filepath.Join(dir, "evil"), "#!/bin/sh\necho evil\n")
	for _, command := range []string{quoted(tool) + " 3<" + quoted(evil) + "; :", "exec 3<" + quoted(evil) + "; " + quoted(tool), quoted(tool) + " {fd}<" + quoted(evil) + "; :",
		"{ " + quoted(tool) + "; } 3<" + quoted(evil), "coproc " + quoted(tool)} {
		decision := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, tool)}, tool)
		decision.Exec.Command = command
		_, _, _, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}), dir)
		refused(t, err, runner.CodeUnheld)
	}
}

func TestAScriptOfAShellKnowsItsName(t *testing.T) {
	dir := directory(t)
	write(t, filepath.Join(dir, "beside"), "echo beside\n")
	for name, c := range map[string]struct {
		first string
		words func(script string) []string
	}{
		"run by its first line":          {"#!/bin/sh", func(script string) []string { return []string{script, "one"} }},
		"run by its first line, with -e": {"#!/bin/bash -e", func(script string) []string { return []string{script, "one"} }},
		"run by env":                     {"#!/usr/bin/env bash", func(script string) []string { return []string{script, "one"} }},
		"a word for dash":                {"", func(script string) []string { return []string{"/usr/bin/dash", script, "one"} }},
		"a word for bash":                {"#!/bin/false", func(script string) []string { return []string{"/usr/bin/bash", "-u", script, "one"} }},
		"a relative word for the shell":  {"", func(string) []string { return []string{"/usr/bin/sh", "x.sh", "one"} }},
		"another spelling of the path":   {"", func(string) []string { return []string{"/usr/bin/bash", ".//x.sh", "one"} }},
	} {
		t.Run(name, func(t *testing.T) {
			script := write(t, filepath.Join(dir, "x.sh"), c.first+"\necho \"$0 $1 ${BASH_SOURCE-$0}\"; . \"$(dirname \"$0\")/beside\"; grep TracerPid /proc/$$/status\n")
			words := c.words(script)
			decision := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, words[0])}, words...)
			named := words[0]
			if words[0] != script {
				named = words[slices.IndexFunc(words, func(word string) bool { return strings.HasSuffix(word, "x.sh") })]
				pin := pinOf(t, 0, "script", script)
				decision.Exec.Pins.Files = append(decision.Exec.Pins.Files, pin)
			}
			out, code, _, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}), dir)
			require.NoError(t, err)
			require.Zero(t, code, out)
			assert.Equal(t, named+" one "+named+"\nbeside\nTracerPid:\t0\n", out, "and nobody traces it any more")
		})
	}
}

func TestAScriptOfAShellInATextKnowsItsName(t *testing.T) {
	const says = "echo \"$0 $1 ${BASH_SOURCE-$0}\"; . \"$(dirname \"$0\")/beside\"; grep TracerPid /proc/$$/status; read line; echo $line $FOO; umask\n"
	for name, c := range map[string]struct{ first, text string }{
		"by its first line":                   {"#!/bin/bash -e", "'NAME' one"},
		"by its first line, in another shell": {"#!/bin/sh", "'NAME' one"},
		"behind env":                          {"#!/usr/bin/env bash", "'NAME' one"},
		"a word":                              {"", "'/usr/bin/dash' '-u' 'NAME' one"},
		"behind a wrapper":                    {"#!/bin/sh", "'/usr/bin/nice' 'NAME' one"},
		"a word behind a wrapper":             {"", "'/usr/bin/nice' '/usr/bin/bash' 'NAME' one"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := directory(t)
			write(t, filepath.Join(dir, "beside"), "echo beside\n")
			script := write(t, filepath.Join(dir, "it's.sh"), c.first+"\n"+says)
			text := strings.ReplaceAll(strings.ReplaceAll(c.text, "NAME", strings.ReplaceAll(script, "'", `'\''`)), " one", " 'one'")
			decision := judgedText(t, dir, script, text)
			decision.Exec.Command = "umask 027; FOO='foo' " + decision.Exec.Command + " <<<input | '/usr/bin/cat'"
			decision.Exec.Segments = append(decision.Exec.Segments, gavel.ExecSegment{Argv: []string{"/usr/bin/cat"}})
			decision.Exec.Pins.Files = append(decision.Exec.Pins.Files, pinOf(t, 1, gavel.PinProgram, "/usr/bin/cat"))
			out, code, _, err := run(t, runnerOf(t, runner.Config{Self: runner.Self, Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }},
				Record: func(context.Context, gavel.RunEvent) error { // right before the start
					write(t, script+".new", "echo evil\n")
					return os.Rename(script+".new", script)
				}}), dir)
			require.NoError(t, err)
			require.Zero(t, code, out)
			assert.Equal(t, script+" one "+script+"\nbeside\nTracerPid:\t0\ninput foo\n0027\n", out)
		})
	}
}

// judgedText is an allow for a text of quoted words that runs a script.
func judgedText(t *testing.T, dir, script, text string) gavel.Decision {
	t.Helper()
	var words []string
	for _, word := range strings.Split(text, "' '") {
		words = append(words, strings.ReplaceAll(strings.Trim(word, "'"), `'\''`, "'"))
	}
	segment, pins := gavel.ExecSegment{}, []gavel.Pin{}
	for len(words) > 1 && slices.Contains([]string{"nice", "bash", "dash"}, filepath.Base(words[0])) {
		pins = append(pins, pinOf(t, 0, gavel.PinWrapper, words[0]))
		n := 1
		for words[n][0] == '-' {
			n++
		}
		segment.Wrappers, words = append(segment.Wrappers, words[:n]), words[n:]
	}
	segment.Argv = words
	pins = append(pins, pinOf(t, 0, "script", script))
	program := pinOf(t, 0, gavel.PinProgram, script)
	program.Named = words[0]
	decision := allow(t, dir, append(pins, program), words...)
	decision.Exec.Command, decision.Exec.Segments = text, []gavel.ExecSegment{segment}
	return decision
}

func TestSignalsReachAScriptInAText(t *testing.T) {
	dir := directory(t)
	script := write(t, filepath.Join(dir, "x.sh"), "#!/bin/bash\ntrap 'echo asked; exit 7' TERM\necho ready\nwhile :; do sleep 0.01; done\n")
	decision := judgedText(t, dir, script, "'"+script+"'")
	decision.Exec.Command = "{ " + decision.Exec.Command + " & }; while ! test -s out; do :; done; kill $!; wait $!; echo $?; trap '' TERM; " + decision.Exec.Command + " >>out & while test $(wc -l <out) -lt 3; do :; done; kill $!; kill -9 $!; wait $!; echo $?"
	decision.Exec.Command = strings.Replace(decision.Exec.Command, " & }", " >out & }", 1)
	decision.Exec.Segments = append(decision.Exec.Segments, decision.Exec.Segments[0])
	out, code, _, err := run(t, runnerOf(t, runner.Config{Self: runner.Self, Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}), dir)
	require.NoError(t, err)
	require.Zero(t, code, out)
	assert.Regexp(t, `^7\n.* Killed .*\n137\n$`, out)
	text, err := os.ReadFile(filepath.Join(dir, "out"))
	require.NoError(t, err)
	assert.Equal(t, "ready\nasked\nready\n", string(text), "what the text ignores, the script ignores, too")
}

// What the shell opens in the place of its script is the copy, whatever is there by then.
func TestADeletedScriptRunsAsItWasJudged(t *testing.T) {
	for _, shell := range []string{"/usr/bin/bash", "/usr/bin/dash"} {
		dir := directory(t)
		script := write(t, filepath.Join(dir, "x.sh"), "echo good\n")
		decision := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, shell), pinOf(t, 0, "script", script)}, shell, script)
		var events recorded
		r := runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }},
			Record: func(ctx context.Context, event gavel.RunEvent) error { // right before the start
				write(t, script+".new", "echo evil\n")
				return errors.Join(os.Rename(script+".new", script), events.record(ctx, event))
			}})
		out, _, _, err := run(t, r, dir)
		require.NoError(t, err)
		assert.Equal(t, "good\n", out, shell)
		assert.Len(t, events.list, 1)
	}
}

// A shell whose script is never opened by its name is ended or ends by itself.
func TestAShellThatEndsBeforeItsScriptIsWaitedFor(t *testing.T) {
	dir := directory(t)
	script := write(t, filepath.Join(dir, "x.sh"), "echo good\n")
	decision := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, "/usr/bin/dash"), pinOf(t, 0, "script", script)}, "/usr/bin/dash", "-uf", script)
	r := runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}, Limits: spawn.Limits{Files: 3}})
	_, code, _, err := run(t, r, dir)
	require.NoError(t, err)
	assert.Equal(t, 127, code, "it may not open its libraries")
}

func TestTheInterpreterOfAScriptIsHeldToo(t *testing.T) {
	dir := directory(t)
	shell, err := os.ReadFile("/bin/sh")
	require.NoError(t, err)
	interp := write(t, filepath.Join(dir, "interp"), string(shell))
	planted := filepath.Join(dir, "planted")
	require.NoError(t, os.Mkdir(planted, 0o700))
	for about, c := range map[string]struct {
		line    string
		pinned  bool
		between func()
		code    string
	}{
		"with a pin":            {"#!" + interp, true, func() {}, ""},
		"behind env":            {"#!/usr/bin/env interp", true, func() {}, ""},
		"of the system":         {"#!/bin/sh", false, func() {}, ""},
		"of the system by env":  {"#! /usr/bin/env sh", false, func() {}, ""},
		"without a pin":         {"#!" + interp, false, func() {}, runner.CodeUnheld},
		"missing":               {"#!/nowhere/x", false, func() {}, runner.CodeUnheld},
		"an option of env":      {"#!/usr/bin/env -i interp", true, func() {}, runner.CodeUnheld},
		"a variable behind env": {"#!/usr/bin/env -S A=1 interp", true, func() {}, runner.CodeUnheld},
		"planted before it":     {"#!/usr/bin/env interp", true, func() { write(t, filepath.Join(planted, "interp"), "#!/bin/sh\necho evil\n") }, runner.CodeUnheld},
		"replaced":              {"#!" + interp, true, func() { write(t, interp+".new", string(shell)); require.NoError(t, os.Rename(interp+".new", interp)) }, "runner.script_changed"},
	} {
		t.Run(about, func(t *testing.T) {
			require.NoError(t, os.RemoveAll(filepath.Join(planted, "interp")))
			tool := write(t, filepath.Join(dir, "t.sh"), c.line+"\necho good $1\n")
			pins := []gavel.Pin{pinOf(t, 0, gavel.PinProgram, tool)}
			if c.pinned {
				pins = append(pins, pinOf(t, 0, "interpreter", interp))
			}
			decision := allow(t, dir, pins, tool, "x")
			authority := &answers{decide: func(gavel.Call) (gavel.Decision, error) { c.between(); return decision, nil }}
			out, _, _, err := run(t, runnerOf(t, runner.Config{Authority: authority, Base: runner.Base{Path: []string{planted, dir, "/usr/bin", "/bin"}}}), dir)
			if c.code != "" {
				refused(t, err, c.code)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "good x\n", out)
		})
	}
}
