package regoir

import (
	"hash/maphash"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxArguments is how many arguments a function whose values are remembered may have.
const maxArguments = 6

type call struct {
	function *function
	args     [maxArguments]*ast.Term
	value    *ast.Term
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
	if len(own) > maxArguments {
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
	before, is := s.calls[key]
	if is && before.function == f && sameTerms(before.args[:len(own)], own) {
		return before.value, defined
	}
	value, e := m.run(f, args[0], args[1], own)
	if e == defined {
		c := call{function: f, value: value}
		copy(c.args[:], own)
		s.calls[key] = c
	}
	return value, e
}

// hash of an argument. A part of an input that is not whole is told from others by where it is,
// because it need not be made for this.
func (m *machine) hash(t *ast.Term) uint64 {
	const prime = 0x100000001b3
	h := uint64(len("deferred"))
	switch v := t.Value.(type) {
	case *Object:
		if v.members != nil {
			return maphash.Comparable(m.seed, t)
		}
		for _, x := range v.made {
			h = (h ^ m.hash(x)) * prime
		}
	case *Array:
		for _, x := range v.elements {
			h = (h ^ m.hash(x)) * prime
		}
	case *Set:
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
		case *Object:
			w, ok := y.Value.(*Object)
			if !ok || v.members != nil || w.members != nil || v.shape != w.shape || !sameTerms(v.made, w.made) {
				return false
			}
		case *Array:
			w, ok := y.Value.(*Array)
			if !ok || len(v.elements) != len(w.elements) || !sameTerms(v.elements, w.elements) {
				return false
			}
		default:
			if isDeferred(y) || !same(x, y) {
				return false
			}
		}
	}
	return true
}
