// Package protected says what of a machine no call may touch unasked: Gavel's own files,
// sockets and addresses, the settings of programs that run agents, and the addresses where
// clouds hand out credentials. It compares paths and words with them; nothing is looked up,
// and whether such a place is closed is the policy's to say.
package protected

import (
	"slices"
)

// The kinds of protected place, as [gavel.Touch] has them.
const (
	kindState    = "state"
	kindPolicy   = "policy"
	kindHost     = "host"
	kindAddress  = "address"
	kindMetadata = "metadata"
)

// Self is where Gavel keeps its files and listens.
type Self struct {
	Files     []File
	Addresses []string // host:port, as a listener has them
}

func (s Self) same(other Self) bool {
	return slices.Equal(s.Files, other.Files) && slices.Equal(s.Addresses, other.Addresses)
}

func (s Self) clone() Self { return Self{slices.Clone(s.Files), slices.Clone(s.Addresses)} }

// File is a file of Gavel's, or a directory with all that is in it.
type File struct {
	Path   string // absolute
	Policy bool   // it is the policy, and else the state
	// Shared is true of a directory that holds other things too: then only files in it
	// that go by a name of Gavel's are its own.
	Shared bool
}
