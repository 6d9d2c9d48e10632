package regoir

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// validate refuses a function with anything that is not known, so that translating it, when it
// is first called, cannot fail.
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

// block validates a block that is inside of as many others as a break may leave: an iteration,
// a negation, a replacement and a function cannot be left.
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
			v.refuse("a break out of more than its blocks")
		}
	case *ir.CallStmt:
		v.call(s)
	case *ir.CallDynamicStmt:
		if len(s.Args) != 2 {
			v.refuse("a dynamic call with %d arguments", len(s.Args))
		}
	case *ir.MakeNumberRefStmt:
		if s.Index < 0 || s.Index >= len(v.p.strings) {
			v.refuse("an invalid number")
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
			v.refuse("an invalid path")
		}
	}
}

func (v *validator) call(s *ir.CallStmt) {
	if f := v.p.byName[s.Func]; f != nil {
		if len(s.Args) != len(f.source.Params) && !isFunctionMember(s, f) {
			v.refuse("a call of %s with %d arguments", f.name, len(s.Args))
		}
		return
	}
	fn, _ := v.p.builtin(s.Func)
	if fn == nil {
		v.refuse("the function %s", s.Func)
		return
	}
}

// listed reports whether a call only stands for a function among the members of a package, which
// the planner lists with its rules where a name of data is a variable. No document has functions,
// so it is undefined.
func isFunctionMember(s *ir.CallStmt, f *function) bool {
	return len(s.Args) == 2 && len(f.source.Params) > 2
}

// builtin finds a built-in function.
func (p *Program) builtin(name string) (topdown.BuiltinFunc, *ast.Builtin) {
	if own := p.options.Builtins[name]; own != nil && own.Func != nil {
		return own.Func, own.Decl
	}
	return topdown.GetBuiltin(name), ast.BuiltinMap[name]
}
