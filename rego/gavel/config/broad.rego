# What a configuration permits more of than its author may think. Each is allowed, and a
# warning of gavel check.
package gavel.config

import data.gavel.catalog

warnings contains {
	"path": place.path,
	"message": sprintf("pattern %q permits every program there, and each that comes there later", [place.value]),
	"fix": "name the programs",
} if {
	some place in _allowlist_places
	regex.match(`^(\*\*|/\*{1,2}|[~/].*/\*{1,2})$`, place.value)
}

warnings contains {
	"path": place.path,
	"message": sprintf("args any for %q permits any code: the program runs what its arguments say", [place.value]),
	"fix": "leave args out, list the options that are needed, or name the scripts themselves",
} if {
	some place in _entry_places
	place.entry.args == "any"
	_runs_words(place.value)
}

warnings contains {
	"path": sprintf("%s.security", [place.path]),
	"message": sprintf("security full with ask off: every command of %s runs, and nobody is asked", [place.who]),
	"fix": "use security: allowlist, or ask: on-miss",
} if {
	some place in _scopes_of_exec
	_effective(place.own, "security") == "full"
	_effective(place.own, "ask") == "off"
}

_runs_words(pattern) if _program(pattern) in catalog.exec.offer.interpreters

_runs_words(pattern) if catalog.wrappers.programs[_program(pattern)]

_runs_words(pattern) if catalog.exec.opaque[_program(pattern)]

_program(pattern) := trim_right(trim_suffix(lower(name), ".exe"), "0123456789.-_*?") if {
	parts := split(trim_space(pattern), "/")
	name := parts[count(parts) - 1]
}

_entry_places contains {"path": sprintf("%s[%d]", [concat(".", path), i]), "value": entry.pattern, "entry": entry} if {
	walk(_tool_sections, [path, list])
	path[count(path) - 1] == "allowlist"
	some i, entry in list
	is_object(entry)
	is_string(entry.pattern)
}

# Everybody together, agents without an entry, and each agent that says something itself.
_scopes_of_exec contains {"path": "tools.exec", "who": "every agent", "own": []}

_scopes_of_exec contains {"path": sprintf("agents.%s.exec", [id]), "who": sprintf("agent %s", [id]), "own": [agent.exec]} if {
	some id, agent in section(["agents"])
	is_object(agent.exec)
	some key in ["security", "ask"]
	agent.exec[key]
}

_effective(own, key) := found[0] if {
	found := [value | some scope in array.concat(own, _shared_exec); value := scope[key]]
}

_shared_exec := [scope | some scope in [section(["agents", "defaults", "exec"]), section(["tools", "exec"])]; is_object(scope)]
