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

// campaign checks commands that are generated from a seed.
type campaign struct {
	n              int
	seed           uint64
	shells         []string // empty means all that are installed
	workers        int
	corpus         []string
	first          []query     // checked before the generated commands, each for a random agent
	maxConfinement confinement // the strongest confinement to use
	kit            *kit        // nil means a new one
	// runner says that bash runs the text that gavel run makes of exec.command when it must run every
	// program from a copy.
	runner bool
	// gavel is the program gavel. If it is set, commands run through gavel run instead of a shell.
	gavel string
	// plant, if set, replaces the decider. Tests plant holes with it.
	plant func(decider, world) decider
	// progress is called with the description of each escape. It may be nil.
	progress func(string)
	// stopAt ends the campaign at the first escape for which it returns true. If it is set, escapes
	// are not shrunk.
	stopAt func(finding) bool
}

// result is the result of a campaign.
type result struct {
	tally   *tally
	escapes []finding
	// originals contains original texts that ran a forbidden program. They break no promise, because
	// only exec.command may be run.
	originals []finding
	shells    []string // that were used
	missing   []string // shells
	level     confinement
}

// errNoShell means that no shell is installed that runs in a root.
var errNoShell = errors.New("no shell was found: run `make soundness-tools`")

// maxShrunk limits the number of findings that are shrunk, because a real hole causes hundreds.
const maxShrunk = 5

// run runs the campaign.
func (c campaign) run(ctx context.Context) (result, error) {
	found, missing := shells(c.shells)
	r := result{tally: newTally(), missing: missing, level: min(c.maxConfinement, strongestConfinement(ctx))}
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
	w := workers{campaign: c, dir: dir, found: found, result: &r, probes: probes{readVocabulary(ctx, found)}}
	if err := w.dropUnusableShells(ctx); err != nil {
		return r, err
	}
	err = w.runAll(ctx)
	slices.SortFunc(r.escapes, func(a, b finding) int { return int(a.position) - int(b.position) })
	return r, err
}

// workers check the commands of a campaign in parallel. Each worker has its own root.
type workers struct {
	campaign
	dir     string
	found   []shell
	next    atomic.Uint64
	stopped atomic.Bool // stopAt returned true
	probes  probes
	mu      sync.Mutex // protects the fields below
	result  *result
}

// dropUnusableShells removes the shells that do not work in a root, for example because a library is
// missing there.
func (w *workers) dropUnusableShells(ctx context.Context) error {
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

func (w *workers) runAll(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, max(1, w.workers))
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			if errs[i] = w.runWorker(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func (w *workers) runWorker(ctx context.Context) error {
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
		if h.gavelRunner, err = newGavelRunner(w.gavel, home, j, h.world); err != nil {
			return err
		}
	}
	total := uint64(w.n + len(w.first))
	for position := w.next.Add(1) - 1; position < total && !w.stopped.Load(); position = w.next.Add(1) - 1 {
		if err := w.check(ctx, h, j, position); err != nil {
			return err
		}
	}
	return nil
}

// decider returns the decider for the root at dir.
func (w *workers) decider(ctx context.Context, world world, dir string) (decider, error) {
	home, err := os.MkdirTemp(w.dir, "policy-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for the policy: %w", err)
	}
	decide, err := newGavelDecider(ctx, w.kit, world, dir, home)
	if err == nil && w.plant != nil {
		decide = w.plant(decide, world)
	}
	return decide, err
}

// check checks the command of a position and records escapes.
func (w *workers) check(ctx context.Context, h *harness, j *jail, position uint64) error {
	g := newGenerator(w.seed, position, w.corpus, stubs())
	g.probes = w.probes
	q := g.query()
	if position < uint64(len(w.first)) {
		first := w.first[position]
		q.command, q.env, q.workdir, q.pty = first.command, first.env, first.workdir, first.pty
	}
	w.result.tally.command()
	found, err := h.check(ctx, j, q, w.result.tally)
	if err != nil {
		return fmt.Errorf("seed %d, command %d, %q: %w", w.seed, position, q.command, err)
	}
	for _, f := range found {
		if w.stopped.Load() {
			break
		}
		f.position = position
		if err := w.record(ctx, h, j, f); err != nil {
			return err
		}
	}
	return nil
}

// record shrinks an escape and adds it to the result.
func (w *workers) record(ctx context.Context, h *harness, j *jail, f finding) error {
	list := &w.result.escapes
	if f.original {
		list = &w.result.originals
	}
	w.mu.Lock()
	stop := !f.original && w.stopAt != nil && w.stopAt(f)
	shrink := w.stopAt == nil && len(*list) < maxShrunk && w.gavel == ""
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
	*list = append(*list, f)
	if stop {
		w.stopped.Store(true)
	}
	if shrink && w.progress != nil {
		w.progress(f.describe(w.seed))
	}
	return nil
}

// describe returns a text with everything that is needed to reproduce an escape.
func (f finding) describe(seed uint64) string {
	var text strings.Builder
	title, what := "ESCAPE", "exec.command"
	if f.original {
		title, what = "note", "the original text"
	}
	fmt.Fprintf(&text, "%s: %s (%s in %s, decided for %s and %s; seed %d, command %d)\n  command  %q\n  ran as   %q\n",
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
		fmt.Fprintf(&text, "  allowed  %q\n", fullWords(segment))
	}
	for _, ran := range f.did.ran {
		fmt.Fprintf(&text, "  executed %s\n", ran)
	}
	for _, name := range f.did.wrote {
		fmt.Fprintf(&text, "  changed  %s\n", name)
	}
	return text.String()
}

// save appends escaped commands to a file of regressions, which later campaigns check first.
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
