package bundles

import "github.com/open-policy-agent/opa/v1/ast"

// deduplicator replaces equal objects, arrays and sets in a term by one. A frozen part repeats
// them for many tools, so this saves most of its memory. Terms are immutable, so the result is
// safe for concurrent use. A deduplicator is used for one term.
type deduplicator struct {
	seen map[int][]*ast.Term // by hash
}

// term returns an equal term without duplicates.
func (d *deduplicator) term(term *ast.Term) *ast.Term {
	switch term.Value.(type) {
	case ast.Object, *ast.Array, ast.Set:
	default:
		return term
	}
	hash := term.Hash()
	for _, seen := range d.seen[hash] {
		if ast.ValueEqual(seen.Value, term.Value) {
			return seen
		}
	}
	shared := d.members(term)
	d.seen[hash] = append(d.seen[hash], shared)
	return shared
}

// members deduplicates the members of a term. It returns the term itself if there were no
// duplicates.
func (d *deduplicator) members(term *ast.Term) *ast.Term {
	changed := false
	deduplicate := func(t *ast.Term) *ast.Term {
		shared := d.term(t)
		changed = changed || shared != t
		return shared
	}
	switch value := term.Value.(type) {
	case ast.Object:
		fields := make([][2]*ast.Term, 0, value.Len())
		value.Foreach(func(k, v *ast.Term) { fields = append(fields, [2]*ast.Term{k, deduplicate(v)}) })
		if changed {
			return ast.ObjectTerm(fields...)
		}
	case *ast.Array:
		list := make([]*ast.Term, 0, value.Len())
		value.Foreach(func(v *ast.Term) { list = append(list, deduplicate(v)) })
		if changed {
			return ast.ArrayTerm(list...)
		}
	}
	return term
}
