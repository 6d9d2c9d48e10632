# METADATA
# title: Program of a rule
# description: Whether a program is the one that a rule names
package gavel.exec.rules.identity

import data.gavel.exec.allowlist
import data.gavel.exec.programs
import data.gavel.resources
import data.gavel.resources.patterns

# METADATA
# scope: document
# description: |
#   the program is certainly the one that the rule names. By name: only root can have put it
#   there, or it is in a directory that the configuration trusts. By path: it is that file, or the
#   file that the path was a link to when the policy was loaded
certainly_named_by(rule, executable) if {
	not contains(rule.program, "/")
	programs.only_root_can_replace(executable)
	_base_name(executable.real) == rule.program
}

certainly_named_by(rule, executable) if {
	not contains(rule.program, "/")
	programs.only_root_can_replace(executable)
	executable.name == rule.program
	_base_name(executable.path) == rule.program
	some directory in data.gavel.catalog.exec.trusted_directories
	executable.path == sprintf("%s/%s", [directory, rule.program])
}

# A program of this machine that only root can change counts by its name in any directory, if it
# was not found through a link, or only root can change the link as well.
certainly_named_by(rule, executable) if {
	not contains(rule.program, "/")
	_only_root_can_change(executable)
	executable.path == executable.real
	_base_name(executable.real) == rule.program
}

certainly_named_by(rule, executable) if {
	not contains(rule.program, "/")
	_only_root_can_change(executable)
	executable.name == rule.program
	some directory in data.gavel.catalog.exec.trusted_directories
	executable.path == sprintf("%s/%s", [directory, rule.program])
}

# npm in /usr/local/bin is often a link to a file elsewhere, and python3 to one beside it.
certainly_named_by(rule, executable) if {
	not contains(rule.program, "/")
	_only_root_can_change(executable)
	executable.linkOfRoot == true
	executable.name == rule.program
	_base_name(executable.path) == rule.program
}

certainly_named_by(rule, executable) if {
	rule.program == executable.name
	programs.in_trusted_directory(executable)
}

certainly_named_by(rule, executable) if {
	contains(rule.program, "/")
	executable.found == true
	allowlist.matches(rule.program, executable.real, input.environment.home)
}

certainly_named_by(rule, executable) if {
	contains(rule.program, "/")
	executable.found == true
	rule.target != ""
	rule.target == executable.real
}

# A shell builtin that reads a file has no file of its own.
certainly_named_by(rule, executable) if {
	rule.program == executable.name
	executable.found == false
	data.gavel.catalog.programs.sources[rule.program]
}

# Below ./ are the programs of the workspace.
certainly_named_by(rule, executable) if {
	startswith(rule.program, "./")
	executable.found == true
	patterns.matches(rule.program, executable.real, input.environment.home)
}

# A claimed program was not looked at. Where an agent is root, it writes what belongs to root: what
# tools.write permits, and the workspace, which writable says.
_only_root_can_change(executable) if {
	executable.found == true
	executable.writable == []
	input.environment.claimed == false
	not _agent_writes(executable.path)
	not _agent_writes(executable.real)
}

_agent_writes(path) if resources.file_verdict("write", path).verdict == "allowed"

_base_name(path) := parts[count(parts) - 1] if parts := split(path, "/")
