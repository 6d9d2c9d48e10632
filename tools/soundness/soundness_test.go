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

// count returns n if GAVEL_TEST=all is set, as in make test-all, and otherwise a sixth of it.
func count(n int) int {
	if cases.All() {
		return n
	}
	return n / 6
}

// sharedKit returns the kit of all campaigns in these tests.
var sharedKit = sync.OnceValues(func() (*kit, error) { return newKit(context.Background()) })

// runCampaign runs a campaign in the installed shells.
func runCampaign(t *testing.T, c campaign) result {
	t.Helper()
	c.seed, c.workers, c.maxConfinement = 7, 2, root
	if c.gavel != "" {
		c.maxConfinement = bare
	}
	var err error
	c.kit, err = sharedKit()
	require.NoError(t, err)
	c.corpus, err = readCommands("testdata/corpus.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, c.corpus)
	found, err := c.run(t.Context())
	require.NoError(t, err, "if no shell is installed: run `make soundness-tools`")
	t.Logf("in %s, roots: %s", strings.Join(found.shells, ", "), found.level)
	return found
}

func TestAllowedCommandsRunNothingElseInAnyShell(t *testing.T) {
	t.Parallel()
	first, err := readQueries("../../analyzer/testdata/soundness.jsonl")
	require.NoError(t, err)
	found := runCampaign(t, campaign{n: count(200), first: first})
	for _, f := range found.escapes {
		assert.Fail(t, "a command escaped", f.describe(7))
	}
	assert.NotZero(t, found.tally.rendered[""], "nothing was allowed, so nothing was checked")
	assert.NotZero(t, found.tally.programs, "no program ran, so nothing was checked")
}

func TestCommandsWithCopiedProgramsRunNothingElse(t *testing.T) {
	t.Parallel()
	found := runCampaign(t, campaign{n: count(60), shells: []string{"bash"}, runner: true})
	for _, f := range found.escapes {
		assert.Fail(t, "a command escaped", f.describe(7))
	}
	assert.NotZero(t, found.tally.programs, "no program ran, so nothing was checked")
}

func TestEveryConfinementWorks(t *testing.T) {
	t.Parallel()
	corpus, err := readCommands("testdata/corpus.jsonl")
	require.NoError(t, err)
	k, err := sharedKit()
	require.NoError(t, err)
	for _, level := range []confinement{bare, chrooted, user} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			found, err := campaign{n: 40, seed: 5, workers: 1, maxConfinement: level, corpus: corpus, kit: k}.run(t.Context())
			require.NoError(t, err)
			assert.LessOrEqual(t, found.level, level)
			assert.Empty(t, found.escapes)
			assert.NotZero(t, found.tally.rendered[""], "nothing was checked")
		})
	}
}

// Each campaign has 300 commands, and ends when it has found the hole. For holes that generated
// commands rarely hit, it first checks commands that do, for several agents.
func TestAPlantedHoleIsFound(t *testing.T) {
	t.Parallel()
	holes := map[string]struct {
		plant   func(decider, world) decider
		problem string
		first   []query
		ran     string // the program that must have run; "" means any
	}{
		"only the first segment is judged":          {onlyTheFirstSegment, ranForbidden, nil, ""},
		"a redirection is taken for a comment":      {redirectsAreComments, wroteFile, []query{{command: "ls >out"}}, ""},
		"words are rendered without quotes":         {quotesAreDropped, ranOther, nil, ""},
		"the call's variables are ignored":          {environmentIsIgnored, ranForbidden, nil, ""},
		"everything is allowed":                     {everythingIsAllowed, noSegments, nil, ""},
		"commands in substitutions are ignored":     {substitutionsAreWords, ranForbidden, nil, ""},
		"a file is judged by another name":          {filesAreFree, wroteFile, []query{{command: "ls >out"}}, ""},
		"a link is taken for a file":                {linksAreFiles, wroteFile, []query{{command: "ls > free/link"}}, ""},
		"values of variables are ignored":           {valuesArePlain, ranForbidden, []query{{command: "SRANDOM='a[$(hit)]'; ls"}}, ""},
		"a link is taken for the program behind it": {linksAreTheirProgram, ranForbidden, []query{{command: "od notes"}}, "/usr/bin/od"},
		"a terminal is taken for a pipe":            {terminalsArePipes, ranForbidden, []query{{command: "git log", pty: true}}, ""},
	}
	for name, hole := range holes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shows := func(f finding) bool {
				ran := func(e execution) bool { return string(e.Path) == hole.ran }
				return f.problem == hole.problem && (hole.ran == "" || slices.ContainsFunc(f.did.ran, ran))
			}
			c := campaign{n: 300, plant: hole.plant, first: slices.Repeat(hole.first, 4*agents), stopAt: shows}
			escapes := runCampaign(t, c).escapes
			var descriptions []string
			for _, f := range escapes {
				descriptions = append(descriptions, f.describe(7))
			}
			assert.True(t, slices.ContainsFunc(escapes, shows), "the hole was not found, but %v", descriptions)
		})
	}
}

// judgedAs returns a decider that judges another text than the one that runs.
func judgedAs(real decider, other func(query) string) decider {
	return func(ctx context.Context, q query) gavel.Decision {
		whole := q.command
		q.command = other(q)
		d := real(ctx, q)
		if d.Effect == gavel.Allow {
			d.Exec.Command = whole
		}
		return d
	}
}

