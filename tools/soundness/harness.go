//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gavel"
)

// harness decides commands and runs those that were allowed.
type harness struct {
	world   world
	decide  decider
	shells  []shell
	limit   time.Duration // time limit of one run
	runner  bool          // as in campaign
	through *through      // nil runs no program gavel
}

// finding is an escape: the question, the text and shell that ran, and what happened.
type finding struct {
	question
	position uint64
	shell    string
	original bool // the original text, not exec.command
	ran      string
	segments []gavel.ExecSegment
	did      outcome
	problem  string
}

// dialects are the values that a call may use for its shell.
func dialects() []string { return []string{"bash", "sh", "dash", "ash", "mksh", "ksh", "zsh"} }

// trial is one command in one root. Each shell runs a text only once, even if several dialects
// allow it.
type trial struct {
	*harness
	jail  *jail
	tally *tally
	known map[string]bool
}

// command decides in every dialect, runs what was allowed, and returns the escapes.
func (h *harness) command(ctx context.Context, j *jail, q question, t *tally) ([]finding, error) {
	one := trial{harness: h, jail: j, tally: t, known: map[string]bool{}}
	var found []finding
	for _, dialect := range dialects() {
		q.dialect = dialect
		decision := h.decide(ctx, q)
		t.decided(dialect, decision)
		if decision.Effect != gavel.Allow || decision.Exec == nil {
			continue
		}
		if h.through != nil {
			more, err := one.throughGavel(ctx, q, &decision)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
			continue
		}
		for _, sh := range h.shells {
			more, err := one.allowed(ctx, sh, q, &decision)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
	}
	return found, nil
}

// allowed runs an allowed command in one shell, twice: as exec.command and as the original
// text.
func (t *trial) allowed(ctx context.Context, sh shell, q question, decision *gavel.Decision) ([]finding, error) {
	plan := decision.Exec
	var found []finding
	for _, original := range []bool{false, true} {
		text := plan.Command
		if original {
			text = q.command
		}
		copied := t.runner && !original && sh.name == "bash" && q.dialect == "bash"
		if copied {
			text = t.world.copied(plan)
		}
		as := sh.as(q.dialect)
		if !sh.runs(q.dialect, original || t.world.opened[q.agent]) || t.known[as.key(text, original, plan)] || !t.runnable(text, original) {
			continue
		}
		t.known[as.key(text, original, plan)] = true
		did, err := t.run(ctx, as, text, setting{plan.Env, q.workdir, q.pty})
		if err != nil {
			return nil, err
		}
		if copied {
			t.world.named(&did)
		}
		problem := t.world.compare(q.agent, decision, did, original)
		t.tally.compared(original, problem)
		if escaped(problem) && (!original || problem == ranForbidden) {
			found = append(found, finding{question: q, shell: sh.name, original: original, ran: text,
				segments: plan.Segments, did: did, problem: problem})
		}
	}
	return found, nil
}

// run runs a text. A run that exceeds its time limit is repeated with a longer one.
func (t *trial) run(ctx context.Context, sh shell, text string, at setting) (outcome, error) {
	did, err := t.jail.run(ctx, sh, text, at, t.limit)
	if err == nil && did.timeout {
		t.tally.late()
		did, err = t.jail.run(ctx, sh, text, at, 4*t.limit)
	}
	t.tally.executed(sh.name, did)
	return did, err
}

// runnable reports whether a text may be run here. Without its own root, a run has access to
// the machine. Then only exec.command is run, and only if it names no path outside the root.
func (t *trial) runnable(text string, original bool) bool {
	if strings.ContainsRune(text, 0) {
		t.tally.skip()
		return false // no program can receive such a word
	}
	if t.jail.level != bare {
		return true
	}
	others := strings.ReplaceAll(text, t.world.view+"/", "")
	if original || strings.Contains(strings.ReplaceAll(others, "usr/bin/", ""), "/") {
		t.tally.skip()
		return false
	}
	return true
}

// runs reports whether this shell is used for the texts of a dialect.
func (s shell) runs(dialect string, original bool) bool {
	for _, reads := range s.reads {
		if reads == dialect {
			return true
		}
	}
	for _, renders := range s.renders {
		if renders == dialect && !original {
			return true
		}
	}
	return false
}

// key identifies a run for comparisons.
func (s shell) key(text string, original bool, plan *gavel.Exec) string {
	return fmt.Sprintf("%q", []any{s.name, s.options, original, text, plan.Segments})
}

// as returns the shell under the name of a dialect: bash that is called sh uses a different
// grammar.
func (s shell) as(dialect string) shell {
	if s.name == "bash" && dialect == "sh" {
		s.options = append([]string{"--posix"}, s.options...)
	}
	return s
}

// shrink shortens a finding's command for as long as it escapes in the same way: first by long
// stretches, then by single characters.
func (h *harness) shrink(ctx context.Context, j *jail, f finding, sh shell) (finding, error) {
	budget := 300
	for size := len(f.command) / 2; size > 0; size /= 2 {
		for at := 0; at < len(f.command); {
			end := min(at+size, len(f.command))
			if budget--; budget < 0 {
				return f, nil
			}
			shorter, err := h.again(ctx, j, f, sh, f.command[:at]+f.command[end:])
			if err != nil {
				return f, err
			}
			if shorter == nil {
				at = end
				continue
			}
			f = *shorter
		}
	}
	return f, nil
}

// again returns the finding for another command, or nil if that does not escape.
func (h *harness) again(ctx context.Context, j *jail, f finding, sh shell, command string) (*finding, error) {
	q := f.question
	q.command = command
	decision := h.decide(ctx, q)
	if decision.Effect != gavel.Allow || decision.Exec == nil {
		return nil, nil
	}
	one := trial{harness: h, jail: j, tally: newTally(), known: map[string]bool{}}
	found, err := one.allowed(ctx, sh, q, &decision)
	if err != nil {
		return nil, errors.Join(errors.New("shrink"), err)
	}
	for _, other := range found {
		if other.original == f.original && other.problem == f.problem {
			other.position = f.position
			return &other, nil
		}
	}
	return nil, nil
}
