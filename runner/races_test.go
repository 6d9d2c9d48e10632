//go:build linux

package runner_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
	"gavel/runner/proof"
	"gavel/runner/spawn"
)

// races is how often each race is run; make run-races runs more.
func races(t *testing.T) int {
	if text := os.Getenv("GAVEL_RACES"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	return 20
}

// swaps are what the other process does, by name, until it is ended. Files end in .good and
// .evil, and the two take turns in the place that the call names.
func swaps() map[string]func(dir string) error {
	replace := func(name string) func(string) error { // by renaming a copy
		return func(dir string) error {
			for _, kind := range []string{".evil", ".good"} {
				text, err := os.ReadFile(filepath.Join(dir, name+kind))
				if err == nil {
					err = errors.Join(os.WriteFile(filepath.Join(dir, name+".new"), text, 0o755), os.Rename(filepath.Join(dir, name+".new"), filepath.Join(dir, name)))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	rewrite := func(name string) func(string) error { // in place
		return func(dir string) error {
			for _, kind := range []string{".evil", ".good"} {
				text, err := os.ReadFile(filepath.Join(dir, name+kind))
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, name), text, 0o755)
				}
				if err != nil && !errors.Is(err, syscall.ETXTBSY) {
					return err
				}
			}
			return nil
		}
	}
	lead := func(name, evil, good string) func(string) error { // a link
		return func(dir string) error {
			for _, target := range []string{evil, good} {
				_ = os.Remove(filepath.Join(dir, name+".new"))
				if err := errors.Join(os.Symlink(target, filepath.Join(dir, name+".new")), os.Rename(filepath.Join(dir, name+".new"), filepath.Join(dir, name))); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return map[string]func(string) error{
		"a program by renaming": replace("elf"), "a program in place": rewrite("elf"),
		"a script by renaming": replace("script"), "a script in place": rewrite("script"),
		"the script of an interpreter": replace("script"), "the script of an interpreter, in place": rewrite("script"),
		"a program of a pipeline":        replace("elf"),
		"a script of Python by renaming": replace("py"), "a script of Python in place": rewrite("py"), "a script of Python in a pipeline": replace("py"),
		"a link": lead("link", "script.evil", "script.good"), "the link to an interpreter": lead("interp", "script.evil", "/usr/bin/dash"),
		"the link to an interpreter in a pipeline": lead("interp", "script.evil", "/usr/bin/dash"),
		"the directory": func(dir string) error {
			at := func(name string) string { return filepath.Join(dir, name) }
			return errors.Join(os.Rename(at("work"), at("aside")), os.Rename(at("work.evil"), at("work")),
				os.Rename(at("work"), at("work.evil")), os.Rename(at("aside"), at("work")))
		},
		"the directory by a link": func(dir string) error {
			at := func(name string) string { return filepath.Join(dir, name) }
			return errors.Join(os.Rename(at("work"), at("aside")), os.Symlink("work.evil", at("work")), os.Remove(at("work")), os.Rename(at("aside"), at("work")))
		},
	}
}

// TestSwap is the other process.
func TestSwap(t *testing.T) {
	dir, name, _ := strings.Cut(os.Getenv("GAVEL_RACE_SWAP"), "|")
	if name == "" {
		return // it is started by the races
	}
	for {
		require.NoError(t, swaps()[name](dir))
	}
}

// world makes the files of a race.
func world(t *testing.T) string {
	dir := directory(t)
	for _, name := range []string{"work", "work.evil"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	for kind, program := range map[string]string{".good": "/usr/bin/true", ".evil": "/usr/bin/false"} {
		text, err := os.ReadFile(program)
		require.NoError(t, err)
		write(t, filepath.Join(dir, "elf"+kind), string(text))
		write(t, filepath.Join(dir, "script"+kind), "#!/bin/sh\necho "+kind+" | cat\necho "+kind+"\n")
		write(t, filepath.Join(dir, "py"+kind), "#!/usr/bin/python3\nprint('echo "+kind+"')\n# echo "+kind+"\n")
	}
	write(t, filepath.Join(dir, "by-link"), "#!"+dir+"/interp\necho .good\n")
	require.NoError(t, os.Symlink("/usr/bin/dash", filepath.Join(dir, "interp")))
	write(t, filepath.Join(dir, "work", "script"), "#!/bin/sh\necho .good\n")
	write(t, filepath.Join(dir, "work.evil", "script"), "#!/bin/sh\necho .evil\n")
	for _, name := range []string{"elf", "script", "py"} {
		text, err := os.ReadFile(filepath.Join(dir, name+".good"))
		require.NoError(t, err)
		write(t, filepath.Join(dir, name), string(text))
	}
	require.NoError(t, os.Symlink("script.good", filepath.Join(dir, "link")))
	return dir
}

// look is how a decision point sees a file, which it opens once.
func look(path string) (gavel.Pin, bool, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return gavel.Pin{}, false, err
	}
	file, err := os.Open(real)
	if err != nil {
		return gavel.Pin{}, false, err
	}
	defer file.Close() //nolint:errcheck // a test
	sum := sha256.New()
	text, err := io.ReadAll(io.TeeReader(file, sum))
	if err != nil {
		return gavel.Pin{}, false, err
	}
	info, err := file.Stat()
	if err != nil {
		return gavel.Pin{}, false, err
	}
	stat := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // documented
	good, _ := os.ReadFile("/usr/bin/true")
	return gavel.Pin{Role: gavel.PinProgram, Named: real, Path: real, Device: strconv.FormatUint(stat.Dev, 10), Inode: strconv.FormatUint(stat.Ino, 10),
		SHA256: hex.EncodeToString(sum.Sum(nil))}, string(text) == string(good) || strings.HasSuffix(string(text), "echo .good\n"), nil
}

// judge allows a race's command for as long as it is the good one.
func judge(name, dir string) func(gavel.Call) (gavel.Decision, error) {
	named := map[string]string{"a link": "link", "the directory": "work/script", "the directory by a link": "work/script"}[name]
	switch {
	case named != "":
	case strings.Contains(name, "Python"):
		named = "py"
	case strings.Contains(name, "link to an interpreter"):
		named = "by-link"
	case strings.Contains(name, "script"):
		named = "script"
	default:
		named = "elf"
	}
	return func(call gavel.Call) (gavel.Decision, error) {
		pin, good, err := look(filepath.Join(dir, named))
		for range 1000 { // what the policy refuses is not a race
			if err == nil && good {
				break
			}
			pin, good, err = look(filepath.Join(dir, named))
		}
		if err != nil || !good {
			return gavel.Decision{Reasons: []gavel.Reason{{Code: "exec.allowlist_miss", Message: fmt.Sprint("not now: ", err)}}}, nil
		}
		d := gavel.Decision{ID: "d", Effect: gavel.Allow, Exec: &gavel.Exec{Host: "gateway", Command: quoted(pin.Named), Segments: []gavel.ExecSegment{{Argv: []string{pin.Named}}},
			Pins: &gavel.Pins{Directory: call.Environment.Cwd, Shell: "bash", Parsed: true, Files: []gavel.Pin{pin}}}}
		switch {
		case strings.HasPrefix(name, "the script of an interpreter"):
			d.Exec.Command, d.Exec.Segments[0].Wrappers = quoted("/usr/bin/sh", pin.Named), [][]string{{"/usr/bin/sh"}}
			shell, _, _ := look("/usr/bin/sh")
			shell.Named, shell.Role = "/usr/bin/sh", gavel.PinWrapper
			d.Exec.Pins.Files = append(d.Exec.Pins.Files, shell)
		case strings.Contains(name, "pipeline"):
			d.Exec.Command += " && '/usr/bin/true'"
			d.Exec.Segments = append(d.Exec.Segments, gavel.ExecSegment{Argv: []string{"/usr/bin/true"}})
		}
		return d, nil
	}
}

func TestReplacingAFileBeforeItRunsRunsNothingElse(t *testing.T) {
	for name := range swaps() {
		t.Run(name, func(t *testing.T) {
			dir := world(t)
			other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSwap$")
			other.Env = append(os.Environ(), "GAVEL_RACE_SWAP="+dir+"|"+name)
			require.NoError(t, other.Start())
			defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
			cwd := dir
			if strings.HasPrefix(name, "the directory") {
				cwd = filepath.Join(dir, "work")
			}
			r := runnerOf(t, runner.Config{Authority: &answers{decide: judge(name, dir)}})
			outcomes := map[string]int{}
			for range races(t) {
				out, code, _, err := run(t, r, cwd)
				var refusal *runner.Refusal
				switch {
				case errors.As(err, &refusal):
					require.NotEmpty(t, refusal.Message)
					outcomes["refused "+refusal.Code]++
					require.Contains(t, []string{"", proof.CodeProgramChanged, proof.CodeScriptChanged, proof.CodeDirectoryChanged, runner.CodeStart, runner.CodeUnheld}, refusal.Code, refusal)
				default:
					require.NoError(t, err)
					require.NotContains(t, out, "evil", "a script ran that was not judged")
					require.Zero(t, code, "a program ran that was not judged: %s", out)
					outcomes["ran"]++
				}
			}
			t.Log(outcomes)
		})
	}
}

// The seal is what keeps a script: its interpreter has read the first line only when it changes.
func TestAChangedScriptRunsAsItWasJudged(t *testing.T) {
	dir := directory(t)
	tool := write(t, filepath.Join(dir, "t.sh"), "#!/bin/sh\nread go\necho good\n")
	decision := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, tool)}, tool)
	plan, err := runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}).
		Prepare(context.Background(), gavel.Call{Agent: gavel.Agent{ID: "main"}}, dir)
	require.NoError(t, err)
	defer plan.Close()
	in, feed, err := os.Pipe()
	require.NoError(t, err)
	out, got, err := os.Pipe()
	require.NoError(t, err)
	process, err := plan.Start(t.Context(), [3]*os.File{in, got, got}, false, false)
	require.NoError(t, err)
	require.NoError(t, got.Close())
	write(t, tool, "#!/bin/sh\nread go\necho evil\n")
	_, err = feed.WriteString("go\n")
	require.NoError(t, err)
	text, err := io.ReadAll(out)
	require.NoError(t, err)
	assert.Equal(t, "good\n", string(text))
	assert.Equal(t, spawn.State{}, <-process.Ended())
}
