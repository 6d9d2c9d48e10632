# METADATA
# title: Misses of names
# description: |
#   A rule that permits a program by its name holds for a program that only root can change, and in
#   directories that the configuration trusts. Here is said why it does not hold for the one that was
#   found under this name.
# schemas:
#   - input: schema.facts
package gavel.exec.misses.named

import data.gavel.exec.rules
import data.gavel.exec.shown
import data.gavel.reason
import data.gavel.resources.patterns

# METADATA
# title: Name does not cover the program
# description: a rule permits a program of this name, and the one that was found may be another one
# custom:
#   code: exec.rule_name
#   message: '%s: %s is %s, which %s, so %s %s not permit it by its name'
#   fix: '%s'
#   advises: list its directory under tools.exec.trustedDirs, or write a rule with its path
explained(segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), segment.executable.name, segment.executable.path, _why(segment.executable), shown.rules(_paths(segment)), _verb(segment)],
	[_fix(segment.executable)],
	{"path": "tools.exec.trustedDirs"},
)

# METADATA
# scope: document
# description: some rules permit a program of this name, but not this one
applies(segment) if count(_paths(segment)) > 0

_paths(segment) := {rule.path | some rule in rules.by_name(segment)}

_verb(segment) := "does" if {
	count({shown.rule(path) | some path in _paths(segment)}) == 1
} else := "do"

_why(executable) := "is a file of the workspace" if {
	patterns.within(executable.real, patterns.here)
} else := "is in no directory that the policy trusts, and Gavel could not look at it" if {
	not input.environment.claimed == false
} else := "users other than root can change" if {
	count(executable.writable) > 0
} else := "is a link that users other than root can change" if {
	not executable.path == executable.real
} else := "goes by another name"

# What is in the workspace counts only where the configuration says so.
_fix(executable) := sprintf("%s, list ./%s under tools.exec.trustedDirs; or %s", [
	"if the project's programs are to be trusted",
	trim_prefix(_directory(executable), sprintf("%s/", [patterns.here])),
	_by_path(executable),
]) if {
	patterns.within(executable.path, patterns.here)
} else := sprintf("if it is to be trusted, %s", [_by_path(executable)]) if {
	patterns.within(executable.real, patterns.here)
} else := sprintf("if what is in %s is to be trusted, list it under tools.exec.trustedDirs; or %s", [_directory(executable), _by_path(executable)])

_directory(executable) := trim_suffix(executable.path, sprintf("/%s", [executable.name]))

_by_path(executable) := sprintf("permit the program by its path: program: %s", [executable.path])
