// Command soak runs a real gavel serve for a while and does everything to it at once: clients
// send the corpora over TCP and the unix socket, the policy changes twice a second, people answer
// questions or ignore them, listeners come and go, and an outside verifier allows, denies, is slow,
// down or broken.
//
// It checks the answers against what must always hold: no request fails, a revision has one
// effect for a call, a batch has one revision, a person's answer is used exactly once, every
// decision is in the decision log, nothing grows, and SIGTERM ends the server cleanly. Then
// another server is attacked by a separate process while a victim makes requests (-siege does
// only that).
//
//	go run ./tools/soak -for 30s
//	go run ./tools/soak -verified -for 30s   how much calls that wait for a verifier cost others
//
// It exits with 1 and gives the reason if something did not hold, and with 2 if it could not
// check. In both cases, the server's files are kept.
package main
