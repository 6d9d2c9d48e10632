// Package site describes where a call would run, as far as that is known. It says what words mean
// there: which program a name finds, where a path leads, and whether it is in the workspace or
// protected. It judges nothing.
package site

import (
	"gavel"
	"gavel/analyzer/below"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/protected"
)

// Site is where one call would run: its directories, its search path, the host behind it, and its
// protected places. It must not be used concurrently.
type Site struct {
	Facts      gavel.EnvironmentFacts
	Host       *host.Watched
	SearchPath []string       // for programs, in order
	Protected  *protected.Set // Gavel's own files and addresses, and the other protected places
	Paths      *hazard.Paths  // what the tables say about paths
	Look       *below.Look    // what the policy denies to read; nil for nothing
	Keep       *below.Keep    // what it says of files that are written; nil for nothing
	// grounds are the workspace by its real path and as stated; "" if unknown.
	grounds [2]string
}
