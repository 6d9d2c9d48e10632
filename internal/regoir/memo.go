package regoir

import (
	"hash/maphash"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxMemoArgs is the greatest number of arguments of a function that is memoized.
const maxMemoArgs = 6

// memoEntry is the value of a function for its arguments. An entry without a function is free.
type memoEntry struct {
	hash     uint64 // of the function and the arguments
	function *function
	args     [maxMemoArgs]*ast.Term
	value    *ast.Term
}

// memoTable is a hash table with linear probing. Its size is a power of two, and it is at most
// half full.
type memoTable struct {
	entries []memoEntry
	used    []int // indexes of the entries in use
}

// A table has at least minMemoSize entries. One with more than maxRetainedMemo is dropped after
// the evaluation.
const (
	minMemoSize     = 128
	maxRetainedMemo = 8192
)

// callFunction returns the value of a function, or nil if it is undefined. The first two arguments
// are input and data.
func (m *machine) callFunction(f *function, args []*ast.Term) (*ast.Term, outcome) {
	outer := m.scope
	if outer.input != args[0] || outer.data != args[1] {
		m.scope = m.enterScope(args[0], args[1])
		defer func() { m.scope = outer }()
	}
	own := args[2:]
	if len(own) > maxMemoArgs || f.cheap() {
		return m.invoke(f, args[0], args[1], own)
	}
	hash := uint64(f.id) * 0x9e3779b97f4a7c15
	for _, a := range own {
		if a == nil {
			return m.invoke(f, args[0], args[1], own)
		}
		hash = (hash ^ m.hashArg(a)) * 0x100000001b3
	}
	s := m.scope
	if entry := s.memo.get(hash, f, own); entry != nil {
		return entry.value, defined
	}
	value, e := m.invoke(f, args[0], args[1], own)
	if e == defined {
		s.memo.put(hash, f, own, value)
	}
	return value, e
}

// get returns the entry for a call, or nil if there is none.
func (t *memoTable) get(hash uint64, f *function, args []*ast.Term) *memoEntry {
	if len(t.entries) == 0 {
		return nil
	}
	if entry := &t.entries[t.probe(hash, f, args)]; entry.function != nil {
		return entry
	}
	return nil
}

func (t *memoTable) put(hash uint64, f *function, args []*ast.Term, value *ast.Term) {
	if 2*len(t.used) >= len(t.entries) {
		t.grow()
	}
	i := t.probe(hash, f, args)
	if t.entries[i].function == nil {
		t.used = append(t.used, i)
	}
	entry := &t.entries[i]
	entry.hash, entry.function, entry.value = hash, f, value
	copy(entry.args[:], args)
}

// probe returns the index of the entry for a call, or of the free entry where it belongs.
func (t *memoTable) probe(hash uint64, f *function, args []*ast.Term) int {
	for i := int(hash) & (len(t.entries) - 1); ; i = (i + 1) & (len(t.entries) - 1) {
		entry := &t.entries[i]
		if entry.function == nil || entry.hash == hash && entry.function == f && argsEqual(entry.args[:len(args)], args) {
			return i
		}
	}
}

func (t *memoTable) grow() {
	old := t.entries
	t.entries, t.used = make([]memoEntry, max(minMemoSize, 2*len(old))), t.used[:0]
	for _, entry := range old {
		if entry.function != nil {
			t.put(entry.hash, entry.function, entry.args[:len(entry.function.source.Params)-2], entry.value)
		}
	}
}

// reset empties the table.
func (t *memoTable) reset() {
	if len(t.entries) > maxRetainedMemo {
		*t = memoTable{}
		return
	}
	for _, i := range t.used {
		t.entries[i] = memoEntry{}
	}
	t.used = t.used[:0]
}

// hashArg hashes an argument without computing members of a lazy input: as long as it is not
// materialized, such a part of the input is identified by its address.
func (m *machine) hashArg(t *ast.Term) uint64 {
	const prime = 0x100000001b3
	h := uint64(8) // any constant will do
	switch v := t.Value.(type) {
	case *LazyObject:
		if v.materialized != nil {
			return uint64(v.materialized.Hash())
		}
		if v.members != nil {
			return maphash.Comparable(m.hashSeed, t)
		}
		for _, x := range v.values {
			h = (h ^ m.hashArg(x)) * prime
		}
	case *LazyArray:
		for _, x := range v.elements {
			h = (h ^ m.hashArg(x)) * prime
		}
	case *LazySet:
		for _, x := range v.elements {
			h += m.hashArg(x)
		}
	default:
		return uint64(t.Hash())
	}
	return h
}

// argsEqual reports whether arguments are equal. It may report false for equal ones, because it
// does not compute members of a lazy input either.
func argsEqual(a, b []*ast.Term) bool {
	for i, x := range a {
		y := b[i]
		if x == y {
			continue
		}
		switch v := x.Value.(type) {
		case *LazyObject:
			w, ok := y.Value.(*LazyObject)
			if !ok || v.members != nil || w.members != nil || v.shape != w.shape || !argsEqual(v.values, w.values) {
				return false
			}
		case *LazyArray:
			w, ok := y.Value.(*LazyArray)
			if !ok || len(v.elements) != len(w.elements) || !argsEqual(v.elements, w.elements) {
				return false
			}
		default:
			if isLazy(y) || !equal(x, y) {
				return false
			}
		}
	}
	return true
}
