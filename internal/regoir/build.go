package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// uniqueKeys is the message of topdown's error for two values of one key.
const uniqueKeys = "object keys must be unique"

// makeComposite translates a statement that makes an empty array, set or object.
func (t *translator) makeComposite(s ir.Stmt) step {
	l, k, _ := makeTarget(s)
	c := t.constructions.makes[s]
	switch {
	case c == nil || c.mode == buildLiteral && c.last == nil:
		return t.storeConstant(l, finish(newBuilder(k)))
	case c.mode == buildLiteral:
		c.keys, c.values = nil, nil
		t.define(l)
		return nil
	}
	dst := t.define(l)
	if c.mode == buildNested {
		return func(_ *machine, r []*ast.Term) outcome {
			r[dst] = &ast.Term{Value: newNestedBuilder(k)}
			return defined
		}
	}
	empty := t.program.emptyBuilders[k]
	return func(_ *machine, r []*ast.Term) outcome {
		r[dst] = empty
		return defined
	}
}

// finishBuilder translates the end of a stepwise construction.
func (t *translator) finishBuilder(c *construction) step {
	dst := t.define(c.local)
	return func(_ *machine, r []*ast.Term) outcome {
		r[dst] = finish(r[dst])
		return defined
	}
}

// addition is a statement that adds an element or a member.
type addition struct {
	target     ir.Local
	key, value operand
	kind       kind
	unique     bool // a member with the same key and another value is an error
}

func (t *translator) add(s ir.Stmt) step {
	var a addition
	switch s := s.(type) {
	case *ir.ArrayAppendStmt:
		a = addition{target: s.Array, value: t.operand(s.Value), kind: kindArray}
	case *ir.SetAddStmt:
		a = addition{target: s.Set, value: t.operand(s.Value), kind: kindSet}
	case *ir.ObjectInsertStmt:
		a = addition{target: s.Object, key: t.operand(s.Key), value: t.operand(s.Value), kind: kindObject}
	case *ir.ObjectInsertOnceStmt:
		a = addition{target: s.Object, key: t.operand(s.Key), value: t.operand(s.Value), kind: kindObject, unique: true}
	}
	at := t.program.location(s)
	c := t.constructions.adds[s]
	switch {
	case c == nil:
		return t.addToCopy(a, at)
	case c.mode == buildLiteral:
		return t.addToLiteral(c, a, s)
	case c.mode == buildNested:
		return t.addToNested(a, at)
	}
	dst, empty := t.define(a.target), t.program.emptyBuilders[a.kind]
	return func(m *machine, r []*ast.Term) outcome {
		v := a.value.load(r)
		if v == nil {
			return undefined
		}
		if r[dst] == empty {
			r[dst] = newBuilder(a.kind)
		}
		b, _ := r[dst].Value.(*builder)
		switch {
		case a.kind != kindObject:
			b.elements = append(b.elements, v)
		case a.unique:
			if !b.insertOnce(Materialize(a.key.load(r)), Materialize(v)) {
				return m.fail(conflictError(uniqueKeys, at))
			}
		default:
			b.insert(Materialize(a.key.load(r)), Materialize(v))
		}
		return defined
	}
}

// addToLiteral collects the operands of a literal. The last addition builds it: as a constant if all
// operands are constants, or as a lazy object if the keys are names.
func (t *translator) addToLiteral(c *construction, a addition, s ir.Stmt) step {
	c.values = append(c.values, a.value)
	if a.kind == kindObject {
		c.keys = append(c.keys, a.key)
	}
	if s != c.last {
		return nil
	}
	k, keys, values := a.kind, c.keys, c.values
	build := func(r []*ast.Term) *builder {
		b := builder{kind: k}
		if k == kindObject {
			b.pairs = make([][2]*ast.Term, len(keys))
			for i := range keys {
				b.pairs[i] = [2]*ast.Term{Materialize(keys[i].load(r)), Materialize(values[i].load(r))}
			}
			return &b
		}
		b.elements = make([]*ast.Term, len(values))
		for i := range values {
			b.elements[i] = values[i].load(r)
		}
		return &b
	}
	constant := true
	for _, o := range append(values[:len(values):len(values)], keys...) {
		constant = constant && o.constant != nil
	}
	if constant {
		return t.storeConstant(a.target, build(nil).materialize())
	}
	dst := t.define(a.target)
	if shape := t.program.shapeFor(keys); shape != nil {
		return func(_ *machine, r []*ast.Term) outcome {
			members := make([]*ast.Term, len(values))
			for i, v := range values {
				if members[i] = v.load(r); members[i] == nil {
					return undefined
				}
			}
			r[dst] = newRecord(shape, members)
			return defined
		}
	}
	return func(_ *machine, r []*ast.Term) outcome {
		for _, v := range values {
			if v.load(r) == nil {
				return undefined
			}
		}
		r[dst] = build(r).finish()
		return defined
	}
}

// addToNested adds to a nested value.
func (t *translator) addToNested(a addition, at *ast.Location) step {
	dst := t.define(a.target)
	return func(m *machine, r []*ast.Term) outcome {
		value := Materialize(a.value.load(r))
		b, ok := r[dst].Value.(*nestedBuilder)
		switch {
		case value == nil:
			return undefined
		case !ok || b.kind != a.kind:
			return m.fail(conflictError(uniqueKeys, at))
		case a.kind == kindSet:
			b.elements = append(b.elements, value)
		case a.unique:
			if !b.insertOnce(Materialize(a.key.load(r)), value) {
				return m.fail(conflictError(uniqueKeys, at))
			}
		default:
			b.insert(Materialize(a.key.load(r)), value)
		}
		return defined
	}
}

// addToCopy adds to a copy of a value that something else may refer to.
func (t *translator) addToCopy(a addition, at *ast.Location) step {
	dst := t.define(a.target)
	return func(m *machine, r []*ast.Term) outcome {
		value := Materialize(a.value.load(r))
		if r[dst] == nil || value == nil {
			return undefined
		}
		b := builder{kind: a.kind}
		switch v := Materialize(r[dst]).Value.(type) {
		case *ast.Array:
			v.Foreach(func(x *ast.Term) { b.elements = append(b.elements, x) })
		case ast.Set:
			b.elements = append(b.elements, v.Slice()...)
		case ast.Object:
			v.Foreach(b.insert)
		}
		if a.kind != kindObject {
			b.elements = append(b.elements, value)
		} else if !a.unique {
			b.insert(Materialize(a.key.load(r)), value)
		} else if !b.insertOnce(Materialize(a.key.load(r)), value) {
			return m.fail(conflictError(uniqueKeys, at))
		}
		r[dst] = b.finish()
		return defined
	}
}
