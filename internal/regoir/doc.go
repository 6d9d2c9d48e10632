// Package regoir evaluates Rego that OPA's planner has turned into its intermediate
// representation (IR), in Go. It is an alternative to topdown for programs that embed OPA and
// evaluate the same policy many times: a plan is translated into closures once, so that no
// syntax tree is walked when it is evaluated.
//
// # Use
//
//	plan := ...                                   // an *ir.Policy, see below
//	program, err := regoir.Compile(plan, regoir.Options{Strict: true})
//	instance := program.Bind(data)                // once for each version of the data
//	value, err := instance.Eval(ctx, input)       // or instance.EvalRule(ctx, "data.a.b", input)
//
// OPA hands over a plan through [rego.TargetPlugin]: register a plugin whose PrepareForEval
// keeps the *ir.Policy, and prepare a query with rego.Target. A query such as [data.a, data.b]
// plans several rules at once; EvalRule evaluates one of them.
//
// An input need not be made before it is evaluated: an [Object] makes its members when a rule
// looks at them, so that a program hands over a view of its own structs.
//
//	type view struct {
//		regoir.Object
//		call *Call
//	}
//	func (v *view) Member(n int) *ast.Term { ... }      // by number in the shape
//	input := v.Make(regoir.NewShape("user", "path"), v) // for one evaluation
//
// A part that many inputs have in common is made once: [Shapes.Shared] makes an [Object] of it that
// evaluations may use at the same time.
//
// EvalRuleDeferred returns a value that is as late: [Field] and [Each] read a part of it, [Whole]
// makes all of it. Where OPA's own functions are called with such a value, it is made whole
// before.
//
// # Contract
//
// A [Program] and an [Instance] never change and are safe for concurrent use. Data, inputs and
// results are values that nobody may change: a result may contain parts of the data, of the
// input and of constants of the policy. Nothing that can change is shared by two evaluations:
// a set, array or object that is being built is of a type of its own ([growing], [tree]) until
// its last element is known, and only then becomes a value. Values of one evaluation may be an
// [Object], [Array] or [Set], which keep what was made of them; what an Instance keeps for other
// evaluations is whole.
//
// Compile refuses what it does not know with an [UnsupportedError]; nothing is guessed. Such a
// policy is for topdown.
//
// Rules are evaluated at most once for each evaluation and pair of input and data (so "with"
// sees its own values), functions once for equal arguments. Rules that read nothing but data
// are evaluated once for each Instance.
//
// Of rules that ask for a value only those are evaluated that may find theirs (index.go), also where an
// iteration of a long list chooses packages of such rules by name (sieve.go). What is passed over could
// only have been undefined or empty.
//
// An evaluation stops soon after its context ends: the context is looked at for every call and
// every step of an iteration. The error is then a cancellation as [topdown.IsCancel] knows it.
// Errors are [topdown.Error] with file and line.
//
// # Where results may differ from topdown
//
// Values are the same, but for a few kinds of rules about which OPA's planner and topdown do not
// agree; [Unlike] finds them. A caller that needs topdown's values evaluates policies with such
// rules with topdown. Errors may not be the same: an error in an expression that only one of the
// two evaluates is only seen by that one. topdown's index of rules and the one here skip different
// rules, both stop when a rule of a constant value is known, and a conflict may be found before
// or after another error. With Options.Strict an error ends the evaluation in both. The texts
// of conflicts may differ.
package regoir
