package host

import "context"

// Limited is a host for one call: it makes each lookup once, caches the result, and has a budget.
// When the budget is used up, nothing exists. It must not be used concurrently.
type Limited struct {
	budget
	host     Host
	matching NameMatching // how the host compares names
	named    cache[result[Program]]
	absent   cache[bool]
	at       cache[result[Program]]
	scripts  cache[result[Script]]
	reals    cache[result[string]]
	files    cache[result[file]]
	kinds    cache[Kind]
}

var _ Host = (*Limited)(nil)

type result[T any] struct {
	value T
	ok    bool
}

// maxSearched is the number of entries up to which a cache is searched linearly.
const maxSearched = 16

// cache holds the results of one kind of lookup, by key. Most calls make so few lookups that a list
// is faster than a map.
type cache[T any] struct {
	few  []cached[T]
	many map[string]T
}

type cached[T any] struct {
	key    string
	answer T
}

func (m *cache[T]) get(key string) (T, bool) {
	for i := range m.few {
		if m.few[i].key == key {
			return m.few[i].answer, true
		}
	}
	answer, ok := m.many[key]
	return answer, ok
}

// clear drops all results, and keeps the memory of a few.
func (m *cache[T]) clear() {
	clear(m.few)
	m.few, m.many = m.few[:0], nil
}

func (m *cache[T]) put(key string, answer T) {
	switch {
	case len(m.few) < maxSearched:
		m.few = append(m.few, cached[T]{key, answer})
	case m.many == nil:
		m.many = map[string]T{key: answer}
	default:
		m.many[key] = answer
	}
}

// Limit returns a host with the full budget of one call. The budget also ends with the context.
func Limit(ctx context.Context, host Host) *Limited {
	w := new(Limited)
	w.Reset(ctx, host)
	return w
}

// Reset prepares w for a call, as [Limit] does. w must be new, or have been released.
func (w *Limited) Reset(ctx context.Context, host Host) { w.budget, w.host = newBudget(ctx), host }

// Release drops everything about the current call, and keeps memory for the next one.
func (w *Limited) Release() {
	w.named.clear()
	w.absent.clear()
	w.at.clear()
	w.scripts.clear()
	w.reals.clear()
	w.files.clear()
	w.kinds.clear()
	w.budget, w.host, w.matching = budget{}, nil, MatchExact
}

// SetNameMatching sets how the file systems of the host compare names. A path that may be another
// spelling of a different path does not resolve.
func (w *Limited) SetNameMatching(reads NameMatching) { w.matching = reads }

// SearchFirst puts directories in front of the search path. Earlier results for names are
// dropped, but the budget is not restored.
func (w *Limited) SearchFirst(dirs []string) {
	host := w.host
	if claims, ok := host.(Claimed); ok {
		claims.searchFirst = dirs
		host = claims
	}
	*w = Limited{budget: w.budget, host: host, matching: w.matching}
}

// lookup returns the cached result for a key, or calls ask, if the budget permits.
func lookup[T any](w *Limited, m *cache[result[T]], key string, ask func() (T, bool)) (T, bool) {
	if known, ok := m.get(key); ok {
		return known.value, known.ok
	}
	var answer result[T]
	if w.FitsPath(key) && w.spend() {
		answer.value, answer.ok = ask()
	}
	m.put(key, answer)
	return answer.value, answer.ok
}

// Named implements [Host]. The search path must be the same for the whole call, once it is known.
func (w *Limited) Named(name string, searchPath []string) (Program, bool) {
	return lookup(w, &w.named, name, func() (Program, bool) { return w.host.Named(name, searchPath) })
}

// Absent implements [Host].
func (w *Limited) Absent(name string, searchPath []string) bool {
	known, ok := w.absent.get(name)
	if !ok {
		known = w.spend() && w.host.Absent(name, searchPath)
		w.absent.put(name, known)
	}
	return known
}

// At implements [Host].
func (w *Limited) At(absolute string) (Program, bool) {
	return lookup(w, &w.at, absolute, func() (Program, bool) { return w.host.At(absolute) })
}

// Script implements [Host].
func (w *Limited) Script(absolute string) (Script, bool) {
	return lookup(w, &w.scripts, absolute, func() (Script, bool) { return w.host.Script(absolute) })
}

// Resolve implements [Host].
func (w *Limited) Resolve(absolute string) (string, bool) {
	return lookup(w, &w.reals, absolute, func() (string, bool) {
		if w.matching.MayAlias(absolute) {
			return "", false
		}
		return w.host.Resolve(absolute)
	})
}

// Kind implements [Host].
func (w *Limited) Kind(absolute string) Kind {
	known, ok := w.kinds.get(absolute)
	if !ok && w.FitsPath(absolute) && w.spend() {
		known = w.host.Kind(absolute)
		w.kinds.put(absolute, known)
	}
	return known
}

// File implements [Host].
func (w *Limited) File(real string) (size int64, names int, ok bool) {
	known, ok := lookup(w, &w.files, real, func() (file, bool) {
		size, names, ok := w.host.File(real)
		return file{size, names}, ok
	})
	return known.size, known.names, ok
}

// file is an answer of File.
type file struct {
	size  int64
	names int
}

// List implements [Host].
func (w *Limited) List(dir string) ([]string, bool) {
	if !w.FitsPath(dir) || !w.spend() {
		return nil, false
	}
	return w.host.List(dir)
}

// Entries implements [Host]. It does not use up the budget of lookups: callers bound how many entries
// they read.
func (w *Limited) Entries(dir string, limit int) ([]Entry, bool) {
	if w.TimedOut() || PathTooLong(dir) {
		return nil, false
	}
	return w.host.Entries(dir, limit)
}

// Text implements [Host]. It does not use up the budget of lookups either.
func (w *Limited) Text(absolute string, limit int) (string, bool) {
	if w.TimedOut() || PathTooLong(absolute) {
		return "", false
	}
	return w.host.Text(absolute, limit)
}

// Program implements [Host].
func (w *Limited) Program(real string) (sha256, interpreter string) {
	if !w.FitsPath(real) || !w.spend() {
		return "", ""
	}
	return w.host.Program(real)
}

// View implements [Host].
func (w *Limited) View() Host { return w }
