package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// make translates the statement that makes an array, set or object.
func (t *translator) makeComposite(s ir.Stmt) step {
	l, k, _ := makeTarget(s)
	m := t.constructions.makes[s]
	switch {
	case m == nil || m.mode == buildLiteral && m.last == nil:
		return t.storeConstant(l, finish(newBuilder(k)))
	case m.mode == buildLiteral:
		m.keys, m.values = nil, nil
		t.define(l)
		return nil
	}
	to := t.define(l)
	if m.mode == buildNested {
		return func(_ *machine, r []*ast.Term) outcome {
			r[to] = &ast.Term{Value: newNestedBuilder(k)}
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
func (t *translator) finishBuilder(m *construction) step {
	to := t.define(m.local)
	return func(_ *machine, r []*ast.Term) outcome {
		r[to] = finish(r[to])
		return defined
	}
}

// addition is a statement that adds a member.
type addition struct {
	to         ir.Local
	key, value operand
	kind       kind
	unique     bool // the key must be new, or the value equal
}

func (t *translator) add(s ir.Stmt) step {
	var a addition
	switch s := s.(type) {
	case *ir.ArrayAppendStmt:
		a = addition{to: s.Array, value: t.operand(s.Value), kind: kindArray}
	case *ir.SetAddStmt:
		a = addition{to: s.Set, value: t.operand(s.Value), kind: kindSet}
	case *ir.ObjectInsertStmt:
		a = addition{to: s.Object, key: t.operand(s.Key), value: t.operand(s.Value), kind: kindObject}
	case *ir.ObjectInsertOnceStmt:
		a = addition{to: s.Object, key: t.operand(s.Key), value: t.operand(s.Value), kind: kindObject, unique: true}
	}
	at := t.program.location(s)
	m := t.constructions.adds[s]
	switch {
	case m == nil:
		return t.addToCopy(a, at)
	case m.mode == buildLiteral:
		return t.addToLiteral(m, a, s)
	case m.mode == buildNested:
		return t.addToNested(a, at)
	}
	to, nothing := t.define(a.to), t.program.emptyBuilders[a.kind]
	return func(mc *machine, r []*ast.Term) outcome {
		v := a.value.load(r)
		if v == nil {
			return undefined
		}
		if r[to] == nothing {
			r[to] = newBuilder(a.kind)
		}
		g, _ := r[to].Value.(*builder)
		switch {
		case a.kind != kindObject:
			g.elements = append(g.elements, v)
		case a.unique:
			if !g.insertOnce(Materialize(a.key.load(r)), Materialize(v)) {
				return mc.fail(conflictError("object keys must be unique", at))
			}
		default:
			g.insert(Materialize(a.key.load(r)), Materialize(v))
		}
		return defined
	}
}

// member adds a member to a literal, which is made with its last one: as a constant, if all
// members are constants.
func (t *translator) addToLiteral(m *construction, a addition, s ir.Stmt) step {
	m.values = append(m.values, a.value)
	if a.kind == kindObject {
		m.keys = append(m.keys, a.key)
	}
	if s != m.last {
		return nil
	}
	k, ks, vs := a.kind, m.keys, m.values
	build := func(r []*ast.Term) *builder {
		g := builder{kind: k}
		if k == kindObject {
			g.pairs = make([][2]*ast.Term, len(ks))
			for i := range ks {
				g.pairs[i] = [2]*ast.Term{Materialize(ks[i].load(r)), Materialize(vs[i].load(r))}
			}
			return &g
		}
		g.elements = make([]*ast.Term, len(vs))
		for i := range vs {
			g.elements[i] = vs[i].load(r)
		}
		return &g
	}
	constant := true
	for _, o := range append(vs[:len(vs):len(vs)], ks...) {
		constant = constant && o.constant != nil
	}
	if constant {
		return t.storeConstant(a.to, build(nil).materialize())
	}
	to := t.define(a.to)
	if shape := t.program.shapeFor(ks); shape != nil {
		return func(_ *machine, r []*ast.Term) outcome {
			values := make([]*ast.Term, len(vs))
			for i, v := range vs {
				if values[i] = v.load(r); values[i] == nil {
					return undefined
				}
			}
			r[to] = newRecord(shape, values)
			return defined
		}
	}
	return func(_ *machine, r []*ast.Term) outcome {
		for _, v := range vs {
			if v.load(r) == nil {
				return undefined
			}
		}
		r[to] = build(r).finish()
		return defined
	}
}

// grow adds to a part of a nested value.
func (t *translator) addToNested(a addition, at *ast.Location) step {
	to := t.define(a.to)
	return func(m *machine, r []*ast.Term) outcome {
		value := Materialize(a.value.load(r))
		grown, ok := r[to].Value.(*nestedBuilder)
		switch {
		case value == nil:
			return undefined
		case !ok || grown.kind != a.kind:
			return m.fail(conflictError("object keys must be unique", at))
		case a.kind == kindSet:
			grown.elements = append(grown.elements, value)
		case a.unique:
			if !grown.insertOnce(Materialize(a.key.load(r)), value) {
				return m.fail(conflictError("object keys must be unique", at))
			}
		default:
			grown.insert(Materialize(a.key.load(r)), value)
		}
		return defined
	}
}

// copied adds to a value that others may have seen: to a copy of it.
func (t *translator) addToCopy(a addition, at *ast.Location) step {
	to := t.define(a.to)
	return func(m *machine, r []*ast.Term) outcome {
		value := Materialize(a.value.load(r))
		if r[to] == nil || value == nil {
			return undefined
		}
		g := builder{kind: a.kind}
		switch v := Materialize(r[to]).Value.(type) {
		case *ast.Array:
			v.Foreach(func(x *ast.Term) { g.elements = append(g.elements, x) })
		case ast.Set:
			g.elements = append(g.elements, v.Slice()...)
		case ast.Object:
			v.Foreach(g.insert)
		}
		if a.kind != kindObject {
			g.elements = append(g.elements, value)
		} else if !a.unique {
			g.insert(Materialize(a.key.load(r)), value)
		} else if !g.insertOnce(Materialize(a.key.load(r)), value) {
			return m.fail(conflictError("object keys must be unique", at))
		}
		r[to] = g.finish()
		return defined
	}
}
