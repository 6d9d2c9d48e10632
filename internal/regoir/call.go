package regoir

import (
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/topdown"
)

func (t *translator) call(s *ir.CallStmt) step {
	args := t.operands(s.Args)
	to := t.define(s.Result)
	f := t.program.byName[s.Func]
	switch {
	case f == nil:
		return t.builtinCall(s, args, to)
	case isFunctionMember(s, f):
		return func(*machine, []*ast.Term) outcome { return undefined }
	case f.isRule && inheritsScope(args):
		return func(m *machine, r []*ast.Term) outcome {
			v, e := m.evalRule(f, r[0], r[1])
			if v == nil && e == defined {
				return undefined
			}
			r[to] = v
			return e
		}
	case f.isRule:
		input, data := args[0], args[1]
		return func(m *machine, r []*ast.Term) outcome {
			v, e := m.evalRule(f, input.load(r), data.load(r))
			if v == nil && e == defined {
				return undefined
			}
			r[to] = v
			return e
		}
	}
	return func(m *machine, r []*ast.Term) outcome {
		var few [maxMemoArgs + 2]*ast.Term
		given := few[:0]
		for _, a := range args {
			given = append(given, a.load(r))
		}
		v, e := m.callFunction(f, given)
		if e == defined && v == nil {
			return undefined
		}
		r[to] = v
		return e
	}
}

// own reports whether a rule is called with the input and data of the function that calls it, which are
// its first registers.
func inheritsScope(args []operand) bool {
	return args[0] == (operand{}) && args[1] == (operand{register: 1})
}

// dynamic translates a call of the rule that a path of names selects.
func (t *translator) dynamicCall(s *ir.CallDynamicStmt) step {
	path := t.operands(s.Path)
	input, data := t.operand(ir.Operand{Value: s.Args[0]}), t.operand(ir.Operand{Value: s.Args[1]})
	to := t.define(s.Result)
	root := t.program.ruleTree
	for len(path) > 0 && path[0].constant != nil && root != nil {
		text, _ := path[0].constant.Value.(ast.String)
		root, path = root.children[string(text)], path[1:]
	}
	if root == nil {
		return func(*machine, []*ast.Term) outcome { return undefined }
	}
	return func(m *machine, r []*ast.Term) outcome {
		at := root
		for _, o := range path {
			name := o.load(r)
			if name == nil {
				return undefined
			}
			text, ok := name.Value.(ast.String)
			if !ok {
				return undefined
			}
			if at = at.children[string(text)]; at == nil {
				return undefined
			}
		}
		if at.function == nil || !at.function.isRule {
			return undefined
		}
		v, e := m.evalRule(at.function, input.load(r), data.load(r))
		if e == defined && v == nil {
			return undefined
		}
		r[to] = v
		return e
	}
}

// builtin translates a call of a built-in function.
func (t *translator) builtinCall(s *ir.CallStmt, args []operand, to int) step {
	general, isNative := t.topdownCall(s, args, to)
	if !isNative {
		return general
	}
	return intrinsicCall(s.Func, args, to, general)
}

// general translates a call of a built-in function for any arguments. It reports whether a native
// function may compute the value instead.
func (t *translator) topdownCall(s *ir.CallStmt, args []operand, to int) (general step, isNative bool) {
	fn, decl := t.program.builtin(s.Func)
	b := &builtin{fn: fn, strict: t.program.options.Strict, location: t.program.location(s), args: args,
		nondeterministic: decl == nil || decl.Nondeterministic}
	if decl != nil && decl.Relation {
		return func(m *machine, r []*ast.Term) outcome {
			var all []*ast.Term
			e := b.call(m, r, func(t *ast.Term) error {
				all = append(all, t)
				return nil
			})
			if e == defined {
				r[to] = ast.ArrayTerm(all...)
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
		r[to] = v
		return defined
	}
	return general, t.program.options.Builtins[s.Func] == nil
}

// builtin is a built-in function with its arguments.
type builtin struct {
	fn               topdown.BuiltinFunc
	strict           bool
	location         *ast.Location
	args             []operand
	nondeterministic bool // its value depends on more than its arguments
}

func (b *builtin) call(m *machine, r []*ast.Term, output func(*ast.Term) error) outcome {
	args := make([]*ast.Term, len(b.args)) // the function may keep it
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
