package regoir

import (
	"github.com/open-policy-agent/opa/v1/ir"
)

// findDataOnly finds the rules whose value depends on nothing but the data: they do not read
// the input, not even through what they call, replace nothing, and use no built-in function
// that depends on more than its arguments or has an effect.
func (p *Program) findDataOnly() {
	depends := map[*function]bool{}
	callers := map[*function][]*function{}
	for _, f := range p.functions {
		walkBlocks(f.source.Blocks, func(s ir.Stmt) {
			if p.dependsOnMore(s) {
				depends[f] = true
			}
			if call, ok := s.(*ir.CallStmt); ok {
				if called := p.byName[call.Func]; called != nil {
					callers[called] = append(callers[called], f)
				}
			}
		})
	}
	var spread func(f *function)
	spread = func(f *function) {
		for _, caller := range callers[f] {
			if !depends[caller] {
				depends[caller] = true
				spread(caller)
			}
		}
	}
	for _, f := range p.functions {
		if depends[f] {
			spread(f)
		}
	}
	for _, f := range p.functions {
		f.dataOnly = f.isRule && !depends[f]
	}
}

// dependsOnMore reports whether a statement itself makes a rule depend on more than data. That
// input is handed to a planned function is no use of it.
func (p *Program) dependsOnMore(s ir.Stmt) bool {
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
