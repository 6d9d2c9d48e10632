package gavel

import "strings"

// Searches says what the analyzer has to know of the policy: where programs are looked up
// first, and which directory is the workspace, for every agent. It comes with a snapshot and
// never changes. A nil one says nothing: nothing comes before the search path, and the gateway
// alone states the workspace.
type Searches struct {
	// WithoutWords is true for a policy that does not read how programs read their words.
	// Commands, Options and Operands of segments and wrappers are then empty, and marked as
	// not known.
	WithoutWords bool
	// Agents has the agents with settings of their own, by id; Others holds for every other.
	Agents map[string]AgentSearch
	Others AgentSearch
}

// AgentSearch is the same for one agent. The zero value finds no program.
type AgentSearch struct {
	// First are the directories that come before the search path. A leading ~ is the home
	// directory where the command runs; an entry that is not absolute ends every search.
	First []string
	// Hosts has the hosts that a call may ask for, "" for none in particular, and whether
	// First holds there. On a host that it does not have, no program is found.
	Hosts map[string]bool
	// Workspace is the directory that calls may treat as their own, or "".
	Workspace string
	// Denied are the files that the policy denies to read; nil if it denies none.
	Denied Files
	// Unwritable are the files that the policy denies to write, nil if it denies none. Each of
	// Writable are those that one allow list for writing names: a file must be on all of them.
	Unwritable Files
	Writable   []Files
}

// Files are files that patterns name.
type Files interface {
	// May reports whether a file of this name may be among them, unless a directory that it is in
	// is itself. folds says that names are compared without regard to case.
	May(name string, folds bool) bool
	// Has reports whether the file at an absolute, clean path is among them. home and workspace
	// are absolute directories, or "".
	Has(path, home, workspace string, folds bool) bool
}

// Search is what a policy says of where a call runs.
type Search struct {
	// First are directories in which programs are looked for before the search path.
	First []string
	// Workspace is the directory that the call may treat as its own; "" leaves that to
	// the gateway. One that is not absolute is unknown, which makes every place foreign.
	Workspace string
	Denied    Files // that the policy denies to read; nil for none
	// Unwritable and Writable are as in AgentSearch.
	Unwritable Files
	Writable   []Files
}

// Of returns what holds for a call of an agent that asks for a host; home is the home
// directory where it runs, or "".
func (s *Searches) Of(agent, host, home string) Search {
	if s == nil {
		return Search{}
	}
	own, ok := s.Agents[agent]
	if !ok {
		own = s.Others
	}
	holds, known := own.Hosts[host]
	if !known && (own.Hosts == nil || len(own.First) > 0) {
		return Search{First: []string{""}, Workspace: "?", Denied: own.Denied, Unwritable: own.Unwritable, Writable: own.Writable}
	}
	search := Search{Workspace: own.Workspace, Denied: own.Denied, Unwritable: own.Unwritable, Writable: own.Writable}
	if home != "" && strings.HasPrefix(search.Workspace, "~/") {
		search.Workspace = home + search.Workspace[1:]
	}
	if !holds {
		return search
	}
	for _, dir := range own.First {
		if home != "" && strings.HasPrefix(dir, "~") {
			dir = home + dir[1:]
		}
		search.First = append(search.First, dir)
	}
	return search
}
