package gavel

import "strings"

// AnalyzerSettings has what the analyzer must know about the policy before it looks anything up: where
// programs are searched first, which directory is the workspace, and which files the policy denies, for
// every agent. It belongs to a snapshot and never changes. Nil means that nothing comes before the
// search path, and that only the gateway states the workspace.
type AnalyzerSettings struct {
	// WithoutWords is true if the policy does not use how programs interpret their words. Commands,
	// Options and Operands of segments and wrappers are then empty, and marked as unknown.
	WithoutWords bool
	// Agents has the agents with settings of their own, by id; Others applies to every other agent.
	Agents map[string]AgentSettings
	Others AgentSettings
}

// AgentSettings has the settings for one agent. With the zero value, no program is found.
type AgentSettings struct {
	// First are the directories that come before the search path. A leading ~ is the home
	// directory where the command runs; an entry that is not absolute ends every search.
	First []string
	// Hosts maps the hosts that a call may ask for, or "" if it asks for none, to whether First
	// applies there. On any other host, no program is found.
	Hosts map[string]bool
	// Workspace is the directory that calls may treat as their own, or "".
	Workspace string
	// Denied are the files that the policy denies to read; nil if it denies none.
	Denied Files
	// Unwritable are the files that the policy denies to write, nil if it denies none. Writable has
	// one element for each allow list for writing: a file must be in all of them.
	Unwritable Files
	Writable   []Files
}

// Files is a set of files, given by patterns.
type Files interface {
	// May reports whether a file with this base name may be in the set, apart from files that are in
	// it because of their directory. If folds is true, case is ignored.
	May(name string, folds bool) bool
	// Has reports whether the file at an absolute, clean path is in the set. home and workspace are
	// absolute directories, or "".
	Has(path, home, workspace string, folds bool) bool
}

// CallSettings are the settings that apply to one call.
type CallSettings struct {
	// First are directories in which programs are looked up before the search path.
	First []string
	// Workspace is the directory that the call may treat as its own; "" leaves that to the gateway.
	// One that is not absolute is unknown, and then every directory is outside the workspace.
	Workspace string
	Denied    Files // that the policy denies to read; nil for none
	// Unwritable and Writable are as in AgentSettings.
	Unwritable Files
	Writable   []Files
}

// ForCall returns the settings for a call of an agent that asks for a host. home is the home directory where
// the call runs, or "".
func (s *AnalyzerSettings) ForCall(agent, host, home string) CallSettings {
	if s == nil {
		return CallSettings{}
	}
	settings, ok := s.Agents[agent]
	if !ok {
		settings = s.Others
	}
	applies, known := settings.Hosts[host]
	if !known && (settings.Hosts == nil || len(settings.First) > 0) {
		return CallSettings{First: []string{""}, Workspace: "?", Denied: settings.Denied, Unwritable: settings.Unwritable, Writable: settings.Writable}
	}
	search := CallSettings{Workspace: settings.Workspace, Denied: settings.Denied, Unwritable: settings.Unwritable, Writable: settings.Writable}
	if home != "" && strings.HasPrefix(search.Workspace, "~/") {
		search.Workspace = home + search.Workspace[1:]
	}
	if !applies {
		return search
	}
	for _, dir := range settings.First {
		if home != "" && strings.HasPrefix(dir, "~") {
			dir = home + dir[1:]
		}
		search.First = append(search.First, dir)
	}
	return search
}
