package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// analysis is what the translator needs to know about a function beforehand. It depends only on the
// plan. Computing it takes longer than the translation itself, so a saved program contains it.
type analysis struct {
	constructions  *constructions
	blockLocal     map[ir.Local]bool // see findBlockLocals
	finalAssigns   map[ir.Stmt]bool  // see findFinalAssigns
	constantResult ir.Val            // see findConstantResult
	resultLocal    ir.Local          // the local to which the clauses assign constantResult
	cheap          bool              // evaluating the function again costs less than looking it up in the memo table
}

// analyze returns the analysis of a function. A restored function already has one.
func (f *function) analyze() *analysis {
	if f.analysis != nil {
		return f.analysis
	}
	c := findConstructions(f.source)
	a := &analysis{constructions: c, blockLocal: findBlockLocals(f.source, c), finalAssigns: findFinalAssigns(f.source), cheap: f.isCheap()}
	a.constantResult, a.resultLocal = findConstantResult(f.source)
	return a
}

// isCheap reports whether a function does not iterate, and calls only intrinsics and rules, whose
// values are cached themselves.
func (f *function) isCheap() bool {
	cheap := true
	walkBlocks(f.source.Blocks, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.ScanStmt, *ir.WithStmt, *ir.CallDynamicStmt:
			cheap = false
		case *ir.CallStmt:
			callee := f.program.byName[s.Func]
			unary, binary := intrinsic(s.Func)
			isIntrinsic := (unary != nil || binary != nil) && f.program.options.Builtins[s.Func] == nil
			cheap = cheap && (isIntrinsic || callee != nil && callee.isRule)
		}
	})
	return cheap
}
