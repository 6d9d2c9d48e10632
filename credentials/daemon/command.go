package daemon

import "gavel/credentials/wire"

// command is what is run, on every system.
type command struct {
	binary string
	args   []string
	env    []string
	dir    *directory
	stdin  bool
	pty    bool
	size   *wire.WindowSize
}
