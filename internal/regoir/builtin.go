package regoir

import (
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// builtin is a call to one of topdown's built-in functions, or to a custom one.
type builtin struct {
	fn               topdown.BuiltinFunc
	strict           bool
	location         *ast.Location
	args             []operand
	nondeterministic bool
}

// builtinCall translates a call to a built-in function.
func (t *translator) builtinCall(s *ir.CallStmt, args []operand, dst int) step {
	general, mayBeIntrinsic := t.topdownCall(s, args, dst)
	if !mayBeIntrinsic {
		return general
	}
	return intrinsicCall(s.Func, args, dst, general)
}

// topdownCall translates a call to a built-in function without intrinsics. It reports whether an
// intrinsic may replace it, which is not so for custom functions and relations.
func (t *translator) topdownCall(s *ir.CallStmt, args []operand, dst int) (general step, mayBeIntrinsic bool) {
	fn, decl := t.program.builtin(s.Func)
	b := &builtin{fn: fn, strict: t.program.options.Strict, location: t.program.location(s), args: args,
		nondeterministic: decl == nil || decl.Nondeterministic}
	if decl != nil && decl.Relation {
		return func(m *machine, r []*ast.Term) outcome {
			var results []*ast.Term
			e := b.call(m, r, func(t *ast.Term) error {
				results = append(results, t)
				return nil
			})
			if e == defined {
				r[dst] = ast.ArrayTerm(results...)
			}
			return e
		}, false
	}
	general = func(m *machine, r []*ast.Term) outcome {
		m.builtinResult = nil
		e := b.call(m, r, m.collectResult)
		v := m.builtinResult
		if e != defined {
			return e
		}
		if v == nil {
			return undefined
		}
		r[dst] = v
		return defined
	}
	return general, t.program.options.Builtins[s.Func] == nil
}

// call calls the function, which passes its results to output. An error makes the call undefined,
// unless errors are strict, it is a halt, or the context has ended.
func (b *builtin) call(m *machine, r []*ast.Term, output func(*ast.Term) error) outcome {
	args := make([]*ast.Term, len(b.args)) // not reused: the function may keep it
	for i, a := range b.args {
		if args[i] = Materialize(a.load(r)); args[i] == nil {
			return undefined
		}
	}
	if !m.builtinsReady {
		m.initBuiltins()
	}
	if b.nondeterministic && !m.clockReady {
		m.initClock()
	}
	m.builtinContext.Location = b.location
	err := b.fn(m.builtinContext, args, output)
	if err == nil {
		return defined
	}
	var halt topdown.Halt
	switch {
	case m.Cancelled():
		return m.fail(m.cancelError())
	case errors.As(err, &halt):
		return m.fail(halt.Err)
	case b.strict:
		return m.fail(err)
	}
	return undefined
}
