package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// guards reads the conditions that a rule's body begins with, also those in an iteration. It stops at
// the first statement that could fail or call.
func (t *translator) guards(stmts []ir.Stmt) []guard {
	g := &guardReader{t: t, places: map[ir.Local]place{}}
	for _, l := range t.function.source.Params {
		g.places[l] = place{root: l}
	}
	clear(t.constants)
	clear(t.aliases)
	g.block(stmts)
	clear(t.constants)
	return g.found
}

type guardReader struct {
	t      *translator
	places map[ir.Local]place // where values of locals come from
	member ir.Local           // the result of a membership test
	tested *guard             // what the test says if it holds
	found  []guard
}

func (g *guardReader) block(stmts []ir.Stmt) {
	for i, s := range stmts {
		if scan, ok := s.(*ir.ScanStmt); ok && i == len(stmts)-1 {
			g.scan(scan)
			return
		}
		if !g.read(s) {
			return
		}
	}
}

// read reads a statement, and reports whether the next one may be read.
func (g *guardReader) read(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.ResetLocalStmt:
		g.overwritten(s.Target)
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
		if l, ok := s.A.Value.(ir.Local); ok && g.tested != nil && l == g.member && g.t.constant(s.B) == g.t.program.falseTerm {
			g.found = append(g.found, *g.tested)
		}
	case *ir.IsArrayStmt:
		g.pattern(s.Source, kindArray)
	case *ir.IsObjectStmt:
		g.pattern(s.Source, kindObject)
	case *ir.LenStmt:
		g.overwritten(s.Target)
	case *ir.IsDefinedStmt, *ir.NopStmt:
	default:
		return false
	}
	return true
}

func (g *guardReader) overwritten(l ir.Local) {
	delete(g.places, l)
	delete(g.t.constants, l)
}

// scan reads an iteration with which the block ends: what it asks for must be so for a member.
func (g *guardReader) scan(s *ir.ScanStmt) {
	from, known := g.places[s.Source]
	if !known {
		return
	}
	visitWrites([]ir.Stmt{s}, g.overwritten) // with what it holds for one member it begins for the next
	g.places[s.Value] = from.below(nil)
	g.block(s.Block.Stmts)
}

func (g *guardReader) dot(s *ir.DotStmt) bool {
	l, ok := s.Source.Value.(ir.Local)
	from, known := g.places[l]
	key := g.t.constant(s.Key)
	if !ok || !known || key == nil {
		return false
	}
	g.overwritten(s.Target)
	g.places[s.Target] = from.below(key)
	return true
}

func (g *guardReader) assign(s *ir.AssignVarStmt) {
	from, constant := place{}, g.t.constant(s.Source)
	l, known := s.Source.Value.(ir.Local)
	if known {
		from, known = g.places[l]
	}
	g.overwritten(s.Target)
	switch {
	case known:
		g.places[s.Target] = from
	case constant != nil:
		g.t.constants[s.Target] = constant
	}
}

// constant learns what a statement makes, if that is a constant or a member of one.
func (g *guardReader) constant(s ir.Stmt) bool {
	visitUses(s, func(l ir.Local, how use) {
		if how != useRead {
			delete(g.places, l)
		}
	})
	if m := g.t.constructions.adds[s]; m != nil && m.mode != buildLiteral {
		return false
	}
	if m := g.t.constructions.makes[s]; m != nil && m.mode != buildLiteral {
		return false
	}
	if _, _, ok := makeTarget(s); !ok {
		if m := g.t.constructions.adds[s]; m == nil && g.adds(s) {
			return false
		}
	}
	g.t.statement(s)
	return true
}

func (g *guardReader) adds(s ir.Stmt) bool {
	found := false
	visitUses(s, func(_ ir.Local, how use) { found = found || how == useMutate })
	return found
}

func (g *guardReader) equal(a, b ir.Operand) {
	l, ok := a.Value.(ir.Local)
	if !ok {
		return
	}
	from, known := g.places[l]
	if k := g.t.constant(b); known && k != nil {
		g.found = append(g.found, guard{place: from, values: []*ast.Term{k}})
	}
}

// pattern reads the beginning of a comparison with an array or object, member by member.
func (g *guardReader) pattern(source ir.Operand, k kind) {
	if l, ok := source.Value.(ir.Local); ok {
		if from, known := g.places[l]; known {
			g.found = append(g.found, guard{place: from, pattern: true, kind: k})
		}
	}
}

// call reads a test of membership in a constant, the only call that cannot fail.
func (g *guardReader) call(s *ir.CallStmt) bool {
	if s.Func != "internal.member_2" || len(s.Args) != 2 || g.t.program.options.Builtins[s.Func] != nil {
		return false
	}
	g.tested = nil
	l, ok := s.Args[0].Value.(ir.Local)
	from, known := g.places[l]
	if in := g.t.constant(s.Args[1]); ok && known && in != nil {
		switch v := in.Value.(type) {
		case ast.Set:
			g.member, g.tested = s.Result, &guard{place: from, values: v.Slice()}
		case *ast.Array:
			one := guard{place: from}
			v.Foreach(func(x *ast.Term) { one.values = append(one.values, x) })
			g.member, g.tested = s.Result, &one
		}
	}
	g.overwritten(s.Result)
	return true
}
