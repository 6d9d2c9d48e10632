// Command soak is a soak test of gavel serve.
//
//	go run ./tools/soak -for 30s
//	go run ./tools/soak -siege -for 30s      only the siege
//	go run ./tools/soak -verified -for 30s   how much calls that wait for a verifier slow others
//
// It runs a real server under mixed load: clients send the corpora over TCP and the unix socket, the
// policy changes twice a second, people answer questions or ignore them, event listeners connect and
// disconnect, and an outside verifier allows, denies, is slow, fails or hangs. It checks that
//
//   - no request fails,
//   - a revision has one effect for a call, and a batch has one revision,
//   - a person's answer is used exactly once,
//   - every decision is in the decision log,
//   - memory, goroutines and open files do not grow,
//   - SIGTERM ends the server cleanly.
//
// Then comes the siege: a separate process attacks another server while a victim makes requests.
//
// The exit code is 1 if a check failed, and 2 if soak could not check. In both cases, the server's
// files are kept.
package main
