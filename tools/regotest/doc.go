// Command regotest runs the Rego tests of a bundle directory, as `opa test -b DIR` does, in a
// small part of the time, and shows its progress.
//
// OPA's own runner compiles the tests here too, so that a test means the same in both.
// The differences are in how they are evaluated. All tests are planned together, and the
// compiled plan (internal/regoir) evaluates them. A test that fails there runs again with OPA's
// topdown, for what it prints, and the command says so if it passes with topdown. With
// -topdown only topdown evaluates. Of tests with named cases (test_x[name]), `opa test` traces
// every step with the values of all local variables, to show a trace of each case; this command
// records which cases were tried and nothing else. It is also stricter: a test that tries no
// case fails, and so does a test that is left for later (todo_).
//
//	regotest [-run REGEXP] [-ignore GLOB] [-parallel N] [-timeout D] [-topdown] [-v] DIR
package main
