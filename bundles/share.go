package bundles

import "github.com/open-policy-agent/opa/v1/ast"

// sharer deduplicates equal objects, arrays and sets in a term. A frozen part repeats them for many
// tools, so this saves most of a context's memory. Terms are immutable, so sharing is safe for
// concurrent use; a sharer itself is for one term.
type sharer struct {
	seen map[int][]*ast.Term // by hash
}

// share returns an equal term in which equal parts are one.
func (s *sharer) share(term *ast.Term) *ast.Term {
	switch term.Value.(type) {
	case ast.Object, *ast.Array, ast.Set:
	default:
		return term
	}
	hash := term.Hash()
	for _, known := range s.seen[hash] {
		if ast.ValueEqual(known.Value, term.Value) {
			return known
		}
	}
	shared := s.inside(term)
	s.seen[hash] = append(s.seen[hash], shared)
	return shared
}

// inside returns an equal term whose members are shared, which is the same one if none of them was
// seen before.
func (s *sharer) inside(term *ast.Term) *ast.Term {
	changed := false
	member := func(t *ast.Term) *ast.Term {
		shared := s.share(t)
		changed = changed || shared != t
		return shared
	}
	switch value := term.Value.(type) {
	case ast.Object:
		fields := make([][2]*ast.Term, 0, value.Len())
		value.Foreach(func(k, v *ast.Term) { fields = append(fields, [2]*ast.Term{k, member(v)}) })
		if changed {
			return ast.ObjectTerm(fields...)
		}
	case *ast.Array:
		list := make([]*ast.Term, 0, value.Len())
		value.Foreach(func(v *ast.Term) { list = append(list, member(v)) })
		if changed {
			return ast.ArrayTerm(list...)
		}
	}
	return term
}
