package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// fuse translates a sequence of statements that is common in plans into a single step. It returns how
// many statements it took, 0 if it does not know such a sequence.
func (t *translator) fuse(stmts []ir.Stmt) (int, step) {
	switch s := stmts[0].(type) {
	case *ir.CallStmt:
		if len(stmts) < 2 {
			return 0, nil
		}
		test, ok := stmts[1].(*ir.NotEqualStmt)
		if !ok || test.A.Value != ir.Val(s.Result) || t.constant(test.B) != t.program.falseTerm {
			return 0, nil
		}
		if f := t.program.byName[s.Func]; f == nil {
			return t.fuseIntrinsicTest(s)
		} else if f.isRule && !isFunctionMember(s, f) {
			return 2, t.fuseRuleTest(s)
		}
	case *ir.DotStmt:
		if t.constructions.nestedLookups[s] {
			return 0, nil
		}
		return t.fusePath(stmts)
	}
	return 0, nil
}

// fuseIntrinsicTest translates a call to an intrinsic and the test that its value is not false.
func (t *translator) fuseIntrinsicTest(s *ir.CallStmt) (int, step) {
	args := t.operands(s.Args)
	dst := t.define(s.Result)
	general, mayBeIntrinsic := t.topdownCall(s, args, dst)
	if !mayBeIntrinsic {
		return 0, nil
	}
	fused := intrinsicTest(s.Func, args, dst, t.program.falseTerm, general)
	if fused == nil {
		return 0, nil
	}
	return 2, fused
}

// fuseRuleTest translates a call to a rule and the test that its value is not false.
func (t *translator) fuseRuleTest(s *ir.CallStmt) step {
	f, falseTerm := t.program.byName[s.Func], t.program.falseTerm
	input, data := t.operand(s.Args[0]), t.operand(s.Args[1])
	dst := t.define(s.Result)
	return func(m *machine, r []*ast.Term) outcome {
		v, e := m.evalRule(f, input.load(r), data.load(r))
		switch {
		case e != defined:
			return e
		case v == nil || v == falseTerm || equal(v, falseTerm):
			return undefined
		}
		r[dst] = v
		return defined
	}
}

// fusePath translates a chain of lookups with constant keys, such as input.a.b.
func (t *translator) fusePath(stmts []ir.Stmt) (int, step) {
	first, _ := stmts[0].(*ir.DotStmt)
	root, ok := first.Source.Value.(ir.Local)
	if !ok || t.constants[root] != nil {
		return 0, nil
	}
	var keys []*lookupSite
	var targets []int
	find, base := t.lookupFunc(first.Source), t.isBase(first.Source)
	src, end := t.register(root), root
	for _, s := range stmts {
		dot, ok := s.(*ir.DotStmt)
		if !ok || dot.Source.Value != ir.Val(end) || dot.Target == root || t.constant(dot.Key) == nil {
			break
		}
		keys, end = append(keys, &lookupSite{key: t.constant(dot.Key)}), dot.Target
		targets = append(targets, t.define(dot.Target))
		t.baseLocals[dot.Target] = base
	}
	if len(keys) == 0 {
		return 0, nil
	}
	walk := func(_ *machine, r []*ast.Term) outcome {
		v := r[src]
		for i, k := range keys {
			if v = k.lookup(v, find); v == nil {
				return undefined
			}
			r[targets[i]] = v
		}
		return defined
	}
	if root != ir.Input && root != ir.Data {
		return len(keys), walk
	}
	return len(keys), t.cachedPath(root, keys, targets)
}

// cachedPath translates a chain of lookups below input or data. The scope caches values in its
// input, and the machine values in the instance's data. Values in other documents, which a "with" has
// put into the register, are not cached.
func (t *translator) cachedPath(root ir.Local, keys []*lookupSite, targets []int) step {
	ids, find := make([]int, len(keys)), t.lookupFunc(ir.Operand{Value: root})
	maxID, isInput := 0, root == ir.Input
	path := accessPath{root: root}
	for i, k := range keys {
		path = path.child(k.key)
		ids[i] = t.program.paths.id(path.key())
		maxID = max(maxID, ids[i])
	}
	src := t.register(root)
	return func(m *machine, r []*ast.Term) outcome {
		v := r[src]
		var cache *[]*ast.Term
		switch {
		case isInput && m.scope.input == v:
			cache = &m.scope.inputPaths
		case !isInput && m.instance.data == v:
			cache = &m.dataPaths
		}
		if cache != nil && maxID >= len(*cache) {
			*cache = append(*cache, make([]*ast.Term, maxID+1-len(*cache))...)
		}
		for i, k := range keys {
			var member *ast.Term
			if cache != nil {
				member = (*cache)[ids[i]]
			}
			if member == nil {
				if member = k.lookup(v, find); member == nil {
					return undefined
				}
				if cache != nil {
					(*cache)[ids[i]] = member
				}
			}
			v = member
			r[targets[i]] = v
		}
		return defined
	}
}
