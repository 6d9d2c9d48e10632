package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// make translates the statement that makes an array, set or object.
func (t *translator) make(s ir.Stmt) step {
	l, k, _ := makes(s)
	m := t.shapes.made[s]
	switch {
	case m == nil || m.mode == literal && m.last == nil:
		return t.store(l, finished(newGrowing(k)))
	case m.mode == literal:
		m.ks, m.vs = nil, nil
		t.target(l)
		return nil
	}
	to := t.target(l)
	if m.mode == nestedIn {
		return func(_ *machine, r []*ast.Term) outcome {
			r[to] = &ast.Term{Value: newTree(k)}
			return defined
		}
	}
	nothing := t.program.emptyBuilders[k]
	return func(_ *machine, r []*ast.Term) outcome {
		r[to] = nothing
		return defined
	}
}

// finish translates the end of an array, set or object whose members were collected.
func (t *translator) finish(m *making) step {
	to := t.target(m.local)
	return func(_ *machine, r []*ast.Term) outcome {
		r[to] = finished(r[to])
		return defined
	}
}

// addition is a statement that adds a member.
type addition struct {
	to         ir.Local
	key, value operand
	kind       kind
	once       bool // the key must be new, or the value equal
}

func (t *translator) add(s ir.Stmt) step {
	var a addition
	switch s := s.(type) {
	case *ir.ArrayAppendStmt:
		a = addition{to: s.Array, value: t.operand(s.Value), kind: array}
	case *ir.SetAddStmt:
		a = addition{to: s.Set, value: t.operand(s.Value), kind: set}
	case *ir.ObjectInsertStmt:
		a = addition{to: s.Object, key: t.operand(s.Key), value: t.operand(s.Value), kind: object}
	case *ir.ObjectInsertOnceStmt:
		a = addition{to: s.Object, key: t.operand(s.Key), value: t.operand(s.Value), kind: object, once: true}
	}
	at := t.program.location(s)
	m := t.shapes.part[s]
	switch {
	case m == nil:
		return t.copied(a, at)
	case m.mode == literal:
		return t.member(m, a, s)
	case m.mode == nestedIn:
		return t.grow(a, at)
	}
	to, nothing := t.target(a.to), t.program.emptyBuilders[a.kind]
	return func(mc *machine, r []*ast.Term) outcome {
		v := a.value.of(r)
		if v == nil {
			return undefined
		}
		if r[to] == nothing {
			r[to] = newGrowing(a.kind)
		}
		g, _ := r[to].Value.(*growing)
		switch {
		case a.kind != object:
			g.terms = append(g.terms, v)
		case a.once:
			if !g.insertOnce(Materialize(a.key.of(r)), Materialize(v)) {
				return mc.fail(conflict("object keys must be unique", at))
			}
		default:
			g.insert(Materialize(a.key.of(r)), Materialize(v))
		}
		return defined
	}
}

// member adds a member to a literal, which is made with its last one: as a constant, if all
// members are constants.
func (t *translator) member(m *making, a addition, s ir.Stmt) step {
	m.vs = append(m.vs, a.value)
	if a.kind == object {
		m.ks = append(m.ks, a.key)
	}
	if s != m.last {
		return nil
	}
	k, ks, vs := a.kind, m.ks, m.vs
	build := func(r []*ast.Term) *growing {
		g := growing{kind: k}
		if k == object {
			g.pairs = make([][2]*ast.Term, len(ks))
			for i := range ks {
				g.pairs[i] = [2]*ast.Term{Materialize(ks[i].of(r)), Materialize(vs[i].of(r))}
			}
			return &g
		}
		g.terms = make([]*ast.Term, len(vs))
		for i := range vs {
			g.terms[i] = vs[i].of(r)
		}
		return &g
	}
	constant := true
	for _, o := range append(vs[:len(vs):len(vs)], ks...) {
		constant = constant && o.constant != nil
	}
	if constant {
		return t.store(a.to, build(nil).whole())
	}
	to := t.target(a.to)
	if shape := t.program.shapeFor(ks); shape != nil {
		return func(_ *machine, r []*ast.Term) outcome {
			values := make([]*ast.Term, len(vs))
			for i, v := range vs {
				if values[i] = v.of(r); values[i] == nil {
					return undefined
				}
			}
			r[to] = newRecord(shape, values)
			return defined
		}
	}
	return func(_ *machine, r []*ast.Term) outcome {
		for _, v := range vs {
			if v.of(r) == nil {
				return undefined
			}
		}
		r[to] = build(r).finish()
		return defined
	}
}

// grow adds to a part of a nested value.
func (t *translator) grow(a addition, at *ast.Location) step {
	to := t.target(a.to)
	return func(m *machine, r []*ast.Term) outcome {
		value := Materialize(a.value.of(r))
		grown, ok := r[to].Value.(*tree)
		switch {
		case value == nil:
			return undefined
		case !ok || grown.kind != a.kind:
			return m.fail(conflict("object keys must be unique", at))
		case a.kind == set:
			grown.terms = append(grown.terms, value)
		case a.once:
			if !grown.insertOnce(Materialize(a.key.of(r)), value) {
				return m.fail(conflict("object keys must be unique", at))
			}
		default:
			grown.insert(Materialize(a.key.of(r)), value)
		}
		return defined
	}
}

// copied adds to a value that others may have seen: to a copy of it.
func (t *translator) copied(a addition, at *ast.Location) step {
	to := t.target(a.to)
	return func(m *machine, r []*ast.Term) outcome {
		value := Materialize(a.value.of(r))
		if r[to] == nil || value == nil {
			return undefined
		}
		g := growing{kind: a.kind}
		switch v := Materialize(r[to]).Value.(type) {
		case *ast.Array:
			v.Foreach(func(x *ast.Term) { g.terms = append(g.terms, x) })
		case ast.Set:
			g.terms = append(g.terms, v.Slice()...)
		case ast.Object:
			v.Foreach(g.insert)
		}
		if a.kind != object {
			g.terms = append(g.terms, value)
		} else if !a.once {
			g.insert(Materialize(a.key.of(r)), value)
		} else if !g.insertOnce(Materialize(a.key.of(r)), value) {
			return m.fail(conflict("object keys must be unique", at))
		}
		r[to] = g.finish()
		return defined
	}
}
