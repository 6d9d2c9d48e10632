// Package client asks a running Gavel for decisions. It is for enforcement points written in
// Go: programs that can stop an agent's tool call before it runs.
//
//	gate, err := client.New(client.Config{Socket: "/run/gavel/gavel.sock"})
//	...
//	permit, err := gate.Authorize(ctx, call) // waits for a person if one must be asked
//	if err != nil {
//		return err // refused, or not decided: the call must not run
//	}
//	cmd, err := permit.Command(ctx, client.Where{Host: "gateway"})
//
// The package fails closed. A call may run only if Authorize returns a permit, and only
// Authorize can make one. The zero Decision denies, and the zero Permit runs nothing. An
// answer that is late, malformed, incomplete or about another call is an error.
//
// It needs the standard library only. The types of calls and decisions come from package
// gavel, which has no dependencies either.
package client
