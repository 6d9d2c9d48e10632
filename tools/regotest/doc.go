// Command regotest runs the Rego tests of a bundle directory, like `opa test -b DIR`, but several
// times faster, and shows its progress.
//
//	regotest [-run REGEXP] [-ignore GLOB] [-parallel N] [-timeout D] [-topdown] [-v] DIR
//
// OPA's own test runner compiles the tests, so they mean the same. There are three differences:
//
//   - All tests are planned together, and the compiled plan (internal/regoir) evaluates them. A
//     test that fails there runs again with OPA's topdown, which shows what the test prints and
//     where an error occurs. If it passes with topdown, the two evaluators disagree, and the test
//     fails. With -topdown, only topdown evaluates.
//   - For tests with named cases (test_x[name]), opa test traces every step with the values of all
//     local variables. This command records only the names of the cases.
//   - A test without cases fails, and so does a test that is marked as unfinished (todo_).
package main
