// Package site describes where a call would run, as far as that is known. It takes words and paths,
// and says what they mean there: which program a name finds (search.go), which protected files a
// path touches (touch.go), and what is in the workspace (workspace.go). It judges nothing.
package site

import (
	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/protected"
	"gavel/analyzer/treescan"
)

// Site is where one call would run: its directories, its search path, the host behind it, and its
// protected places. It must not be used concurrently.
type Site struct {
	Facts      gavel.EnvironmentFacts
	Host       *host.Limited
	SearchPath []string             // for programs, in order
	Protected  *protected.Set       // Gavel's own files and addresses, and the other protected places
	Paths      *hazard.Paths        // what the tables say about paths
	Scanner    *treescan.Scanner    // searches for files that the policy denies to read; nil if there are none
	WriteLists *treescan.WriteLists // the policy's lists of files to write; nil if there are none
	// workspaceRoots are the workspace by its real path and as stated; "" if unknown.
	workspaceRoots [2]string
}
