package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// call translates a call to a rule, a function or a built-in function.
func (t *translator) call(s *ir.CallStmt) step {
	args := t.operands(s.Args)
	dst := t.define(s.Result)
	f := t.program.byName[s.Func]
	switch {
	case f == nil:
		return t.builtinCall(s, args, dst)
	case isFunctionMember(s, f):
		return func(*machine, []*ast.Term) outcome { return undefined }
	case f.isRule && inheritsScope(args):
		return func(m *machine, r []*ast.Term) outcome {
			v, e := m.evalRule(f, r[0], r[1])
			if v == nil && e == defined {
				return undefined
			}
			r[dst] = v
			return e
		}
	case f.isRule:
		input, data := args[0], args[1]
		return func(m *machine, r []*ast.Term) outcome {
			v, e := m.evalRule(f, input.load(r), data.load(r))
			if v == nil && e == defined {
				return undefined
			}
			r[dst] = v
			return e
		}
	}
	return func(m *machine, r []*ast.Term) outcome {
		var buf [maxMemoArgs + 2]*ast.Term
		values := buf[:0]
		for _, a := range args {
			values = append(values, a.load(r))
		}
		v, e := m.callFunction(f, values)
		if e == defined && v == nil {
			return undefined
		}
		r[dst] = v
		return e
	}
}

// inheritsScope reports whether a call passes on the caller's input and data, which are in its first
// two registers.
func inheritsScope(args []operand) bool {
	return args[0] == (operand{}) && args[1] == (operand{register: 1})
}

// dynamicCall translates a call to the rule at a path in the rule tree.
func (t *translator) dynamicCall(s *ir.CallDynamicStmt) step {
	path := t.operands(s.Path)
	input, data := t.operand(ir.Operand{Value: s.Args[0]}), t.operand(ir.Operand{Value: s.Args[1]})
	dst := t.define(s.Result)
	root := t.program.ruleTree
	for len(path) > 0 && path[0].constant != nil && root != nil {
		name, _ := path[0].constant.Value.(ast.String)
		root, path = root.children[string(name)], path[1:]
	}
	if root == nil {
		return func(*machine, []*ast.Term) outcome { return undefined }
	}
	return func(m *machine, r []*ast.Term) outcome {
		node := root
		for _, o := range path {
			key := o.load(r)
			if key == nil {
				return undefined
			}
			name, ok := key.Value.(ast.String)
			if !ok {
				return undefined
			}
			if node = node.children[string(name)]; node == nil {
				return undefined
			}
		}
		if node.function == nil || !node.function.isRule {
			return undefined
		}
		v, e := m.evalRule(node.function, input.load(r), data.load(r))
		if e == defined && v == nil {
			return undefined
		}
		r[dst] = v
		return e
	}
}
