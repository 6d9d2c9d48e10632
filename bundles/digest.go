package bundles

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"sync"

	"gavel"
)

// digest represents facts, except some that vary. Every string and list is written with its length, so different facts are never
// written alike; a test changes each member of the facts and checks that the digest changes.
// facts_digest.go has the order. A digest does not outlive its snapshot.
type digest [sha256.Size]byte

// digester computes digests. Safe for concurrent use.
type digester struct{ buffers sync.Pool }

// of returns the digest of facts with some of those that vary. There is no digest for
// parameters that cannot be encoded, or for facts larger than maxQuestion.
func (d *digester) of(facts *gavel.Facts, with varying) (key digest, ok bool) {
	space, used := d.buffers.Get().(*[]byte)
	if !used {
		space = new([]byte)
	}
	w := writer{buf: append((*space)[:0], byte(with)), with: with}
	w.context(facts)
	w.call(facts)
	if w.wrong || len(w.buf) > maxQuestion {
		return digest{}, false
	}
	key = sha256.Sum256(w.buf)
	*space = w.buf
	d.buffers.Put(space)
	return key, true
}

// writer writes members one after another; of those that vary, only some.
type writer struct {
	buf   []byte
	with  varying
	wrong bool // something could not be encoded
}

func (w *writer) given(params map[string]any) {
	text, err := json.Marshal(params) // keys come sorted
	w.wrong = w.wrong || err != nil
	w.text(string(text))
}

func (w *writer) text(s string) {
	w.buf = append(binary.AppendUvarint(w.buf, uint64(len(s))), s...)
}

func (w *writer) number(n int) { w.buf = binary.AppendVarint(w.buf, int64(n)) }

// flag returns what it writes.
func (w *writer) flag(b bool) bool {
	if b {
		w.buf = append(w.buf, 1)
	} else {
		w.buf = append(w.buf, 0)
	}
	return b
}

// length writes the length of a list. A nil list is distinct from an empty one.
func (w *writer) length(list int, missing bool) {
	if missing {
		list = -1
	}
	w.number(list)
}

func (w *writer) texts(list []string) {
	w.length(len(list), list == nil)
	for _, s := range list {
		w.text(s)
	}
}

func (w *writer) numbers(list []int) {
	w.length(len(list), list == nil)
	for _, n := range list {
		w.number(n)
	}
}

func (w *writer) byName(lists map[string][]string) {
	w.number(len(lists))
	names := make([]string, 0, len(lists))
	for name := range lists {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w.text(name)
		w.texts(lists[name])
	}
}
