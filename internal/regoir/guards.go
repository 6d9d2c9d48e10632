package regoir

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// guard is a condition at the beginning of a clause: that the value at a path is one of some
// constants, or that it is an array or object, which the clause compares with a pattern. If the path
// has several values, the guard holds if it holds for one of them.
type guard struct {
	path    accessPath
	values  []*ast.Term
	pattern bool
	kind    kind // of a pattern
}

// valueKey returns a string that identifies what a guard tests for.
func (g guard) valueKey() string {
	if g.pattern {
		return fmt.Sprint("pattern", g.kind)
	}
	return fmt.Sprint(g.values)
}

// guards finds the guards of a clause. It stops at the first statement that could cause an error or
// calls a function, so a clause that is skipped because a guard does not hold could only have been
// undefined.
func (t *translator) guards(stmts []ir.Stmt) []guard {
	g := &guardFinder{translator: t, paths: map[ir.Local]accessPath{}}
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
	translator      *translator
	paths           map[ir.Local]accessPath // where the values of locals come from
	membership      ir.Local                // the result of the last membership test
	membershipGuard *guard                  // holds if that test does; nil if it says nothing
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

// statement reports whether the search may continue after a statement.
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
		if l, ok := s.A.Value.(ir.Local); ok && g.membershipGuard != nil && l == g.membership && g.translator.constant(s.B) == g.translator.program.falseTerm {
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

// kill drops what is known about a local.
func (g *guardFinder) kill(l ir.Local) {
	delete(g.paths, l)
	delete(g.translator.constants, l)
}

// scan continues the search in an iteration at the end of the clause. Its guards have to hold for one
// of the elements.
func (g *guardFinder) scan(s *ir.ScanStmt) {
	source, ok := g.paths[s.Source]
	if !ok {
		return
	}
	visitWrites([]ir.Stmt{s}, g.kill) // the previous element may have written these locals
	g.paths[s.Value] = source.child(nil)
	g.block(s.Block.Stmts)
}

func (g *guardFinder) dot(s *ir.DotStmt) bool {
	l, isLocal := s.Source.Value.(ir.Local)
	source, ok := g.paths[l]
	key := g.translator.constant(s.Key)
	if !isLocal || !ok || key == nil {
		return false
	}
	g.kill(s.Target)
	g.paths[s.Target] = source.child(key)
	return true
}

func (g *guardFinder) assign(s *ir.AssignVarStmt) {
	source, constant := accessPath{}, g.translator.constant(s.Source)
	l, ok := s.Source.Value.(ir.Local)
	if ok {
		source, ok = g.paths[l]
	}
	g.kill(s.Target)
	switch {
	case ok:
		g.paths[s.Target] = source
	case constant != nil:
		g.translator.constants[s.Target] = constant
	}
}

// constant lets the translator find out whether a statement makes a constant. It reports false for an
// addition to something that is not a literal.
func (g *guardFinder) constant(s ir.Stmt) bool {
	visitUses(s, func(l ir.Local, how use) {
		if how != useRead {
			delete(g.paths, l)
		}
	})
	if c := g.translator.constructions.adds[s]; c != nil && c.mode != buildLiteral {
		return false
	}
	if c := g.translator.constructions.makes[s]; c != nil && c.mode != buildLiteral {
		return false
	}
	if _, _, isMake := makeTarget(s); !isMake {
		if c := g.translator.constructions.adds[s]; c == nil && g.mutates(s) {
			return false
		}
	}
	g.translator.statement(s)
	return true
}

func (g *guardFinder) mutates(s ir.Stmt) bool {
	found := false
	visitUses(s, func(_ ir.Local, how use) { found = found || how == useMutate })
	return found
}

func (g *guardFinder) equal(a, b ir.Operand) {
	l, isLocal := a.Value.(ir.Local)
	if !isLocal {
		return
	}
	path, ok := g.paths[l]
	if k := g.translator.constant(b); ok && k != nil {
		g.guards = append(g.guards, guard{path: path, values: []*ast.Term{k}})
	}
}

// pattern handles the type test with which a comparison with an array or object pattern begins.
func (g *guardFinder) pattern(source ir.Operand, k kind) {
	if l, isLocal := source.Value.(ir.Local); isLocal {
		if path, ok := g.paths[l]; ok {
			g.guards = append(g.guards, guard{path: path, pattern: true, kind: k})
		}
	}
}

// call handles a membership test, the only call that cannot cause an error. If the collection is
// constant, the test is a guard.
func (g *guardFinder) call(s *ir.CallStmt) bool {
	if s.Func != "internal.member_2" || len(s.Args) != 2 || g.translator.program.options.Builtins[s.Func] != nil {
		return false
	}
	g.membershipGuard = nil
	l, isLocal := s.Args[0].Value.(ir.Local)
	path, ok := g.paths[l]
	if collection := g.translator.constant(s.Args[1]); isLocal && ok && collection != nil {
		switch v := collection.Value.(type) {
		case ast.Set:
			g.membership, g.membershipGuard = s.Result, &guard{path: path, values: v.Slice()}
		case *ast.Array:
			oneOf := guard{path: path}
			v.Foreach(func(x *ast.Term) { oneOf.values = append(oneOf.values, x) })
			g.membership, g.membershipGuard = s.Result, &oneOf
		}
	}
	g.kill(s.Result)
	return true
}
