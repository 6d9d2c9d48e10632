//go:build !unix

package runner

import "gavel/runner/spawn"

// suspend does nothing: the platform has no job control.
func suspend(*spawn.Process) {}
