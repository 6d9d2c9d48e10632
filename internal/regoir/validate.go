package regoir

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// validate refuses a function that contains anything unknown. Functions are translated when they
// are first called, and after validate that cannot fail.
func (p *Program) validate(f *function) error {
	params := f.source.Params
	if len(params) < 2 || params[0] != ir.Input || params[1] != ir.Data {
		return &UnsupportedError{What: "a function without input and data", Rule: f.name}
	}
	v := &validator{p: p, f: f}
	for _, b := range f.source.Blocks {
		v.block(b, 0)
	}
	if v.err == nil {
		v.err = checkNestedUses(f)
	}
	return v.err
}

type validator struct {
	p   *Program
	f   *function
	err error
}

func (v *validator) refuse(format string, args ...any) {
	if v.err == nil {
		v.err = &UnsupportedError{What: fmt.Sprintf(format, args...), Rule: v.f.name}
	}
}

// block validates a block. A break in it may leave depth blocks around it: as many as there are up
// to the next iteration, negation, "with" or function, which no break leaves.
func (v *validator) block(b *ir.Block, depth int) {
	for _, s := range b.Stmts {
		visitUses(s, func(l ir.Local, _ use) {
			if l < 0 {
				v.refuse("an invalid local")
			}
		})
		v.stmt(s, depth)
	}
}

func (v *validator) stmt(s ir.Stmt, depth int) {
	switch s := s.(type) {
	case *ir.BlockStmt:
		for _, b := range s.Blocks {
			v.block(b, depth+1)
		}
	case *ir.ScanStmt:
		v.block(s.Block, 0)
	case *ir.NotStmt:
		v.block(s.Block, 0)
	case *ir.WithStmt:
		v.path(s)
		v.block(s.Block, 0)
	case *ir.BreakStmt:
		if int(s.Index) > depth {
			v.refuse("a break out of more blocks than surround it")
		}
	case *ir.CallStmt:
		v.call(s)
	case *ir.CallDynamicStmt:
		if len(s.Args) != 2 {
			v.refuse("a dynamic call with %d arguments", len(s.Args))
		}
	case *ir.MakeNumberRefStmt:
		if s.Index < 0 || s.Index >= len(v.p.strings) {
			v.refuse("an invalid number constant")
		}
	case *ir.NopStmt, *ir.ResultSetAddStmt, *ir.ReturnLocalStmt, *ir.AssignVarStmt, *ir.AssignVarOnceStmt, *ir.AssignIntStmt,
		*ir.MakeNumberIntStmt, *ir.MakeNullStmt, *ir.ResetLocalStmt, *ir.MakeArrayStmt, *ir.MakeObjectStmt, *ir.MakeSetStmt,
		*ir.DotStmt, *ir.LenStmt, *ir.EqualStmt, *ir.NotEqualStmt, *ir.IsArrayStmt, *ir.IsObjectStmt, *ir.IsSetStmt,
		*ir.IsDefinedStmt, *ir.IsUndefinedStmt, *ir.ArrayAppendStmt, *ir.SetAddStmt, *ir.ObjectInsertStmt,
		*ir.ObjectInsertOnceStmt, *ir.ObjectMergeStmt:
	default:
		v.refuse("the statement %T", s)
	}
}

func (v *validator) path(s *ir.WithStmt) {
	for _, i := range s.Path {
		if i < 0 || i >= len(v.p.strings) {
			v.refuse("an invalid path of a with")
		}
	}
}

func (v *validator) call(s *ir.CallStmt) {
	if f := v.p.byName[s.Func]; f != nil {
		if len(s.Args) != len(f.source.Params) && !isFunctionMember(s, f) {
			v.refuse("a call to %s with %d arguments", f.name, len(s.Args))
		}
		return
	}
	fn, _ := v.p.builtin(s.Func)
	if fn == nil {
		v.refuse("a call to %s", s.Func)
		return
	}
}

// isFunctionMember reports whether a call treats a function as a member of its package. Where a
// reference such as data.pkg[x] selects from a package, the planner emits a call for each of its
// rules, and also for each function, without arguments. Functions are not part of the package's
// document, so such a call is undefined.
func isFunctionMember(s *ir.CallStmt, f *function) bool {
	return len(s.Args) == 2 && len(f.source.Params) > 2
}

// builtin looks up a built-in function, custom ones first. It returns nil if there is none.
func (p *Program) builtin(name string) (topdown.BuiltinFunc, *ast.Builtin) {
	if custom := p.options.Builtins[name]; custom != nil && custom.Func != nil {
		return custom.Func, custom.Decl
	}
	return topdown.GetBuiltin(name), ast.BuiltinMap[name]
}
