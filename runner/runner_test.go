//go:build linux

package runner_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
	"gavel/runner/spawn"
)

// A runner closes its process first. The descriptor 200 stands for one that it was given. The test
// program is also what runs scripts in texts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == runner.ScriptWord {
		os.Exit(runner.RunScript(os.Args[2:]))
	}
	if err := errors.Join(syscall.Dup3(0, 200, 0), spawn.Shield()); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestWithoutAnAllowNothingRuns(t *testing.T) {
	dir := directory(t)
	tool := write(t, filepath.Join(dir, "t.sh"), "#!/bin/sh\ntouch ran\n")
	good := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, tool)}, tool)
	change := func(edit func(*gavel.Decision)) func(gavel.Call) (gavel.Decision, error) {
		return func(gavel.Call) (gavel.Decision, error) {
			d := good
			exec, pins := *good.Exec, *good.Exec.Pins
			exec.Pins = &pins
			d.Exec = &exec
			edit(&d)
			return d, nil
		}
	}
	for about, decide := range map[string]func(gavel.Call) (gavel.Decision, error){
		"an error":            func(gavel.Call) (gavel.Decision, error) { return good, errors.New("x") },
		"the zero value":      func(gavel.Call) (gavel.Decision, error) { return gavel.Decision{}, nil },
		"a deny":              change(func(d *gavel.Decision) { d.Effect = gavel.Deny }),
		"an ask of nobody":    change(func(d *gavel.Decision) { d.Effect = gavel.Ask }),
		"nothing to run":      change(func(d *gavel.Decision) { d.Exec = nil }),
		"no command":          change(func(d *gavel.Decision) { d.Exec.Command = "" }),
		"another host":        change(func(d *gavel.Decision) { d.Exec.Host = "sandbox" }),
		"a node":              change(func(d *gavel.Decision) { d.Exec.Node = "n" }),
		"no pins":             change(func(d *gavel.Decision) { d.Exec.Pins = nil }),
		"no pin of it":        change(func(d *gavel.Decision) { d.Exec.Pins.Files = nil }),
		"another directory":   change(func(d *gavel.Decision) { d.Exec.Pins.Directory = "/" }),
		"no directory":        change(func(d *gavel.Decision) { d.Exec.Pins.Directory = "" }),
		"a pin without inode": change(func(d *gavel.Decision) { d.Exec.Pins.Files = []gavel.Pin{{Role: "program", Named: tool, Path: tool}} }),
		"an unknown shell":    change(func(d *gavel.Decision) { d.Exec.Command, d.Exec.Pins.Shell = "echo", "nosuchshell" }),
		"a shell of a user":   change(func(d *gavel.Decision) { d.Exec.Command, d.Exec.Pins.Shell = "echo", tool }),
	} {
		t.Run(about, func(t *testing.T) {
			_, _, _, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: decide}}), dir)
			var refusal *runner.Refusal
			assert.ErrorAs(t, err, &refusal)
			assert.NoFileExists(t, filepath.Join(dir, "ran"))
		})
	}
	_, code, _, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: change(func(*gavel.Decision) {})}}), dir)
	require.NoError(t, err)
	assert.Zero(t, code)
	assert.FileExists(t, filepath.Join(dir, "ran"), "with the allow it runs")
}

func TestAQuestionIsWaitedForAndDecidedAgain(t *testing.T) {
	dir := directory(t)
	pins := []gavel.Pin{pinOf(t, 0, gavel.PinProgram, "/usr/bin/true")}
	good := allow(t, dir, pins, "/usr/bin/true")
	for about, c := range map[string]struct {
		outcome gavel.Effect
		asked   int
		runs    bool
	}{
		"a person agrees":        {gavel.Allow, 2, true},
		"a person does not":      {gavel.Deny, 1, false},
		"nobody could be asked?": {gavel.Ask, 1, false},
	} {
		t.Run(about, func(t *testing.T) {
			a := &answers{}
			a.answer.Outcome = &struct {
				Effect  gavel.Effect   `json:"effect"`
				Reasons []gavel.Reason `json:"reasons"`
			}{Effect: c.outcome}
			a.decide = func(gavel.Call) (gavel.Decision, error) {
				if a.asked > 1 {
					return good, nil
				}
				return gavel.Decision{Effect: gavel.Ask, Approval: &gavel.Pending{ID: "a"}, Reasons: []gavel.Reason{{Message: "asked"}}}, nil
			}
			var noticed []gavel.Pending
			_, _, _, err := run(t, runnerOf(t, runner.Config{Authority: a, Notice: func(p gavel.Pending) { noticed = append(noticed, p) }}), dir)
			assert.Equal(t, c.runs, err == nil, "%v", err)
			assert.Equal(t, c.asked, a.asked)
			assert.Len(t, noticed, 1)
		})
	}
}

