package analyzer

import (
	"context"
	"slices"
	"strings"
)

// The limits on the work for one call. What lies behind one was not looked at, and a
// fact says so; the policy denies such a call.
const (
	maxPath    = 4096 // bytes of a path, as on Linux
	maxParts   = 256  // names in a path
	maxLookups = 8192 // different questions to the host
)

// The names of the limits, as [gavel.Facts] has them.
const (
	exceededLookups = "lookups"
	exceededPath    = "path"
	exceededTime    = "time"
)

// budget is the work that is left for one call. It is for one goroutine.
type budget struct {
	left     int
	ended    func() bool // nobody waits for the answer any more
	exceeded []string
}

func newBudget(ctx context.Context) *budget {
	return &budget{left: maxLookups, ended: func() bool { return ctx.Err() != nil }, exceeded: []string{}}
}

// exceed notes a limit that was met.
func (b *budget) exceed(limit string) {
	if !slices.Contains(b.exceeded, limit) {
		b.exceeded = append(b.exceeded, limit)
		slices.Sort(b.exceeded)
	}
}

// over reports whether there is no time left.
func (b *budget) over() bool {
	if b.ended() {
		b.exceed(exceededTime)
		return true
	}
	return false
}

// spend takes one look-up off, and reports whether it may be made.
func (b *budget) spend() bool {
	if b.over() {
		return false
	}
	if b.left == 0 {
		b.exceed(exceededLookups)
		return false
	}
	b.left--
	return true
}

// fits reports whether a path is short enough to be looked up.
func (b *budget) fits(path string) bool {
	if longPath(path) {
		b.exceed(exceededPath)
		return false
	}
	return true
}

// longPath reports whether a text is too long for a path.
func longPath(path string) bool { return len(path) > maxPath || strings.Count(path, "/") > maxParts }

// watchedHost asks a host each question once, as long as there is budget; after that
// nothing exists.
type watchedHost struct {
	host    Host
	budget  *budget
	named   map[string]answerOf[Program]
	absent  map[string]bool
	at      map[string]answerOf[Program]
	scripts map[string]answerOf[Script]
	reals   map[string]answerOf[string]
	kinds   map[string]Kind
}

type answerOf[T any] struct {
	value T
	ok    bool
}

func watched(host Host, b *budget) *watchedHost {
	return &watchedHost{host: host, budget: b, named: map[string]answerOf[Program]{}, absent: map[string]bool{},
		at: map[string]answerOf[Program]{}, scripts: map[string]answerOf[Script]{}, reals: map[string]answerOf[string]{},
		kinds: map[string]Kind{}}
}

// once returns what is remembered under a key, or asks.
func once[T any](w *watchedHost, memory map[string]answerOf[T], key string, ask func() (T, bool)) (T, bool) {
	if known, ok := memory[key]; ok {
		return known.value, known.ok
	}
	var answer answerOf[T]
	if w.budget.fits(key) && w.budget.spend() {
		answer.value, answer.ok = ask()
	}
	memory[key] = answer
	return answer.value, answer.ok
}

// Named implements [Host]. The search path is the same for a whole call, once it is
// known.
func (w *watchedHost) Named(name string, searchPath []string) (Program, bool) {
	return once(w, w.named, name, func() (Program, bool) { return w.host.Named(name, searchPath) })
}

// Absent implements [Host].
func (w *watchedHost) Absent(name string, searchPath []string) bool {
	known, ok := w.absent[name]
	if !ok {
		known = w.budget.spend() && w.host.Absent(name, searchPath)
		w.absent[name] = known
	}
	return known
}

// At implements [Host].
func (w *watchedHost) At(absolute string) (Program, bool) {
	return once(w, w.at, absolute, func() (Program, bool) { return w.host.At(absolute) })
}

// Script implements [Host].
func (w *watchedHost) Script(absolute string) (Script, bool) {
	return once(w, w.scripts, absolute, func() (Script, bool) { return w.host.Script(absolute) })
}

// Resolve implements [Host].
func (w *watchedHost) Resolve(absolute string) (string, bool) {
	return once(w, w.reals, absolute, func() (string, bool) { return w.host.Resolve(absolute) })
}

// Kind implements [Host].
func (w *watchedHost) Kind(absolute string) Kind {
	known, ok := w.kinds[absolute]
	if !ok && w.budget.fits(absolute) && w.budget.spend() {
		known = w.host.Kind(absolute)
		w.kinds[absolute] = known
	}
	return known
}

// List implements [lister], for a host that can be listed.
func (w *watchedHost) List(dir string) ([]string, bool) {
	host, ok := w.host.(lister)
	if !ok || !w.budget.fits(dir) || !w.budget.spend() {
		return nil, false
	}
	return host.List(dir)
}

// Program implements [reader], for a host whose programs can be looked into.
func (w *watchedHost) Program(real string) (sha256, interpreter string) {
	host, ok := w.host.(reader)
	if !ok || !w.budget.fits(real) || !w.budget.spend() {
		return "", ""
	}
	return host.Program(real)
}
