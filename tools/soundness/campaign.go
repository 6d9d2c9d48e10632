//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// campaign is a number of commands from one seed.
type campaign struct {
	n       int
	seed    uint64
	shells  []string // "" means all
	workers int
	corpus  []string
	first   []question  // asked unchanged before the others, by a different agent each time
	most    confinement // the strongest confinement to use
	kit     *kit        // nil makes one
	// runner runs in bash what gavel run makes of exec.command, with every program from a copy.
	runner bool
	// gavel is the program gavel if each command is to run through it, and not in a shell; "" if not.
	gavel string
	// plant, if set, replaces the decider. Tests use it to plant holes.
	plant func(decider, world) decider
	// progress is called for each escape; it may be nil.
	progress func(string)
	// enough ends the campaign at the first escape for which it returns true, and no escape is
	// shrunk. If it is nil, every command is tried.
	enough func(finding) bool
}

// result is what a campaign found.
type result struct {
	tally   *tally
	escapes []finding
	// originals are original texts that ran a forbidden program. They break no promise:
	// exec.command exists because of them.
	originals []finding
	shells    []string
	missing   []string
	level     confinement
}

// errNoShell says that there is no shell to check with.
var errNoShell = errors.New("no shell was found: run `make soundness-tools`")

// mostShrunk limits how many findings are shrunk, because a real hole causes hundreds.
const mostShrunk = 5

// run runs the campaign.
func (c campaign) run(ctx context.Context) (result, error) {
	found, missing := shells(c.shells)
	r := result{tally: newTally(), missing: missing, level: min(c.most, confined(ctx))}
	if len(found) == 0 {
		return r, errNoShell
	}
	dir, err := os.MkdirTemp("", "gavel-soundness-")
	if err != nil {
		return r, fmt.Errorf("create a directory for the roots: %w", err)
	}
	defer os.RemoveAll(dir)
	if c.kit == nil {
		if c.kit, err = newKit(ctx); err != nil {
			return r, err
		}
	}
	w := workers{campaign: c, dir: dir, found: found, result: &r, probes: probes{speak(ctx, found)}}
	if err := w.usable(ctx); err != nil {
		return r, err
	}
	err = w.all(ctx)
	slices.SortFunc(r.escapes, func(a, b finding) int { return int(a.position) - int(b.position) })
	return r, err
}

// workers divide the positions of a campaign among themselves. Each has its own root.
type workers struct {
	campaign
	dir    string
	found  []shell
	next   atomic.Uint64
	ended  atomic.Bool // an escape satisfied enough
	probes probes
	mu     sync.Mutex // protects the fields below
	result *result
}

// usable returns the shells that start in a root; a shell may lack a library there.
func (w *workers) usable(ctx context.Context) error {
	j, err := newJail(ctx, w.dir, w.kit.stub, w.result.level, w.found, stubs())
	if err != nil {
		return err
	}
	w.found = slices.DeleteFunc(w.found, func(sh shell) bool {
		did, err := j.run(ctx, sh, j.view+"/usr/bin/true", setting{}, 10*time.Second)
		if err != nil || len(did.ran) != 1 || len(did.wrote) > 0 {
			w.result.missing = append(w.result.missing, sh.name)
			return true
		}
		w.result.shells = append(w.result.shells, sh.name)
		return false
	})
	if len(w.found) == 0 {
		err = errNoShell
	}
	return errors.Join(err, j.close())
}

func (w *workers) all(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, max(1, w.workers))
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			if errs[i] = w.work(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func (w *workers) work(ctx context.Context) error {
	j, err := newJail(ctx, w.dir, w.kit.stub, w.result.level, w.found, stubs())
	if err != nil {
		return err
	}
	if err := j.isolate(); err != nil {
		return err
	}
	h := &harness{world: newWorld(j.view, w.seed), shells: w.found, limit: 5 * time.Second, runner: w.runner}
	if h.decide, err = w.decider(ctx, h.world, j.dir); err != nil {
		return err
	}
	if w.gavel != "" {
		home, err := os.MkdirTemp(w.dir, "gavel-")
		if err != nil {
			return fmt.Errorf("create a directory for gavel: %w", err)
		}
		if h.through, err = newThrough(w.gavel, home, j, h.world); err != nil {
			return err
		}
	}
	total := uint64(w.n + len(w.first))
	for position := w.next.Add(1) - 1; position < total && !w.ended.Load(); position = w.next.Add(1) - 1 {
		if err := w.one(ctx, h, j, position); err != nil {
			return err
		}
	}
	return nil
}

// decider returns the decider for a world in the root at dir.
func (w *workers) decider(ctx context.Context, world world, dir string) (decider, error) {
	home, err := os.MkdirTemp(w.dir, "policy-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for the policy: %w", err)
	}
	decide, err := gavelDecides(ctx, w.kit, world, dir, home)
	if err == nil && w.plant != nil {
		decide = w.plant(decide, world)
	}
	return decide, err
}

