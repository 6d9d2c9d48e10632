// Command soundness checks the one promise of docs/security.md against real
// shells: if the decision is allow, running exec.command runs no program and
// writes no file that the policy did not allow.
//
// It makes shell commands, plain and devious, from a grammar and by mutating
// corpora; decides each by the analyzer and the shipped policy; and runs what was
// allowed in every shell that is installed, in a throw-away root of stub programs
// that only say that they ran. What ran and what was written must be what the
// decision says. The same seed makes the same commands.
//
//	go run ./tools/soundness -n 2000 -seed 1
//
// It exits with 1 when something escaped, and with 2 when it could not check.
package main
