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

// harness decides queries and runs commands that were allowed.
type harness struct {
	world       world
	decide      decider
	shells      []shell
	limit       time.Duration // time limit of one run
	runner      bool          // as in campaign
	gavelRunner *gavelRunner  // nil means that shells run the commands
}

// finding is an escape.
type finding struct {
	query
	position uint64
	shell    string
	original bool   // the original text ran, not exec.command
	ran      string // the text that ran
	segments []gavel.ExecSegment
	did      outcome
	problem  string
}

// dialects returns the shells that a call may name.
func dialects() []string { return []string{"bash", "sh", "dash", "ash", "mksh", "ksh", "zsh"} }

// trial checks one command in one root.
type trial struct {
	*harness
	jail  *jail
	tally *tally
	seen  map[string]bool // runs by shell.key, so that none is repeated for another dialect
}

// check decides a query in every dialect, runs what was allowed, and returns the escapes.
func (h *harness) check(ctx context.Context, j *jail, q query, t *tally) ([]finding, error) {
	attempt := trial{harness: h, jail: j, tally: t, seen: map[string]bool{}}
	var found []finding
	for _, dialect := range dialects() {
		q.dialect = dialect
		decision := h.decide(ctx, q)
		t.decided(dialect, decision)
		if decision.Effect != gavel.Allow || decision.Exec == nil {
			continue
		}
		if h.gavelRunner != nil {
			more, err := attempt.runThroughGavel(ctx, q, &decision)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
			continue
		}
		for _, sh := range h.shells {
			more, err := attempt.runAllowed(ctx, sh, q, &decision)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
	}
	return found, nil
}

// runAllowed runs an allowed command twice in a shell: as exec.command and as the original text.
func (t *trial) runAllowed(ctx context.Context, sh shell, q query, decision *gavel.Decision) ([]finding, error) {
	plan := decision.Exec
	var found []finding
	for _, original := range []bool{false, true} {
		text := plan.Command
		if original {
			text = q.command
		}
		copied := t.runner && !original && sh.name == "bash" && q.dialect == "bash"
		if copied {
			text = t.world.withCopies(plan)
		}
		as := sh.forDialect(q.dialect)
		if !sh.accepts(q.dialect, original || t.world.unrestricted[q.agent]) || t.seen[as.key(text, original, plan)] || !t.runnable(text, original) {
			continue
		}
		t.seen[as.key(text, original, plan)] = true
		did, err := t.run(ctx, as, text, setting{plan.Env, q.workdir, q.pty})
		if err != nil {
			return nil, err
		}
		if copied {
			t.world.restoreNames(&did)
		}
		problem := t.world.compare(q.agent, decision, did, original)
		t.tally.compared(original, problem)
		if escaped(problem) && (!original || problem == ranForbidden) {
			found = append(found, finding{query: q, shell: sh.name, original: original, ran: text,
				segments: plan.Segments, did: did, problem: problem})
		}
	}
	return found, nil
}

// run runs a text. If it exceeds the time limit, run repeats it once with a longer limit.
func (t *trial) run(ctx context.Context, sh shell, text string, at setting) (outcome, error) {
	did, err := t.jail.run(ctx, sh, text, at, t.limit)
	if err == nil && did.timeout {
		t.tally.timeout()
		did, err = t.jail.run(ctx, sh, text, at, 4*t.limit)
	}
	t.tally.executed(sh.name, did)
	return did, err
}

// runnable reports whether a text may run. A run that is not confined has access to the machine, so
// it may only run an exec.command that names no path outside the root.
func (t *trial) runnable(text string, original bool) bool {
	if strings.ContainsRune(text, 0) {
		t.tally.skip()
		return false // no argument of a program can contain NUL
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

// accepts reports whether this shell runs texts of a dialect.
func (s shell) accepts(dialect string, original bool) bool {
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

// key identifies a run.
func (s shell) key(text string, original bool, plan *gavel.Exec) string {
	return fmt.Sprintf("%q", []any{s.name, s.options, original, text, plan.Segments})
}

// forDialect returns the shell with the options for a dialect: bash as sh uses another grammar.
func (s shell) forDialect(dialect string) shell {
	if s.name == "bash" && dialect == "sh" {
		s.options = append([]string{"--posix"}, s.options...)
	}
	return s
}

// shrink shortens the command of a finding as long as it still escapes in the same way. It first
// removes long parts, then single characters.
func (h *harness) shrink(ctx context.Context, j *jail, f finding, sh shell) (finding, error) {
	budget := 300
	for size := len(f.command) / 2; size > 0; size /= 2 {
		for at := 0; at < len(f.command); {
			end := min(at+size, len(f.command))
			if budget--; budget < 0 {
				return f, nil
			}
			shorter, err := h.retry(ctx, j, f, sh, f.command[:at]+f.command[end:])
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

// retry returns the finding for another command, or nil if that does not escape in the same way.
func (h *harness) retry(ctx context.Context, j *jail, f finding, sh shell, command string) (*finding, error) {
	q := f.query
	q.command = command
	decision := h.decide(ctx, q)
	if decision.Effect != gavel.Allow || decision.Exec == nil {
		return nil, nil
	}
	attempt := trial{harness: h, jail: j, tally: newTally(), seen: map[string]bool{}}
	found, err := attempt.runAllowed(ctx, sh, q, &decision)
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