// one generates the command of a position, checks it, and records escapes.
func (w *workers) one(ctx context.Context, h *harness, j *jail, position uint64) error {
	g := newGenerator(w.seed, position, w.corpus, stubs())
	g.probes = w.probes
	q := g.question()
	if position < uint64(len(w.first)) {
		first := w.first[position]
		q.command, q.env, q.workdir, q.pty = first.command, first.env, first.workdir, first.pty
	}
	w.result.tally.command()
	found, err := h.command(ctx, j, q, w.result.tally)
	if err != nil {
		return fmt.Errorf("seed %d, command %d, %q: %w", w.seed, position, q.command, err)
	}
	for _, f := range found {
		if w.ended.Load() {
			break
		}
		f.position = position
		if err := w.keep(ctx, h, j, f); err != nil {
			return err
		}
	}
	return nil
}

// keep shrinks an escape and adds it to the result.
func (w *workers) keep(ctx context.Context, h *harness, j *jail, f finding) error {
	kept := &w.result.escapes
	if f.original {
		kept = &w.result.originals
	}
	w.mu.Lock()
	enough := !f.original && w.enough != nil && w.enough(f)
	shrink := w.enough == nil && len(*kept) < mostShrunk && w.gavel == ""
	w.mu.Unlock()
	if shrink {
		i := slices.IndexFunc(w.found, func(sh shell) bool { return sh.name == f.shell })
		var err error
		if f, err = h.shrink(ctx, j, f, w.found[i]); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	*kept = append(*kept, f)
	if enough {
		w.ended.Store(true)
	}
	if shrink && w.progress != nil {
		w.progress(f.describe(w.seed))
	}
	return nil
}

// describe returns everything that is needed to reproduce an escape.
func (f finding) describe(seed uint64) string {
	var text strings.Builder
	title, what := "ESCAPE", "exec.command"
	if f.original {
		title, what = "note", "the original text"
	}
	fmt.Fprintf(&text, "%s: %s (%s in %s, asked for %s as %s; seed %d, command %d)\n  command  %q\n  ran as   %q\n",
		title, f.problem, what, f.shell, f.dialect, f.agent, seed, f.position, f.command, f.ran)
	if f.workdir != "" {
		fmt.Fprintf(&text, "  workdir  %q\n", f.workdir)
	}
	if f.pty {
		text.WriteString("  pty      true\n")
	}
	if len(f.env) > 0 {
		fmt.Fprintf(&text, "  env      %q\n", f.env)
	}
	for _, segment := range f.segments {
		fmt.Fprintf(&text, "  allowed  %q\n", whole(segment))
	}
	for _, ran := range f.did.ran {
		fmt.Fprintf(&text, "  executed %s\n", ran)
	}
	for _, name := range f.did.wrote {
		fmt.Fprintf(&text, "  changed  %s\n", name)
	}
	return text.String()
}

// save adds escaped commands to a file of regressions. Every later campaign runs them first,
// and unchanged.
func save(name string, escapes []finding, seed uint64) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("save escapes: %w", err)
	}
	seen := map[string]bool{}
	for _, f := range escapes {
		if seen[f.command] {
			continue
		}
		seen[f.command] = true
		line, err := json.Marshal(map[string]any{"command": f.command, "dialect": f.dialect, "shell": f.shell, "problem": f.problem, "seed": seed, "env": f.env, "workdir": f.workdir, "pty": f.pty})
		if err != nil {
			return errors.Join(fmt.Errorf("save escapes: %w", err), file.Close())
		}
		if _, err := file.Write(append(line, '\n')); err != nil {
			return errors.Join(fmt.Errorf("save escapes: %w", err), file.Close())
		}
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("save escapes: %w", err)
	}
	return nil
}
