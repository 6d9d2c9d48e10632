package regoir

import (
	"hash/maphash"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxArguments is how many arguments a function whose values are remembered may have.
const maxArguments = 6

// call is a function's value for arguments. Without a function it is none.
type call struct {
	key      uint64 // hash of the function and the arguments
	function *function
	args     [maxArguments]*ast.Term
	value    *ast.Term
}

// calls are the calls of a scope: a table whose size is a power of two, at most half full. A call
// is at the place that its key says, or at the first free one after it.
type calls struct {
	table []call
	used  []int // places
}

// fewCalls is the least size of the table, and mostCalls the largest that is kept for other
// evaluations.
const (
	fewCalls  = 128
	mostCalls = 8192
)

// place is where a call is, or belongs.
func (c *calls) place(key uint64, f *function, args []*ast.Term) int {
	for at := int(key) & (len(c.table) - 1); ; at = (at + 1) & (len(c.table) - 1) {
		found := &c.table[at]
		if found.function == nil || found.key == key && found.function == f && sameTerms(found.args[:len(args)], args) {
			return at
		}
	}
}

// find returns a call, nil if there was none.
func (c *calls) find(key uint64, f *function, args []*ast.Term) *call {
	if len(c.table) == 0 {
		return nil
	}
	if found := &c.table[c.place(key, f, args)]; found.function != nil {
		return found
	}
	return nil
}

func (c *calls) add(key uint64, f *function, args []*ast.Term, value *ast.Term) {
	if 2*len(c.used) >= len(c.table) {
		c.grow()
	}
	at := c.place(key, f, args)
	if c.table[at].function == nil {
		c.used = append(c.used, at)
	}
	made := &c.table[at]
	made.key, made.function, made.value = key, f, value
	copy(made.args[:], args)
}

func (c *calls) grow() {
	before := c.table
	c.table, c.used = make([]call, max(fewCalls, 2*len(before))), c.used[:0]
	for _, old := range before {
		if old.function != nil {
			c.add(old.key, old.function, old.args[:len(old.function.source.Params)-2], old.value)
		}
	}
}

// forget empties the table.
func (c *calls) forget() {
	if len(c.table) > mostCalls {
		*c = calls{}
		return
	}
	for _, at := range c.used {
		c.table[at] = call{}
	}
	c.used = c.used[:0]
}

// call returns the value of a function for arguments, the first two of which are input and
// data; nil if it is undefined.
func (m *machine) call(f *function, args []*ast.Term) (*ast.Term, end) {
	outer := m.scope
	if outer.input != args[0] || outer.data != args[1] {
		m.scope = m.enter(args[0], args[1])
		defer func() { m.scope = outer }()
	}
	own := args[2:]
	if len(own) > maxArguments || f.quick() {
		return m.run(f, args[0], args[1], own)
	}
	key := uint64(f.number) * 0x9e3779b97f4a7c15
	for _, a := range own {
		if a == nil {
			return m.run(f, args[0], args[1], own)
		}
		key = (key ^ m.hash(a)) * 0x100000001b3
	}
	s := m.scope
	if before := s.calls.find(key, f, own); before != nil {
		return before.value, defined
	}
	value, e := m.run(f, args[0], args[1], own)
	if e == defined {
		s.calls.add(key, f, own, value)
	}
	return value, e
}

// hash of an argument. A part of an input that is not whole is told from others by where it is,
// because it need not be made for this.
func (m *machine) hash(t *ast.Term) uint64 {
	const prime = 0x100000001b3
	h := uint64(len("deferred"))
	switch v := t.Value.(type) {
	case *LazyObject:
		if v.materialized != nil {
			return uint64(v.materialized.Hash())
		}
		if v.members != nil {
			return maphash.Comparable(m.seed, t)
		}
		for _, x := range v.values {
			h = (h ^ m.hash(x)) * prime
		}
	case *LazyArray:
		for _, x := range v.elements {
			h = (h ^ m.hash(x)) * prime
		}
	case *LazySet:
		for _, x := range v.elements {
			h += m.hash(x)
		}
	default:
		return uint64(t.Hash())
	}
	return h
}

// sameTerms reports whether arguments are equal. Parts of an input that are not whole are not
// compared: equal ones may count as different.
func sameTerms(a, b []*ast.Term) bool {
	for i, x := range a {
		y := b[i]
		if x == y {
			continue
		}
		switch v := x.Value.(type) {
		case *LazyObject:
			w, ok := y.Value.(*LazyObject)
			if !ok || v.members != nil || w.members != nil || v.shape != w.shape || !sameTerms(v.values, w.values) {
				return false
			}
		case *LazyArray:
			w, ok := y.Value.(*LazyArray)
			if !ok || len(v.elements) != len(w.elements) || !sameTerms(v.elements, w.elements) {
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
