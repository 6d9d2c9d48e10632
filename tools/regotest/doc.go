// Command regotest runs the Rego tests of a bundle directory, as `opa test -b DIR` does, in a
// fifth of the time, and shows its progress.
//
// OPA's own runner compiles the tests here too, so that a test means the same in both.
// The difference is how tests with named cases (test_x[name]) are evaluated: `opa test`
// traces every step with the values of all local variables, to show a trace of each case.
// This command records which cases were tried and nothing else. It is also stricter:
// a test that tries no case fails, and so does a test that is left for later (todo_).
//
//	regotest [-run REGEXP] [-ignore GLOB] [-parallel N] [-timeout D] [-v] DIR
package main
