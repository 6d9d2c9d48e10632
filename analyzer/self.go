package analyzer

import (
	"slices"
)

// The kinds of protected place, as [gavel.Touch] has them.
const (
	touchState    = "state"
	touchPolicy   = "policy"
	touchHost     = "host"
	touchAddress  = "address"
	touchMetadata = "metadata"
)

// Self is where Gavel keeps its files and listens.
type Self struct {
	Files     []SelfFile
	Addresses []string // host:port, as a listener has them
}

func (s Self) same(other Self) bool {
	return slices.Equal(s.Files, other.Files) && slices.Equal(s.Addresses, other.Addresses)
}

func (s Self) clone() Self { return Self{slices.Clone(s.Files), slices.Clone(s.Addresses)} }

// SelfFile is a file of Gavel's, or a directory with all that is in it.
type SelfFile struct {
	Path   string // absolute
	Policy bool   // it is the policy, and else the state
	// Shared is true of a directory that holds other things too: then only files in it
	// that go by a name of Gavel's are its own.
	Shared bool
}
