//go:build linux

package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/cases"
)

// many is how many commands a campaign has: n with GAVEL_TEST=all, as in make test-all,
// and otherwise a sixth. Commands that are known to find what is planted come first.
func many(n int) int {
	if cases.All() {
		return n
	}
	return n / 6
}

// shared is what the campaigns of this package have in common.
var shared = sync.OnceValues(func() (*kit, error) { return newKit(context.Background()) })

// campaigned runs a short campaign of n commands in whatever shells are installed.
func campaigned(t *testing.T, c campaign) result {
	t.Helper()
	c.seed, c.workers, c.most = 7, 2, root
	if c.gavel != "" {
		c.most = bare
	}
	var err error
	c.kit, err = shared()
	require.NoError(t, err)
	c.corpus, err = commands("testdata/corpus.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, c.corpus)
	found, err := c.run(t.Context())
	require.NoError(t, err, "without any shell nothing can be checked: run `make soundness-tools`")
	t.Logf("in %s, roots: %s", strings.Join(found.shells, ", "), found.level)
	return found
}

func TestWhatGavelAllowsRunsNothingElseInAnyShell(t *testing.T) {
	t.Parallel()
	first, err := questions("../../analyzer/testdata/soundness.jsonl")
	require.NoError(t, err)
	found := campaigned(t, campaign{n: many(200), first: first})
	for _, f := range found.escapes {
		assert.Fail(t, "a command escaped", f.describe(7))
	}
	assert.NotZero(t, found.tally.rendered[""], "nothing was allowed, so nothing was checked")
	assert.NotZero(t, found.tally.programs, "no program ran, so nothing was checked")
}

func TestWhatGavelRunMakesOfACommandRunsNothingElse(t *testing.T) {
	t.Parallel()
	found := campaigned(t, campaign{n: many(60), shells: []string{"bash"}, runner: true})
	for _, f := range found.escapes {
		assert.Fail(t, "a command escaped", f.describe(7))
	}
	assert.NotZero(t, found.tally.programs, "no program ran, so nothing was checked")
}

func TestRunsAreConfinedAsFarAsTheMachineGoes(t *testing.T) {
	t.Parallel()
	corpus, err := commands("testdata/corpus.jsonl")
	require.NoError(t, err)
	k, err := shared()
	require.NoError(t, err)
	for _, level := range []confinement{bare, chrooted, user} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			found, err := campaign{n: 40, seed: 5, workers: 1, most: level, corpus: corpus, kit: k}.run(t.Context())
			require.NoError(t, err)
			assert.LessOrEqual(t, found.level, level)
			assert.Empty(t, found.escapes)
			assert.NotZero(t, found.tally.rendered[""], "nothing was checked")
		})
	}
}

// Each hole is looked for with 300 commands, until it is found. Where a hole is about
// commands that are rarely made, it is looked for with these first, asked by every agent.
func TestAPlantedHoleIsFound(t *testing.T) {
	t.Parallel()
	holes := map[string]struct {
		plant   func(decider, world) decider
		problem string
		first   []question
		ran     string // the program that is to be the one that ran; "" where any will do
	}{
		"what follows the first segment is not looked at": {onlyTheFirstSegment, ranForbidden, nil, ""},
		"a redirection is taken for a comment":            {redirectsAreComments, wroteFile, []question{{command: "ls >out"}}, ""},
		"words are rendered without quotes":               {withoutQuotes, ranOther, nil, ""},
		"the call's variables are not looked at":          {variables, ranForbidden, nil, ""},
		"everything is allowed":                           {everything, noSegments, nil, ""},
		"what a substitution runs is not looked at":       {substitutionsAreWords, ranForbidden, nil, ""},
		"a file is judged by another name":                {filesAreFree, wroteFile, []question{{command: "ls >out"}}, ""},
		"a link is taken for a file":                      {linksAreFiles, wroteFile, []question{{command: "ls > free/link"}}, ""},
		"values of variables are not looked at":           {valuesArePlain, ranForbidden, []question{{command: "SRANDOM='a[$(hit)]'; ls"}}, ""},
		"a link is taken for the program behind it":       {linksAreTheirProgram, ranForbidden, []question{{command: "od notes"}}, "/usr/bin/od"},
		"a terminal is taken for a pipe":                  {terminalsArePipes, ranForbidden, []question{{command: "git log", pty: true}}, ""},
	}
	for name, hole := range holes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shows := func(f finding) bool {
				ran := func(one execution) bool { return string(one.Path) == hole.ran }
				return f.problem == hole.problem && (hole.ran == "" || slices.ContainsFunc(f.did.ran, ran))
			}
			c := campaign{n: 300, plant: hole.plant, first: slices.Repeat(hole.first, 4*agents), enough: shows}
			escapes := campaigned(t, c).escapes
			var seen []string
			for _, f := range escapes {
				seen = append(seen, f.describe(7))
			}
			assert.True(t, slices.ContainsFunc(escapes, shows), "the hole was not found, but %v", seen)
		})
	}
}

// judgedAs judges another text than the one that runs: a hole as it is when something is
// not looked at.
func judgedAs(real decider, other func(question) string) decider {
	return func(ctx context.Context, q question) gavel.Decision {
		whole := q.command
		q.command = other(q)
		d := real(ctx, q)
		if d.Effect == gavel.Allow {
			d.Exec.Command = whole
		}
		return d
	}
}

