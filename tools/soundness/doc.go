// Command soundness checks the promise of docs/security.md against real shells: if the decision
// is allow, running exec.command runs no program and writes no file that the policy did not
// allow.
//
//	go run ./tools/soundness -n 2000 -seed 1
//
// It generates ordinary and malicious shell commands from a grammar and by mutating a corpus. The same
// seed generates the same commands. It decides each command with the analyzer and the shipped policy.
// What is allowed runs in every installed shell, in a temporary root with stub programs that only
// record how they were called. The programs that ran and the files that changed must match the
// decision; anything else is an escape.
//
// With -gavel PROGRAM, an allowed command runs through gavel run of that program instead of a shell.
//
// The exit code is 1 if a command escaped, and 2 if soundness could not check.
package main
