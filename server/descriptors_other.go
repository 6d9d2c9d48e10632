//go:build !unix

package server

// descriptors is how many files and connections this process may have open; this system
// does not say.
func descriptors() int { return 1024 }