// onlyTheFirstSegment judges a command up to its first operator and runs all of it.
func onlyTheFirstSegment(real decider, _ world) decider {
	return judgedAs(real, func(q question) string {
		if i := strings.IndexAny(q.command, ";|&\n"); i > 0 {
			q.command = q.command[:i]
		}
		return q.command
	})
}

// substitutionsAreWords judges a command with a word in the place of a substitution.
func substitutionsAreWords(real decider, _ world) decider {
	return judgedAs(real, func(q question) string {
		if from, to := strings.Index(q.command, "$("), strings.LastIndexByte(q.command, ')'); from >= 0 && to > from {
			q.command = q.command[:from] + "word" + q.command[to+1:]
		}
		return q.command
	})
}

// filesAreFree judges redirections as if they were all to a file that may be written.
func filesAreFree(real decider, _ world) decider {
	return judgedAs(real, func(q question) string {
		q.command = strings.NewReplacer(">../out", ">free/out", ">out", ">free/out", ">|out", ">|free/out").Replace(q.command)
		return q.command
	})
}

// linksAreFiles judges a redirection to a link as one to a new file beside it.
func linksAreFiles(real decider, _ world) decider {
	return judgedAs(real, func(q question) string {
		q.command = strings.ReplaceAll(q.command, "free/link", "free/a")
		return q.command
	})
}

// linksAreTheirProgram lets an agent that may run busybox run od, which is a link to it. All that is
// wrong with that is the name of the link: the file that runs is one that the agent may run.
func linksAreTheirProgram(real decider, w world) decider {
	return func(ctx context.Context, q question) gavel.Decision {
		if q.command != "od notes" || !w.allowed[q.agent]["/usr/bin/busybox"] {
			return real(ctx, q)
		}
		return gavel.Decision{Effect: gavel.Allow, Exec: &gavel.Exec{Host: "gateway", Command: q.command,
			Segments: []gavel.ExecSegment{{Argv: []string{w.view + "/usr/bin/busybox", "notes"}, By: "allowlist"}}}}
	}
}

// terminalsArePipes judges a command as if no pager could start.
func terminalsArePipes(real decider, _ world) decider {
	return func(ctx context.Context, q question) gavel.Decision {
		q.pty = false
		return real(ctx, q)
	}
}

// valuesArePlain judges a command without the assignment before it.
func valuesArePlain(real decider, _ world) decider {
	return judgedAs(real, func(q question) string {
		if _, after, found := strings.Cut(q.command, "'; "); found && strings.Contains(q.command, "='") {
			q.command = after
		}
		return q.command
	})
}

// redirectsAreComments judges a command without its redirection and runs it with it.
func redirectsAreComments(real decider, _ world) decider {
	return func(ctx context.Context, q question) gavel.Decision {
		whole := q.command
		if before, _, found := strings.Cut(whole, ">"); found {
			q.command = before
		}
		d := real(ctx, q)
		if d.Effect == gavel.Allow && len(d.Exec.Segments) == 1 {
			d.Exec.Command += whole[len(q.command):]
		}
		return d
	}
}

func withoutQuotes(real decider, _ world) decider {
	return func(ctx context.Context, q question) gavel.Decision {
		d := real(ctx, q)
		if d.Effect == gavel.Allow {
			d.Exec.Command = strings.ReplaceAll(d.Exec.Command, "'", "")
		}
		return d
	}
}

// variables lets a call name a file that the shell runs first.
func variables(real decider, _ world) decider {
	return func(ctx context.Context, q question) gavel.Decision {
		q.env = nil
		d := real(ctx, q)
		if d.Effect == gavel.Allow {
			d.Exec.Env = map[string]string{"BASH_ENV": "/work/rc/.bashrc", "HOME": "/work/rc", "ARGV0": "x"}
		}
		return d
	}
}

func everything(decider, world) decider {
	return func(_ context.Context, q question) gavel.Decision {
		return gavel.Decision{Effect: gavel.Allow, Exec: &gavel.Exec{Command: q.command}}
	}
}

func TestAnEscapeIsShrunkAndSaved(t *testing.T) {
	t.Parallel()
	found := campaigned(t, campaign{n: 60, plant: onlyTheFirstSegment})
	require.NotEmpty(t, found.escapes)
	name := t.TempDir() + "/soundness.jsonl"
	require.NoError(t, save(name, found.escapes, 7))
	saved, err := commands(name)
	require.NoError(t, err)
	require.Contains(t, saved, found.escapes[0].command)
	asked, err := questions(name)
	require.NoError(t, err)
	assert.Equal(t, found.escapes[0].env, asked[0].env)
	assert.Contains(t, found.escapes[0].describe(7), "seed 7")
	short := false
	for _, f := range found.escapes {
		short = short || len(f.command) < 12
	}
	assert.True(t, short, "a command such as `ls;id` is all that it takes: %q", saved)
}

func TestTheSameSeedMakesTheSameCommands(t *testing.T) {
	t.Parallel()
	corpus := []string{"git status", "ls | wc -l"}
	distinct := map[string]bool{}
	for position := range uint64(200) {
		one := newGenerator(3, position, corpus, stubs()).question()
		assert.Equal(t, one, newGenerator(3, position, corpus, stubs()).question())
		distinct[one.command] = true
	}
	assert.Greater(t, len(distinct), 150)
}
