# METADATA
# title: Misses of names
# description: |
#   A rule that names a program without a path permits it only if nobody but root can change the
#   program, or if it is in a directory that the configuration trusts. This package explains why
#   such a rule does not permit the program that was found.
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
objection(segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), segment.executable.name, segment.executable.path, _why_not(segment.executable), shown.rules(_rule_paths(segment)), _verb(segment)],
	[_fix_for(segment.executable)],
	{"path": "tools.exec.trustedDirs"},
)

# METADATA
# scope: document
# description: some rules permit a program of this name, but not this one
applies(segment) if count(_rule_paths(segment)) > 0

_rule_paths(segment) := {rule.path | some rule in rules.matching_name_only(segment)}

_verb(segment) := "does" if {
	count({shown.rule(path) | some path in _rule_paths(segment)}) == 1
} else := "do"

_why_not(executable) := "is a file of the workspace" if {
	patterns.within(executable.real, patterns.workspace)
} else := "is in no directory that the policy trusts, and Gavel could not look at it" if {
	not input.environment.claimed == false
} else := "users other than root can change" if {
	count(executable.writable) > 0
} else := "is a link that users other than root can change" if {
	not executable.path == executable.real
} else := "goes by another name"

# What is in the workspace counts only where the configuration says so.
_fix_for(executable) := sprintf("%s, list ./%s under tools.exec.trustedDirs; or %s", [
	"if the project's programs are to be trusted",
	trim_prefix(_directory(executable), sprintf("%s/", [patterns.workspace])),
	_by_path(executable),
]) if {
	patterns.within(executable.path, patterns.workspace)
} else := sprintf("if it is to be trusted, %s", [_by_path(executable)]) if {
	patterns.within(executable.real, patterns.workspace)
} else := sprintf("if what is in %s is to be trusted, list it under tools.exec.trustedDirs; or %s", [_directory(executable), _by_path(executable)])

_directory(executable) := trim_suffix(executable.path, sprintf("/%s", [executable.name]))

_by_path(executable) := sprintf("permit the program by its path: program: %s", [executable.path])