func TestWhatRunsIsTheJudgedCommandWithTheJudgedName(t *testing.T) {
	dir := directory(t)
	shell := filepath.Join(dir, "named")
	text, err := os.ReadFile("/bin/sh")
	require.NoError(t, err)
	write(t, shell, string(text))
	for about, c := range map[string]struct {
		command, want string
		segments      []gavel.ExecSegment
		pins          []gavel.Pin
	}{
		"one program by its descriptor": {quoted(shell, "-c", "echo $0 $1", "zero", "one"), "zero one\n",
			[]gavel.ExecSegment{{Argv: []string{shell, "-c", "echo $0 $1", "zero", "one"}}}, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, shell)}},
		"in a pipeline under its own name": {quoted(shell, "-c", "cat /proc/$$/cmdline") + " | '/usr/bin/tr' '\\0' ' '", shell + " -c cat /proc/$$/cmdline ",
			[]gavel.ExecSegment{{Argv: []string{shell, "-c", "cat /proc/$$/cmdline"}}, {Argv: []string{"/usr/bin/tr", `\0`, " "}}},
			[]gavel.Pin{pinOf(t, 0, gavel.PinProgram, shell), pinOf(t, 1, gavel.PinProgram, "/usr/bin/tr")}},
		"twice in one text": {quoted(shell, "-c", "exit 1") + " || A='x' " + quoted(shell, "-c", `echo "$A"`) + " 2>&1", "x\n",
			[]gavel.ExecSegment{{Argv: []string{shell, "-c", "exit 1"}}, {Argv: []string{shell, "-c", `echo "$A"`}}},
			[]gavel.Pin{pinOf(t, 0, gavel.PinProgram, shell), pinOf(t, 1, gavel.PinProgram, shell)}},
		"behind a wrapper": {quoted("/usr/bin/nice", "-n", "1", shell, "-c", "echo $0", "z"), "z\n",
			[]gavel.ExecSegment{{Wrappers: [][]string{{"/usr/bin/nice", "-n", "1"}}, Argv: []string{shell, "-c", "echo $0", "z"}}},
			[]gavel.Pin{pinOf(t, 0, gavel.PinWrapper, "/usr/bin/nice"), pinOf(t, 0, gavel.PinProgram, shell)}},
	} {
		t.Run(about, func(t *testing.T) {
			decision := allow(t, dir, c.pins, "x")
			decision.Exec.Command, decision.Exec.Segments = c.command, c.segments
			out, code, plan, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}), dir)
			require.NoError(t, err)
			assert.Equal(t, c.want, out)
			assert.Zero(t, code)
			assert.Empty(t, plan.Notes)
		})
	}
}

