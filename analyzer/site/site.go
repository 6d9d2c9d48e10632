// Package site is where a call would run, as far as that is known, and answers what words
// mean there: which program a name finds, where a path leads, what of it is the workspace's
// own, and what of it is protected. Nothing is judged here.
package site

import (
	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/protected"
)

// Site is where one call would run: its directories, its search path, the host behind it,
// and what of it is protected. It is for one goroutine.
type Site struct {
	Facts      gavel.EnvironmentFacts
	Host       *host.Watched
	SearchPath []string       // of programs, in order
	Protected  *protected.Set // Gavel's own files and addresses, and others like them
	Paths      *hazard.Paths  // what the tables say of paths
	// grounds are the workspace by its real path and as it was stated; "" when it is not
	// known.
	grounds [2]string
}
