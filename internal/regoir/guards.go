package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// guards reads the conditions that a rule's body begins with, also those in an iteration. It stops at
// the first statement that could fail or call.
func (t *translator) guards(stmts []ir.Stmt) []guard {
	g := &guardFinder{t: t, paths: map[ir.Local]accessPath{}}
	for _, l := range t.function.source.Params {
		g.paths[l] = accessPath{root: l}
	}
	clear(t.constants)
	clear(t.aliases)
	g.block(stmts)
	clear(t.constants)
	return g.guards
}

type guardFinder struct {
	t               *translator
	paths           map[ir.Local]accessPath // where values of locals come from
	membership      ir.Local                // the result of a membership test
	membershipGuard *guard                  // what the test says if it holds
	guards          []guard
}

func (g *guardFinder) block(stmts []ir.Stmt) {
	for i, s := range stmts {
		if scan, ok := s.(*ir.ScanStmt); ok && i == len(stmts)-1 {
			g.scan(scan)
			return
		}
		if !g.statement(s) {
			return
		}
	}
}

// read reads a statement, and reports whether the next one may be read.
func (g *guardFinder) statement(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.ResetLocalStmt:
		g.kill(s.Target)
	case *ir.DotStmt:
		return g.dot(s)
	case *ir.AssignVarStmt:
		g.assign(s)
	case *ir.AssignIntStmt, *ir.MakeNumberIntStmt, *ir.MakeNumberRefStmt, *ir.MakeNullStmt,
		*ir.MakeArrayStmt, *ir.MakeSetStmt, *ir.MakeObjectStmt, *ir.ArrayAppendStmt, *ir.SetAddStmt, *ir.ObjectInsertStmt:
		return g.constant(s)
	case *ir.EqualStmt:
		g.equal(s.A, s.B)
		g.equal(s.B, s.A)
	case *ir.CallStmt:
		return g.call(s)
	case *ir.NotEqualStmt:
		if l, ok := s.A.Value.(ir.Local); ok && g.membershipGuard != nil && l == g.membership && g.t.constant(s.B) == g.t.program.falseTerm {
			g.guards = append(g.guards, *g.membershipGuard)
		}
	case *ir.IsArrayStmt:
		g.pattern(s.Source, kindArray)
	case *ir.IsObjectStmt:
		g.pattern(s.Source, kindObject)
	case *ir.LenStmt:
		g.kill(s.Target)
	case *ir.IsDefinedStmt, *ir.NopStmt:
	default:
		return false
	}
	return true
}

func (g *guardFinder) kill(l ir.Local) {
	delete(g.paths, l)
	delete(g.t.constants, l)
}

// scan reads an iteration with which the block ends: what it asks for must be so for a member.
func (g *guardFinder) scan(s *ir.ScanStmt) {
	from, known := g.paths[s.Source]
	if !known {
		return
	}
	visitWrites([]ir.Stmt{s}, g.kill) // with what it holds for one member it begins for the next
	g.paths[s.Value] = from.child(nil)
	g.block(s.Block.Stmts)
}

func (g *guardFinder) dot(s *ir.DotStmt) bool {
	l, ok := s.Source.Value.(ir.Local)
	from, known := g.paths[l]
	key := g.t.constant(s.Key)
	if !ok || !known || key == nil {
		return false
	}
	g.kill(s.Target)
	g.paths[s.Target] = from.child(key)
	return true
}

func (g *guardFinder) assign(s *ir.AssignVarStmt) {
	from, constant := accessPath{}, g.t.constant(s.Source)
	l, known := s.Source.Value.(ir.Local)
	if known {
		from, known = g.paths[l]
	}
	g.kill(s.Target)
	switch {
	case known:
		g.paths[s.Target] = from
	case constant != nil:
		g.t.constants[s.Target] = constant
	}
}

// constant learns what a statement makes, if that is a constant or a member of one.
func (g *guardFinder) constant(s ir.Stmt) bool {
	visitUses(s, func(l ir.Local, how use) {
		if how != useRead {
			delete(g.paths, l)
		}
	})
	if m := g.t.constructions.adds[s]; m != nil && m.mode != buildLiteral {
		return false
	}
	if m := g.t.constructions.makes[s]; m != nil && m.mode != buildLiteral {
		return false
	}
	if _, _, ok := makeTarget(s); !ok {
		if m := g.t.constructions.adds[s]; m == nil && g.mutates(s) {
			return false
		}
	}
	g.t.statement(s)
	return true
}

func (g *guardFinder) mutates(s ir.Stmt) bool {
	found := false
	visitUses(s, func(_ ir.Local, how use) { found = found || how == useMutate })
	return found
}

func (g *guardFinder) equal(a, b ir.Operand) {
	l, ok := a.Value.(ir.Local)
	if !ok {
		return
	}
	from, known := g.paths[l]
	if k := g.t.constant(b); known && k != nil {
		g.guards = append(g.guards, guard{path: from, values: []*ast.Term{k}})
	}
}

// pattern reads the beginning of a comparison with an array or object, member by member.
func (g *guardFinder) pattern(source ir.Operand, k kind) {
	if l, ok := source.Value.(ir.Local); ok {
		if from, known := g.paths[l]; known {
			g.guards = append(g.guards, guard{path: from, pattern: true, kind: k})
		}
	}
}

// call reads a test of membership in a constant, the only call that cannot fail.
func (g *guardFinder) call(s *ir.CallStmt) bool {
	if s.Func != "internal.member_2" || len(s.Args) != 2 || g.t.program.options.Builtins[s.Func] != nil {
		return false
	}
	g.membershipGuard = nil
	l, ok := s.Args[0].Value.(ir.Local)
	from, known := g.paths[l]
	if in := g.t.constant(s.Args[1]); ok && known && in != nil {
		switch v := in.Value.(type) {
		case ast.Set:
			g.membership, g.membershipGuard = s.Result, &guard{path: from, values: v.Slice()}
		case *ast.Array:
			one := guard{path: from}
			v.Foreach(func(x *ast.Term) { one.values = append(one.values, x) })
			g.membership, g.membershipGuard = s.Result, &one
		}
	}
	g.kill(s.Result)
	return true
}