func TestACommandWhoseFilesCannotBeHeldNeedsCheckOnly(t *testing.T) {
	dir := directory(t)
	tool := write(t, filepath.Join(dir, "t.sh"), "#!/bin/sh\necho ran\n")
	inner := quoted(tool)
	for about, c := range map[string]struct {
		command  string
		segments []gavel.ExecSegment
		shell    string
	}{
		"in the text of another shell":  {quoted("/usr/bin/bash", "-c", inner), []gavel.ExecSegment{{Wrappers: [][]string{{"/usr/bin/bash", "-c"}}, Argv: []string{tool}}}, "bash"},
		"in a shell without exec -a":    {inner + " | " + inner, []gavel.ExecSegment{{Argv: []string{tool}}, {Argv: []string{tool}}}, "sh"},
		"once more than its segments":   {inner + " 1 | '/usr/bin/cat'", []gavel.ExecSegment{{Argv: []string{tool, "2"}}}, "bash"},
		"with a redirection in between": {inner + " >/dev/stderr 'x'; :", []gavel.ExecSegment{{Argv: []string{tool, "x"}}}, "bash"},
	} {
		t.Run(about, func(t *testing.T) {
			var pins []gavel.Pin
			for i := range c.segments {
				pins = append(pins, pinOf(t, i, gavel.PinProgram, tool))
			}
			decision := allow(t, dir, pins, "x")
			decision.Exec.Command, decision.Exec.Segments, decision.Exec.Pins.Shell = c.command, c.segments, c.shell
			authority := &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}
			_, _, _, err := run(t, runnerOf(t, runner.Config{Authority: authority}), dir)
			refused(t, err, runner.CodeUnheld)
			out, _, plan, err := run(t, runnerOf(t, runner.Config{Authority: authority, CheckOnly: true}), dir)
			require.NoError(t, err)
			assert.Contains(t, out, "ran")
			assert.Contains(t, strings.Join(plan.Notes, "\n"), "could be replaced in between")
		})
	}
}

func TestTheEnvironmentIsMinimalAndBlockedVariablesAreLeftOut(t *testing.T) {
	t.Setenv("SECRET_OF_THE_RUNNER", "x")
	dir := directory(t)
	decision := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, "/usr/bin/env")}, "/usr/bin/env")
	decision.Exec.Env = map[string]string{"GOOD": "1", "LD_PRELOAD": "/x.so", "ld_preload": "y", "BASH_ENV": "/x", "PATH": "/x", "NODE_OPTIONS": "x"}
	decision.Exec.PathPrepend = []string{"/opt/first"}
	out, _, plan, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}), dir)
	require.NoError(t, err)
	assert.Equal(t, "GOOD=1\nHOME=/home/u\nLOGNAME=u\nPATH=/opt/first:/usr/local/bin:/usr/bin:/bin\nUSER=u\n", out)
	assert.Contains(t, plan.Notes, "blocked variables were left out: BASH_ENV, LD_PRELOAD, NODE_OPTIONS, PATH, ld_preload")
	decision.Exec.Env = map[string]string{"A=B": "x"}
	_, _, _, err = run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}), dir)
	refused(t, err, runner.CodeEnvironment)
}

func TestACommandCannotGainPrivilegesAndInheritsNothing(t *testing.T) {
	dir := directory(t)
	script := "#!/bin/sh\numask; grep NoNewPrivs /proc/self/status; pwd; cut -d' ' -f5 /proc/$$/stat; echo $$; ls /proc/$$/fd\n"
	tool := write(t, filepath.Join(dir, "t.sh"), script)
	decision := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, tool)}, tool)
	out, _, _, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}), dir)
	require.NoError(t, err)
	lines := strings.Split(out, "\n")
	assert.Equal(t, "0077", lines[0])
	assert.Equal(t, "NoNewPrivs:\t1", lines[1])
	assert.Equal(t, dir, lines[2])
	assert.Equal(t, lines[3], lines[4], "it is the first of a process group of its own")
	assert.Subset(t, []string{"0", "1", "2", "3", "10"}, strings.Fields(strings.Join(lines[5:], " ")), "3 is the sealed copy of the script; dash holds it as 10")
}

