package regoir

import "github.com/open-policy-agent/opa/v1/ast"

// step executes a part of a function. The registers r hold the values of the plan's locals; nil is
// undefined.
type step func(m *machine, r []*ast.Term) outcome

// outcome says how a step, or the steps of a block, ended.
type outcome int

const (
	defined   outcome = 0       // continue with the next step
	undefined outcome = 1       // leave the block; undefined+n also leaves n blocks around it
	returned  outcome = 1 << 20 // leave the function; machine.returnValue is its value
	failed    outcome = 1 << 21 // leave the evaluation; machine.err is the reason
)

// always returns a step that does nothing but end with an outcome.
func always(e outcome) step { return func(*machine, []*ast.Term) outcome { return e } }

// outcomeOf is the outcome of a comparison.
func outcomeOf(holds bool) outcome {
	if holds {
		return defined
	}
	return undefined
}

// exitBlock turns the outcome of a block into that of the statement that contains the block: a
// break has one block less to leave.
func (e outcome) exitBlock() outcome {
	if e < returned {
		return e - 1
	}
	return e
}

// exitInlined applies exitBlock once for each inlined block that contains the step at index i. The
// blocks are given by the index of their first step, and all of them reach to the last step.
func (e outcome) exitInlined(inlined []int, i int) outcome {
	for _, first := range inlined {
		if first <= i && e != defined {
			e = e.exitBlock()
		}
	}
	return e
}
