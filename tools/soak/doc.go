// Command soak runs a real gavel serve for a while and does everything to it at
// once: clients send the corpora over TCP and over the unix socket, the policy
// changes twice a second, people answer questions or do not, listeners come and go.
//
// It holds the answers against what must be true whatever happens: no request
// fails, a revision has one effect for a call and a batch one revision, an answer
// of a person is used exactly once, every decision is in the decision log, nothing
// grows, and SIGTERM ends it cleanly. Then another server is besieged: an attacker in a
// process of its own, beside a victim (-siege does only that).
//
//	go run ./tools/soak -for 30s
//
// It exits with 1 and says why when something was not true, and with 2 when it
// could not check. Then the server's files are kept.
package main