func TestARefusalAndAStartAreRecorded(t *testing.T) {
	dir := directory(t)
	tool := write(t, filepath.Join(dir, "t.sh"), "#!/bin/sh\n")
	decision := allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, tool)}, tool)
	authority := &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}
	var events recorded
	r := runnerOf(t, runner.Config{Authority: authority, Record: events.record})
	_, _, _, err := run(t, r, dir)
	require.NoError(t, err)
	write(t, tool, "#!/bin/sh\ntouch ran\n")
	_, _, _, err = run(t, r, dir)
	refused(t, err, "runner.program_changed")
	require.Len(t, events.list, 2)
	assert.Equal(t, []string{gavel.AuditRunStarted, gavel.AuditRunRefused}, []string{events.list[0].Kind, events.list[1].Kind})
	assert.Equal(t, "runner.program_changed", events.list[1].Code)
	assert.Equal(t, []string{"d", "d"}, []string{events.list[0].Decision, events.list[1].Decision})

	events.err = errors.New("the disk is full")
	decision = allow(t, dir, []gavel.Pin{pinOf(t, 0, gavel.PinProgram, tool)}, tool)
	_, _, _, err = run(t, r, dir)
	refused(t, err, runner.CodeUnrecorded)
	assert.NoFileExists(t, filepath.Join(dir, "ran"))
}

func TestTheAuthorityThatDecidedRecordsHowTheCommandEnded(t *testing.T) {
	there, here := &logged{}, &file{}
	records := runner.Records{File: here, Authority: there, Now: time.Now}
	require.NoError(t, records.Record(t.Context(), gavel.RunEvent{Kind: gavel.AuditRunRefused, Agent: "main", Code: "runner.directory_changed"}))
	assert.Empty(t, there.list, "there was no decision")
	require.NoError(t, records.Record(t.Context(), gavel.RunEvent{Kind: gavel.AuditRunStarted, Agent: "main", Decision: "d"}))
	assert.Len(t, there.list, 1)
	there.err = errors.New("the log is full")
	require.ErrorContains(t, records.Record(t.Context(), gavel.RunEvent{Kind: gavel.AuditRunStarted, Agent: "main", Decision: "d"}), "the log is full")
	assert.Len(t, here.list, 3, "this machine has all of them")
	assert.Equal(t, "d", here.list[2].Detail["decision"])
}

func TestATextIsRewrittenOnlyWhereItNamesPrograms(t *testing.T) {
	held := func(program string) (string, bool) { return "/held", program == "/p" }
	segment := func(words ...string) gavel.ExecSegment { return gavel.ExecSegment{Argv: words} }
	for text, c := range map[string]struct {
		want     string
		segments []gavel.ExecSegment
	}{
		`'/p' '/p' | '/q' '/p'`:         {` (exec -a '/p' /held '/p')  | '/q' '/p'`, []gavel.ExecSegment{segment("/p", "/p"), segment("/q", "/p")}},
		`A='1' '/p' >'/p' && ! '/p'`:    {` (A='1' exec -a '/p' /held)  >'/p' && !  (exec -a '/p' /held) `, []gavel.ExecSegment{segment("/p"), segment("/p")}},
		`('/p')`:                        {`( (exec -a '/p' /held) )`, []gavel.ExecSegment{segment("/p")}},
		`'/q' "$('/p' 'x')"`:            {`'/q' "$( (exec -a '/p' /held 'x') )"`, []gavel.ExecSegment{{Argv: []string{"/q", "x"}, Dynamic: []int{1}}, segment("/p", "x")}},
		`'/p' 'a' & '/p' 'b'`:           {` (exec -a '/p' /held 'a')  & '/p' 'b'`, []gavel.ExecSegment{segment("/p", "a")}},
		`'/p' >'x' 'y'`:                 {`'/p' >'x' 'y'`, []gavel.ExecSegment{segment("/p", "y")}},
		`'/q' '-c' ''\''/p'\'''`:        {`'/q' '-c' ''\''/p'\'''`, []gavel.ExecSegment{{Wrappers: [][]string{{"/q", "-c"}}, Argv: []string{"/p"}}}},
		`f() { '/p'; }; f`:              {`f() {  (exec -a '/p' /held) ; }; f`, []gavel.ExecSegment{segment("/p")}},
		`'/usr/bin/nice' '-n' '1' '/p'`: {`'/usr/bin/nice' '-n' '1' /held`, []gavel.ExecSegment{{Wrappers: [][]string{{"/usr/bin/nice", "-n", "1"}}, Argv: []string{"/p"}}}},
	} {
		assert.Equal(t, c.want, runner.Rewritten(gavel.Exec{Command: text, Segments: c.segments}, held))
	}
}
