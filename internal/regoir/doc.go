// Package regoir evaluates Rego for programs that embed OPA. It is an alternative to topdown, OPA's
// own evaluator in Go, for a program that evaluates the same policy many times.
//
// Topdown interprets the syntax tree of the rules. OPA can also plan a query: it translates the rules
// into its intermediate representation (IR), which is a small imperative language with locals, blocks
// and calls, made for backends such as WebAssembly. This package is a backend that translates a plan
// into Go closures, so nothing is interpreted at evaluation time. The built-in functions are those of
// topdown.
//
// The example shows how to get a plan from OPA and evaluate it. A query such as [data.a, data.b]
// plans several rules at once; [Instance.EvalRule] evaluates one of them. [Program.Save] and [Restore]
// pass a compiled plan to another process.
//
// # Contract
//
// A [Program] and an [Instance] are safe for concurrent use. Data, inputs and results must not be
// modified: a result may share memory with the data, the input and the policy.
//
// [Compile] refuses a plan with anything that it does not know, with an [UnsupportedError]. Callers
// also have to ask [PlannerDisagreement] whether the plan of a policy may mean something else than the
// policy. In both cases, use topdown.
//
// A rule is evaluated at most once for each pair of input and data in an evaluation, and a function
// once for equal arguments, unless it is so cheap that looking its value up would take longer. A rule
// that depends only on data is evaluated once for each Instance.
//
// An evaluation stops soon after its context ends. Its error is then a cancellation, see
// [topdown.IsCancel]. An error in the policy is a [topdown.Error] with a location.
//
// # Lazy values
//
// An input may be a [LazyObject], which computes its members when a rule looks them up. A program can
// evaluate a view of its own structs in this way, and convert only the fields that the policy reads.
// Results may be lazy, too: [Instance.EvalRuleLazy] returns them unconverted, [Get] and [Each] read a
// part of such a value, and [Materialize] converts it into an ordinary term. Values that are passed to
// topdown's functions are materialized first. [ShapeTable.Share] prepares a value that many inputs
// have in common.
//
// # How it works
//
//	OPA's planner        regoir
//	*ir.Policy --Compile--> Program --Bind(data)--> Instance --Eval(input)--> value or error
//
// Compile does little more than validate the plan. A function is translated when it is first called:
// it is analyzed, and each of its statements becomes a step, a closure over the registers of its
// operands. The registers of a call are a frame on the stack of the machine, which is the state of one
// evaluation. A nil register is undefined. A step ends with an outcome: go on, leave some blocks,
// return, or fail.
//
// The translator propagates constants and copies, so that many assignments need no step, fuses common
// sequences of statements, and replaces the most frequent built-in functions by intrinsics. Terms are
// immutable, so a builder collects the elements of an array, set or object until the analysis says
// that the value is complete.
//
// A scope caches the values of rules, the memo table of functions, and values looked up in the input.
// There is one scope for the evaluation, and one for each pair of input and data that a "with" makes.
//
// If many clauses of a function compare the same value with constants, a rule index finds those that
// may apply. If an iteration over a long list selects rules by each element, a prefilter does the same
// for the elements: a partial evaluator finds out, without an input, when an element has no effect.
//
// Errors come from conflicts (a clause's value differs from another's, or an object gets two values for
// a key), from built-in functions if Options.Strict is set, and from the context.
//
// # Where results may differ from topdown
//
// Values are the same, except as reported by PlannerDisagreement. Errors may differ, because an error
// in an expression is seen only if the expression is evaluated. The index here and topdown's skip
// different clauses, both evaluators stop when the value of a rule can only be one constant, and a
// conflict may be found before or after another error. The texts of conflicts may differ. With
// Options.Strict, any error ends the evaluation in both.
//
// # Files
//
//	program, validate          the compiled plan, and what Compile accepts
//	instance, machine          the API of evaluation, and the state of one evaluation
//	outcome, memo              how steps end; the memo table of functions
//	save, codec...             Save and Restore
//	disagreement               PlannerDisagreement
//
//	walk, analysis             uses of locals; what the translator knows about a function
//	dataonly, result           rules that depend only on data; when a function may return early
//	blocklocal                 locals that need no register of their own
//	constructions, nested      how arrays, sets and objects are built
//
//	translate, registers       the translator, and what it knows about locals
//	block, statement, control  blocks, statements, control flow
//	scan, call, build          iterations, calls, constructions
//	comparison, dispatch, fuse comparisons, selections by name, fused sequences
//	builtin, intrinsic...      calls to built-in functions
//	builder                    builders of arrays, sets and objects
//
//	guards, path, index        the rule index
//	prefilter, partial...      the prefilter of lists, and its partial evaluator
//	budget                     the limits of partial evaluation
//
//	value, order               operations on values
//	lazy..., shape             lazy values, and the shapes of objects
package regoir
