package host

import "context"

// Watched is a host that answers each question once and remembers the answer. When the budget is
// used up, nothing exists. It must not be used concurrently.
type Watched struct {
	budget
	host    Host
	reads   Reads // how names are read there
	named   memory[answerOf[Program]]
	absent  memory[bool]
	at      memory[answerOf[Program]]
	scripts memory[answerOf[Script]]
	reals   memory[answerOf[string]]
	files   memory[answerOf[file]]
	kinds   memory[Kind]
}

var _ Host = (*Watched)(nil)

type answerOf[T any] struct {
	value T
	ok    bool
}

// maxFew is the number of questions up to which they are searched one by one.
const maxFew = 16

// memory holds the answers by question. Most calls ask so few questions that a list is faster
// than a map.
type memory[T any] struct {
	few  []answered[T]
	many map[string]T
}

type answered[T any] struct {
	question string
	answer   T
}

func (m *memory[T]) get(question string) (T, bool) {
	for i := range m.few {
		if m.few[i].question == question {
			return m.few[i].answer, true
		}
	}
	answer, ok := m.many[question]
	return answer, ok
}

// forget drops all answers, and keeps room for a few.
func (m *memory[T]) forget() {
	clear(m.few)
	m.few, m.many = m.few[:0], nil
}

func (m *memory[T]) put(question string, answer T) {
	switch {
	case len(m.few) < maxFew:
		m.few = append(m.few, answered[T]{question, answer})
	case m.many == nil:
		m.many = map[string]T{question: answer}
	default:
		m.many[question] = answer
	}
}

// Watch returns a host with the full budget of one call. The budget also ends with the context.
func Watch(ctx context.Context, host Host) *Watched {
	w := new(Watched)
	w.Watch(ctx, host)
	return w
}

// Watch makes w what the function returns: for its first call, or for another one after Forget.
func (w *Watched) Watch(ctx context.Context, host Host) { w.budget, w.host = newBudget(ctx), host }

// Forget ends a call. Nothing of it is left, except for room.
func (w *Watched) Forget() {
	w.named.forget()
	w.absent.forget()
	w.at.forget()
	w.scripts.forget()
	w.reals.forget()
	w.files.forget()
	w.kinds.forget()
	w.budget, w.host, w.reads = budget{}, nil, ReadsExactly
}

// Reading says how the file systems there read names. A path that they may read as another name
// leads nowhere known.
func (w *Watched) Reading(reads Reads) { w.reads = reads }

// SearchFirst puts directories in front of the search path. Earlier results for names are
// dropped, but the budget is not restored.
func (w *Watched) SearchFirst(dirs []string) {
	host := w.host
	if claims, ok := host.(Claimed); ok {
		claims.first = dirs
		host = claims
	}
	*w = Watched{budget: w.budget, host: host, reads: w.reads}
}

// once returns the remembered answer to a question, or asks.
func once[T any](w *Watched, m *memory[answerOf[T]], question string, ask func() (T, bool)) (T, bool) {
	if known, ok := m.get(question); ok {
		return known.value, known.ok
	}
	var answer answerOf[T]
	if w.Fits(question) && w.spend() {
		answer.value, answer.ok = ask()
	}
	m.put(question, answer)
	return answer.value, answer.ok
}

// Named implements [Host]. The search path must be the same for the whole call, once it is known.
func (w *Watched) Named(name string, searchPath []string) (Program, bool) {
	return once(w, &w.named, name, func() (Program, bool) { return w.host.Named(name, searchPath) })
}

// Absent implements [Host].
func (w *Watched) Absent(name string, searchPath []string) bool {
	known, ok := w.absent.get(name)
	if !ok {
		known = w.spend() && w.host.Absent(name, searchPath)
		w.absent.put(name, known)
	}
	return known
}

// At implements [Host].
func (w *Watched) At(absolute string) (Program, bool) {
	return once(w, &w.at, absolute, func() (Program, bool) { return w.host.At(absolute) })
}

// Script implements [Host].
func (w *Watched) Script(absolute string) (Script, bool) {
	return once(w, &w.scripts, absolute, func() (Script, bool) { return w.host.Script(absolute) })
}

// Resolve implements [Host].
func (w *Watched) Resolve(absolute string) (string, bool) {
	return once(w, &w.reals, absolute, func() (string, bool) {
		if w.reads.Otherwise(absolute) {
			return "", false
		}
		return w.host.Resolve(absolute)
	})
}

// Kind implements [Host].
func (w *Watched) Kind(absolute string) Kind {
	known, ok := w.kinds.get(absolute)
	if !ok && w.Fits(absolute) && w.spend() {
		known = w.host.Kind(absolute)
		w.kinds.put(absolute, known)
	}
	return known
}

// File implements [Host].
func (w *Watched) File(real string) (size int64, names int, ok bool) {
	known, ok := once(w, &w.files, real, func() (file, bool) {
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
func (w *Watched) List(dir string) ([]string, bool) {
	if !w.Fits(dir) || !w.spend() {
		return nil, false
	}
	return w.host.List(dir)
}

// Entries implements [Host]. Whoever looks through directories has a bound of their own.
func (w *Watched) Entries(dir string, limit int) ([]Entry, bool) {
	if w.Over() || LongPath(dir) {
		return nil, false
	}
	return w.host.Entries(dir, limit)
}

// Text implements [Host]. The same holds.
func (w *Watched) Text(absolute string, limit int) (string, bool) {
	if w.Over() || LongPath(absolute) {
		return "", false
	}
	return w.host.Text(absolute, limit)
}

// Program implements [Host].
func (w *Watched) Program(real string) (sha256, interpreter string) {
	if !w.Fits(real) || !w.spend() {
		return "", ""
	}
	return w.host.Program(real)
}

// View implements [Host].
func (w *Watched) View() Host { return w }
