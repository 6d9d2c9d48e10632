package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// markDataOnly marks the rules whose value depends only on data. Neither they nor what they call
// read the input, contain a "with" or a dynamic call, or call a built-in function that is
// nondeterministic or has a side effect.
func (p *Program) markDataOnly() {
	impure := map[*function]bool{}
	callers := map[*function][]*function{}
	for _, f := range p.functions {
		walkBlocks(f.source.Blocks, func(s ir.Stmt) {
			if p.isImpure(s) {
				impure[f] = true
			}
			if call, ok := s.(*ir.CallStmt); ok {
				if callee := p.byName[call.Func]; callee != nil {
					callers[callee] = append(callers[callee], f)
				}
			}
		})
	}
	var propagate func(f *function)
	propagate = func(f *function) {
		for _, caller := range callers[f] {
			if !impure[caller] {
				impure[caller] = true
				propagate(caller)
			}
		}
	}
	for _, f := range p.functions {
		if impure[f] {
			propagate(f)
		}
	}
	for _, f := range p.functions {
		f.dataOnly = f.isRule && !impure[f]
	}
}

// isImpure reports whether a statement by itself makes a function depend on more than data. Passing
// the input on to another function of the plan does not: only what the callee does with it counts.
func (p *Program) isImpure(s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.CallDynamicStmt, *ir.WithStmt:
		return true
	case *ir.CallStmt:
		if p.byName[s.Func] != nil {
			return usesInput(&ir.CallStmt{Args: s.Args[1:], Result: s.Result})
		}
		if _, decl := p.builtin(s.Func); decl == nil || decl.Nondeterministic || decl.Decl.Result() == nil || s.Func == "trace" {
			return true
		}
	}
	return usesInput(s)
}

func usesInput(s ir.Stmt) bool {
	found := false
	visitUses(s, func(l ir.Local, _ use) { found = found || l == ir.Input })
	return found
}
