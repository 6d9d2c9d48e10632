package bundles

import "github.com/open-policy-agent/opa/v1/ast"

// sharer deduplicates equal parts of terms. A frozen part repeats the same values for many
// tools, so this saves most of a context's memory. Terms are immutable, so sharing is safe
// for concurrent use; a sharer itself is for one term.
type sharer struct {
	common map[string]*ast.Term // shared by all contexts; read only
	own    map[string]*ast.Term // shared inside this term
}

func newSharer(common map[string]*ast.Term) *sharer {
	return &sharer{common: common, own: map[string]*ast.Term{}}
}

// commonTerms are strings that every frozen part has: tools and member names.
func commonTerms(tools map[string]bool) map[string]*ast.Term {
	common := map[string]*ast.Term{}
	for _, name := range []string{"kind", "step", "path", "from", "value", "agent", "global", "default", "denied", "not_allowed", "owner_only", "subagent"} {
		common[ast.String(name).String()] = ast.InternedTerm(name)
	}
	for name := range tools {
		common[ast.String(name).String()] = ast.StringTerm(name)
	}
	return common
}

// share returns an equal term made of shared parts.
func (s *sharer) share(term *ast.Term) *ast.Term {
	text := term.Value.String()
	if known, ok := s.common[text]; ok {
		return known
	}
	if known, ok := s.own[text]; ok {
		return known
	}
	shared := term
	switch value := term.Value.(type) {
	case ast.Object:
		fields := make([][2]*ast.Term, 0, value.Len())
		value.Foreach(func(k, v *ast.Term) { fields = append(fields, [2]*ast.Term{s.share(k), s.share(v)}) })
		shared = ast.ObjectTerm(fields...)
	case *ast.Array:
		list := make([]*ast.Term, 0, value.Len())
		value.Foreach(func(v *ast.Term) { list = append(list, s.share(v)) })
		shared = ast.ArrayTerm(list...)
	}
	s.own[text] = shared
	return shared
}