// onlyTheFirstSegment judges a command up to its first operator.
func onlyTheFirstSegment(real decider, _ world) decider {
	return judgedAs(real, func(q query) string {
		if i := strings.IndexAny(q.command, ";|&\n"); i > 0 {
			q.command = q.command[:i]
		}
		return q.command
	})
}

// substitutionsAreWords judges a command with a word in place of a substitution.
func substitutionsAreWords(real decider, _ world) decider {
	return judgedAs(real, func(q query) string {
		if from, to := strings.Index(q.command, "$("), strings.LastIndexByte(q.command, ')'); from >= 0 && to > from {
			q.command = q.command[:from] + "word" + q.command[to+1:]
		}
		return q.command
	})
}

// filesAreFree judges redirections as if their target were a file that may be written.
func filesAreFree(real decider, _ world) decider {
	return judgedAs(real, func(q query) string {
		q.command = strings.NewReplacer(">../out", ">free/out", ">out", ">free/out", ">|out", ">|free/out").Replace(q.command)
		return q.command
	})
}

// linksAreFiles judges a redirection to a link as one to another file in the same directory.
func linksAreFiles(real decider, _ world) decider {
	return judgedAs(real, func(q query) string {
		q.command = strings.ReplaceAll(q.command, "free/link", "free/a")
		return q.command
	})
}

// linksAreTheirProgram lets an agent that may run busybox run od, which is a link to it. The file that
// runs is allowed; only the name of the link is not.
func linksAreTheirProgram(real decider, w world) decider {
	return func(ctx context.Context, q query) gavel.Decision {
		if q.command != "od notes" || !w.allowed[q.agent]["/usr/bin/busybox"] {
			return real(ctx, q)
		}
		return gavel.Decision{Effect: gavel.Allow, Exec: &gavel.Exec{Host: "gateway", Command: q.command,
			Segments: []gavel.ExecSegment{{Argv: []string{w.view + "/usr/bin/busybox", "notes"}, By: "allowlist"}}}}
	}
}

// terminalsArePipes judges a command as if no pager could start.
func terminalsArePipes(real decider, _ world) decider {
	return func(ctx context.Context, q query) gavel.Decision {
		q.pty = false
		return real(ctx, q)
	}
}

// valuesArePlain judges a command without the assignment before it.
func valuesArePlain(real decider, _ world) decider {
	return judgedAs(real, func(q query) string {
		if _, after, found := strings.Cut(q.command, "'; "); found && strings.Contains(q.command, "='") {
			q.command = after
		}
		return q.command
	})
}

// redirectsAreComments judges a command without its redirection.
func redirectsAreComments(real decider, _ world) decider {
	return func(ctx context.Context, q query) gavel.Decision {
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

func quotesAreDropped(real decider, _ world) decider {
	return func(ctx context.Context, q query) gavel.Decision {
		d := real(ctx, q)
		if d.Effect == gavel.Allow {
			d.Exec.Command = strings.ReplaceAll(d.Exec.Command, "'", "")
		}
		return d
	}
}

// environmentIsIgnored ignores the variables of a call, and sets some with which the shell runs a file
// first.
func environmentIsIgnored(real decider, _ world) decider {
	return func(ctx context.Context, q query) gavel.Decision {
		q.env = nil
		d := real(ctx, q)
		if d.Effect == gavel.Allow {
			d.Exec.Env = map[string]string{"BASH_ENV": "/work/rc/.bashrc", "HOME": "/work/rc", "ARGV0": "x"}
		}
		return d
	}
}

func everythingIsAllowed(decider, world) decider {
	return func(_ context.Context, q query) gavel.Decision {
		return gavel.Decision{Effect: gavel.Allow, Exec: &gavel.Exec{Command: q.command}}
	}
}

func TestAnEscapeIsShrunkAndSaved(t *testing.T) {
	t.Parallel()
	found := runCampaign(t, campaign{n: 60, plant: onlyTheFirstSegment})
	require.NotEmpty(t, found.escapes)
	name := t.TempDir() + "/soundness.jsonl"
	require.NoError(t, save(name, found.escapes, 7))
	saved, err := readCommands(name)
	require.NoError(t, err)
	require.Contains(t, saved, found.escapes[0].command)
	queries, err := readQueries(name)
	require.NoError(t, err)
	assert.Equal(t, found.escapes[0].env, queries[0].env)
	assert.Contains(t, found.escapes[0].describe(7), "seed 7")
	short := false
	for _, f := range found.escapes {
		short = short || len(f.command) < 12
	}
	assert.True(t, short, "a command such as `ls;id` is sufficient: %q", saved)
}

func TestTheSameSeedGeneratesTheSameCommands(t *testing.T) {
	t.Parallel()
	corpus := []string{"git status", "ls | wc -l"}
	distinct := map[string]bool{}
	for position := range uint64(200) {
		q := newGenerator(3, position, corpus, stubs()).query()
		assert.Equal(t, q, newGenerator(3, position, corpus, stubs()).query())
		distinct[q.command] = true
	}
	assert.Greater(t, len(distinct), 150)
}
