package bundles

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"sync"

	"gavel"
)

// digest identifies facts, or all facts but some of the varying ones. Strings and lists are
// hashed with their length, so that different facts never look the same; a test changes each
// member of the facts and checks that the digest changes. facts_digest.go has the order.
type digest [sha256.Size]byte

// digester computes digests. It is safe for concurrent use.
type digester struct{ buffers sync.Pool }

// sum returns the digest of facts, of the varying ones only those in include. It returns false
// for parameters that cannot be encoded, and for facts larger than maxCachedFacts.
func (d *digester) sum(facts *gavel.Facts, include varying) (sum digest, ok bool) {
	buffer, reused := d.buffers.Get().(*[]byte)
	if !reused {
		buffer = new([]byte)
	}
	w := keyWriter{buf: append((*buffer)[:0], byte(include)), include: include}
	w.context(facts)
	w.call(facts)
	if w.failed || len(w.buf) > maxCachedFacts {
		return digest{}, false
	}
	sum = sha256.Sum256(w.buf)
	*buffer = w.buf
	d.buffers.Put(buffer)
	return sum, true
}

// keyWriter encodes facts, so that different facts have different encodings. Of the varying facts
// it encodes those in include.
type keyWriter struct {
	buf     []byte
	include varying
	failed  bool // something could not be encoded
}

func (w *keyWriter) params(params map[string]any) {
	text, err := json.Marshal(params) // sorts keys
	w.failed = w.failed || err != nil
	w.string(string(text))
}

func (w *keyWriter) string(s string) {
	w.buf = append(binary.AppendUvarint(w.buf, uint64(len(s))), s...)
}

func (w *keyWriter) int(n int) { w.buf = binary.AppendVarint(w.buf, int64(n)) }

// bool returns b.
func (w *keyWriter) bool(b bool) bool {
	if b {
		w.buf = append(w.buf, 1)
	} else {
		w.buf = append(w.buf, 0)
	}
	return b
}

// length writes the length of a list. A nil list has the length -1: it means unknown, unlike an
// empty one.
func (w *keyWriter) length(n int, isNil bool) {
	if isNil {
		n = -1
	}
	w.int(n)
}

func (w *keyWriter) strings(list []string) {
	w.length(len(list), list == nil)
	for _, s := range list {
		w.string(s)
	}
}

func (w *keyWriter) ints(list []int) {
	w.length(len(list), list == nil)
	for _, n := range list {
		w.int(n)
	}
}

func (w *keyWriter) stringLists(lists map[string][]string) {
	w.int(len(lists))
	names := make([]string, 0, len(lists))
	for name := range lists {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w.string(name)
		w.strings(lists[name])
	}
}
