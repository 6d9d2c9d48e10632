// Package protected matches paths and addresses that no call may touch without being asked about:
// Gavel's own files, sockets and addresses, the settings of programs that run agents, and the
// addresses where clouds hand out credentials. It takes absolute paths and words, returns the kind of
// what they name, and looks nothing up. The policy decides what a kind means.
//
// self.go describes Gavel's own files and addresses, catalog.go has the patterns of a policy, and
// set.go combines both for one call ([Set]).
package protected

import (
	"slices"
)

// The kinds of protected path and address, as [gavel.Touch] has them.
const (
	kindState    = "state"
	kindPolicy   = "policy"
	kindHost     = "host"
	kindAddress  = "address"
	kindMetadata = "metadata"
)

// Self has the files of this Gavel process, and the addresses on which it listens.
type Self struct {
	Files     []File
	Addresses []string // host:port, as a listener has them
}

func (s Self) same(other Self) bool {
	return slices.Equal(s.Files, other.Files) && slices.Equal(s.Addresses, other.Addresses)
}

func (s Self) clone() Self { return Self{slices.Clone(s.Files), slices.Clone(s.Addresses)} }

// File is one of Gavel's files, or a directory with everything below it.
type File struct {
	Path   string // absolute
	Policy bool   // part of the policy; otherwise of the state
	// Program is true for a program of Gavel that hosts run: agents may read it, but not change it.
	Program bool
	// Shared is true for a directory that also holds other files. Then only files that have one
	// of Gavel's names belong to Gavel.
	Shared bool
}

func (f File) kind() string {
	switch {
	case f.Program:
		return kindHost
	case f.Policy:
		return kindPolicy
	}
	return kindState
}
