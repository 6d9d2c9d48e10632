# METADATA
# title: Allowlist
# description: |
#   Which allowlist entry a program matches. Patterns are globs over the real, absolute path
#   and are case-sensitive. * and ? stay inside a directory, ** crosses directories, ~ is the
#   home directory, and everything else is literal. A bare * matches any program that exists.
#   A pattern without / or ~ matches nothing (EXEC-2, R27).
#
#   A snapshot finds the entry through an index and puts it into the facts as segment.match;
#   stock OPA finds it here. A test compares the two. The entries of the approvals file come
#   after those of the configuration; in both cases the matching one is a fact,
#   segment.listed.
package gavel.exec.allowlist

import data.gavel.config

# METADATA
# description: the first entry that a segment's program matches, {"found", "pattern", "path", "args"}
entry(segment) := segment.match if {
	segment.match.found == true
} else := found[0] if {
	not segment.match
	segment.executable.found == true
	found := [{"found": true, "pattern": listed.pattern, "path": listed.path, "args": listed.args} |
		some listed in entries(input.agent.id)
		matches(listed.pattern, segment.executable.real, input.environment.home)
	]
	count(found) > 0
} else := segment.listed if {
	segment.executable.found == true
	segment.listed.found == true
} else := {"found": false, "pattern": "", "path": "", "args": []}

# METADATA
# description: the entries for an agent, the global ones first, as {"pattern", "path", "args"}
entries(id) := array.concat(_at("tools.exec", config.section(["tools", "exec", "allowlist"])), _agent(id))

_agent(id) := listed if {
	own := config.agent_setting(id, ["exec", "allowlist"])
	listed := _at(trim_suffix(own.path, ".allowlist"), own.value)
} else := []

_at(path, list) := [{"pattern": pattern, "path": sprintf("%s.allowlist[%d]", [path, i]), "args": _args(listed)} |
	some i, listed in list
	pattern := _pattern(listed)
]

_pattern(listed) := trim_space(listed) if is_string(listed)

_pattern(listed) := trim_space(listed.pattern) if is_object(listed)

# The argument hazards that the entry accepts: ["any"], or a list of names. Any other value
# accepts nothing.
_args(listed) := ["any"] if {
	listed.args == "any"
} else := [name | some name in listed.args; is_string(name); name != "any"] if {
	is_array(listed.args)
} else := []

# METADATA
# scope: document
# description: the path matches the pattern
matches("*", path, _) if path != ""

matches(pattern, path, home) if {
	contains(pattern, "/")
	path != ""
	[literal, subject] := _homed(pattern, path, home)
	glob.match(regex.replace(literal, `[\[\]{}\\!]`, `\$0`), ["/"], subject)
}

# The home directory is compared literally, so nothing in its name acts as a pattern.
_homed(pattern, path, home) := [substring(pattern, 1, -1), substring(path, count(home), -1)] if {
	startswith(pattern, "~/")
	startswith(home, "/")
	startswith(path, sprintf("%s/", [home]))
}

_homed(pattern, path, _) := [pattern, path] if not startswith(pattern, "~")
