# METADATA
# title: Program of a rule
# description: Whether a program is the one that a rule names
package gavel.exec.rules.called

import data.gavel.exec.allowlist
import data.gavel.exec.programs
import data.gavel.resources
import data.gavel.resources.patterns

# METADATA
# scope: document
# description: |
#   the program is surely the one that the rule names: by its name one that only root can put
#   there, whatever leads to it, or one in a directory that the configuration trusts; by a path the
#   file that it is, or led to when the policy was loaded
surely(rule, executable) if {
	not contains(rule.program, "/")
	programs.unalterable(executable)
	_base(executable.real) == rule.program
}

surely(rule, executable) if {
	not contains(rule.program, "/")
	programs.unalterable(executable)
	executable.name == rule.program
	_base(executable.path) == rule.program
	some directory in data.gavel.catalog.exec.trusted_directories
	executable.path == sprintf("%s/%s", [directory, rule.program])
}

# A program of this machine that only root can change is what it is called, in any directory:
# where it was found is where it is, or a link there that only root can change either.
surely(rule, executable) if {
	not contains(rule.program, "/")
	_of_root(executable)
	executable.path == executable.real
	_base(executable.real) == rule.program
}

surely(rule, executable) if {
	not contains(rule.program, "/")
	_of_root(executable)
	executable.name == rule.program
	some directory in data.gavel.catalog.exec.trusted_directories
	executable.path == sprintf("%s/%s", [directory, rule.program])
}

# npm in /usr/local/bin is often a link to a file elsewhere, and python3 to one beside it.
surely(rule, executable) if {
	not contains(rule.program, "/")
	_of_root(executable)
	executable.linkOfRoot == true
	executable.name == rule.program
	_base(executable.path) == rule.program
}

surely(rule, executable) if {
	rule.program == executable.name
	programs.in_trusted_directory(executable)
}

surely(rule, executable) if {
	contains(rule.program, "/")
	executable.found == true
	allowlist.matches(rule.program, executable.real, input.environment.home)
}

surely(rule, executable) if {
	contains(rule.program, "/")
	executable.found == true
	rule.target != ""
	rule.target == executable.real
}

# A shell builtin that reads a file has no file of its own.
surely(rule, executable) if {
	rule.program == executable.name
	executable.found == false
	data.gavel.catalog.programs.sources[rule.program]
}

# Below ./ are the programs of the workspace.
surely(rule, executable) if {
	startswith(rule.program, "./")
	executable.found == true
	patterns.matches(rule.program, executable.real, input.environment.home)
}

# A claimed program was not looked at. Where an agent is root, it writes what belongs to root: what
# tools.write permits, and the workspace, which writable says.
_of_root(executable) if {
	executable.found == true
	executable.writable == []
	input.environment.claimed == false
	not _agent_writes(executable.path)
	not _agent_writes(executable.real)
}

_agent_writes(path) if resources.judged("write", path).verdict == "allowed"

_base(path) := parts[count(parts) - 1] if parts := split(path, "/")
