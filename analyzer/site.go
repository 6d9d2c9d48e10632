package analyzer

import (
	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
)

// site is where a call would run, as far as that is known: its directories, its search
// path, the host behind it, and what of it is Gavel's own. It is for one goroutine.
type site struct {
	facts gavel.EnvironmentFacts
	host  *host.Watched
	path  []string
	self  *selves
	paths *hazard.Paths // what the tables say of paths
	// grounds are the workspace by its real path and as it was stated; "" when it is not
	// known.
	grounds [2]string
}
