package regoir

import (
	"hash/maphash"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxArguments is how many arguments a function whose values are remembered may have.
const maxMemoArgs = 6

// call is a function's value for arguments. Without a function it is none.
type memoEntry struct {
	hash     uint64 // hash of the function and the arguments
	function *function
	args     [maxMemoArgs]*ast.Term
	value    *ast.Term
}

// calls are the calls of a scope: a table whose size is a power of two, at most half full. A call
// is at the place that its key says, or at the first free one after it.
type memoTable struct {
	entries []memoEntry
	used    []int // places
}

// fewCalls is the least size of the table, and mostCalls the largest that is kept for other
// evaluations.
const (
	minMemoSize     = 128
	maxRetainedMemo = 8192
)

// place is where a call is, or belongs.
func (c *memoTable) probe(key uint64, f *function, args []*ast.Term) int {
	for at := int(key) & (len(c.entries) - 1); ; at = (at + 1) & (len(c.entries) - 1) {
		found := &c.entries[at]
		if found.function == nil || found.hash == key && found.function == f && argsEqual(found.args[:len(args)], args) {
			return at
		}
	}
}

// find returns a call, nil if there was none.
func (c *memoTable) get(key uint64, f *function, args []*ast.Term) *memoEntry {
	if len(c.entries) == 0 {
		return nil
	}
	if found := &c.entries[c.probe(key, f, args)]; found.function != nil {
		return found
	}
	return nil
}

func (c *memoTable) put(key uint64, f *function, args []*ast.Term, value *ast.Term) {
	if 2*len(c.used) >= len(c.entries) {
		c.grow()
	}
	at := c.probe(key, f, args)
	if c.entries[at].function == nil {
		c.used = append(c.used, at)
	}
	made := &c.entries[at]
	made.hash, made.function, made.value = key, f, value
	copy(made.args[:], args)
}

func (c *memoTable) grow() {
	before := c.entries
	c.entries, c.used = make([]memoEntry, max(minMemoSize, 2*len(before))), c.used[:0]
	for _, old := range before {
		if old.function != nil {
			c.put(old.hash, old.function, old.args[:len(old.function.source.Params)-2], old.value)
		}
	}
}

// forget empties the table.
func (c *memoTable) reset() {
	if len(c.entries) > maxRetainedMemo {
		*c = memoTable{}
		return
	}
	for _, at := range c.used {
		c.entries[at] = memoEntry{}
	}
	c.used = c.used[:0]
}

// call returns the value of a function for arguments, the first two of which are input and
// data; nil if it is undefined.
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
	key := uint64(f.id) * 0x9e3779b97f4a7c15
	for _, a := range own {
		if a == nil {
			return m.invoke(f, args[0], args[1], own)
		}
		key = (key ^ m.hashArg(a)) * 0x100000001b3
	}
	s := m.scope
	if before := s.memo.get(key, f, own); before != nil {
		return before.value, defined
	}
	value, e := m.invoke(f, args[0], args[1], own)
	if e == defined {
		s.memo.put(key, f, own, value)
	}
	return value, e
}

// hash of an argument. A part of an input that is not whole is told from others by where it is,
// because it need not be made for this.
func (m *machine) hashArg(t *ast.Term) uint64 {
	const prime = 0x100000001b3
	h := uint64(len("deferred"))
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

// sameTerms reports whether arguments are equal. Parts of an input that are not whole are not
// compared: equal ones may count as different.
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
