package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// leave is how a statement with blocks ends when one of them ended so: a break leaves one
// block fewer.
func (e outcome) exitBlock() outcome {
	if e < returned {
		return e - 1
	}
	return e
}

// blocks translates blocks that are tried one after another.
func (t *translator) blocks(s *ir.BlockStmt) step {
	if list, otherwise, ok := matchAlternatives(s); ok {
		return t.firstDefined(list, otherwise)
	}
	if c := t.program.dispatchTable(s); len(c.byName) >= minIndexed && t.constants[c.local] == nil {
		return t.dispatch(s, c)
	}
	var steps []step
	for _, b := range s.Blocks {
		if one := t.nestedBlock(b); !one.static || one.outcome > undefined {
			steps = append(steps, one.step())
		}
	}
	switch len(steps) {
	case 0:
		return nil
	case 1:
		one := steps[0]
		return func(m *machine, r []*ast.Term) outcome {
			if e := one(m, r); e > undefined {
				return e.exitBlock()
			}
			return defined
		}
	}
	return func(m *machine, r []*ast.Term) outcome {
		for _, one := range steps {
			if e := one(m, r); e > undefined {
				return e.exitBlock()
			}
		}
		return defined
	}
}

// chosen translates blocks most of which begin by asking for a name.
func (t *translator) dispatch(s *ir.BlockStmt, c dispatchTable) step {
	at, steps := t.register(c.local), make([]step, len(s.Blocks))
	for i, b := range s.Blocks {
		steps[i] = t.nestedBlock(b).step()
	}
	return func(m *machine, r []*ast.Term) outcome {
		rest, chosen := c.others, c.blocksFor(r[at])
		for len(rest) > 0 || len(chosen) > 0 {
			var next int
			next, rest, chosen = nextInOrder(rest, chosen)
			if e := steps[next](m, r); e > undefined {
				return e.exitBlock()
			}
		}
		return defined
	}
}

func (t *translator) not(s *ir.NotStmt) step {
	body := t.nestedBlock(s.Block).step()
	return func(m *machine, r []*ast.Term) outcome {
		switch e := body(m, r); e {
		case defined:
			return undefined
		case undefined:
			return defined
		default:
			return e
		}
	}
}

// with translates the replacement of input or data, or of a part of them.
func (t *translator) with(s *ir.WithStmt) step {
	register, value := t.register(s.Local), t.operand(s.Value)
	path := make([]*ast.Term, len(s.Path))
	for i, part := range s.Path {
		path[i] = t.program.strings[part]
	}
	body := t.nestedBlock(s.Block).step()
	return func(m *machine, r []*ast.Term) outcome {
		before, scopes := r[register], len(m.scopes)
		r[register] = withReplaced(before, path, value.load(r))
		e := body(m, r)
		r[register] = before
		m.leaveScopes(scopes)
		return e
	}
}

// fused translates statements that often follow one another as one step. It returns how many
// it took.
func (t *translator) fuse(stmts []ir.Stmt) (int, step) {
	switch s := stmts[0].(type) {
	case *ir.CallStmt:
		if len(stmts) < 2 {
			return 0, nil
		}
		differs, ok := stmts[1].(*ir.NotEqualStmt)
		if !ok || differs.A.Value != ir.Val(s.Result) || t.constant(differs.B) != t.program.falseTerm {
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

// satisfies translates a call of a native function whose value must not be false.
func (t *translator) fuseIntrinsicTest(s *ir.CallStmt) (int, step) {
	args := t.operands(s.Args)
	to := t.define(s.Result)
	general, isNative := t.topdownCall(s, args, to)
	if !isNative {
		return 0, nil
	}
	one := intrinsicTest(s.Func, args, to, t.program.falseTerm, general)
	if one == nil {
		return 0, nil
	}
	return 2, one
}

// holds translates a call of a rule whose value must not be false.
func (t *translator) fuseRuleTest(s *ir.CallStmt) step {
	f, no := t.program.byName[s.Func], t.program.falseTerm
	input, data := t.operand(s.Args[0]), t.operand(s.Args[1])
	to := t.define(s.Result)
	return func(m *machine, r []*ast.Term) outcome {
		v, e := m.evalRule(f, input.load(r), data.load(r))
		switch {
		case e != defined:
			return e
		case v == nil || v == no || equal(v, no):
			return undefined
		}
		r[to] = v
		return defined
	}
}

// path translates lookups one after another by constants, such as input.a.b.
func (t *translator) fusePath(stmts []ir.Stmt) (int, step) {
	first, _ := stmts[0].(*ir.DotStmt)
	root, ok := first.Source.Value.(ir.Local)
	if !ok || t.constants[root] != nil {
		return 0, nil
	}
	var keys []*lookupSite
	var targets []int
	find, base := t.lookupFunc(first.Source), t.isBase(first.Source)
	from, at := t.register(root), root
	for _, s := range stmts {
		dot, ok := s.(*ir.DotStmt)
		if !ok || dot.Source.Value != ir.Val(at) || dot.Target == root || t.constant(dot.Key) == nil {
			break
		}
		keys, at = append(keys, &lookupSite{key: t.constant(dot.Key)}), dot.Target
		targets = append(targets, t.define(dot.Target))
		t.baseLocals[dot.Target] = base
	}
	if len(keys) == 0 {
		return 0, nil
	}
	walk := func(_ *machine, r []*ast.Term) outcome {
		v := r[from]
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

// rooted is path below input or data: each is looked up once for each scope, and what the data of
// the instance has there once for each machine.
func (t *translator) cachedPath(root ir.Local, keys []*lookupSite, targets []int) step {
	numbers, find := make([]int, len(keys)), t.lookupFunc(ir.Operand{Value: root})
	most, isInput := 0, root == ir.Input
	for i := range keys {
		numbers[i] = t.program.paths.id(pathKey(root, keys[:i+1]))
		most = max(most, numbers[i])
	}
	at := t.register(root)
	return func(m *machine, r []*ast.Term) outcome {
		v := r[at]
		var known *[]*ast.Term // nil below a "with"
		switch {
		case isInput && m.scope.input == v:
			known = &m.scope.inputPaths
		case !isInput && m.instance.data == v:
			known = &m.dataPaths
		}
		if known != nil && most >= len(*known) {
			*known = append(*known, make([]*ast.Term, most+1-len(*known))...)
		}
		for i, k := range keys {
			var below *ast.Term
			if known != nil {
				below = (*known)[numbers[i]]
			}
			if below == nil {
				if below = k.lookup(v, find); below == nil {
					return undefined
				}
				if known != nil {
					(*known)[numbers[i]] = below
				}
			}
			v = below
			r[targets[i]] = v
		}
		return defined
	}
}
