// Command soundness checks the promise of docs/security.md against real shells: if the decision
// is allow, running exec.command runs no program and writes no file that the policy did not
// allow.
//
// It generates shell commands, plain and devious, from a grammar and by mutating corpora. It
// decides each with the analyzer and the shipped policy, and runs what was allowed in every
// installed shell, in a temporary root with stub programs that only record that they ran. What
// ran and what was written must match the decision. The same seed generates the same commands.
//
//	go run ./tools/soundness -n 2000 -seed 1
//
// With -gavel PROGRAM each command that is allowed goes through gavel run of that program as it was
// asked, which decides, compares, holds and starts by itself.
//
// It exits with 1 if something escaped, and with 2 if it could not check.
package main
