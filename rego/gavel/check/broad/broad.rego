# METADATA
# title: Broad settings
# description: |
#   Settings that permit more, or less, than their author may expect. All are valid; gavel
#   check warns about them.
package gavel.check.broad

import data.gavel.catalog
import data.gavel.check.places
import data.gavel.config

# METADATA
# scope: document
# description: settings that deserve a second look, each {"path", "message", "fix"}
warnings contains {
	"path": place.path,
	"message": sprintf("pattern %q has no / and never matches: patterns are compared with full paths", [place.value]),
	"fix": sprintf("write the full path, or **/%s", [place.value]),
} if {
	some place in places.allowlist_entries
	not regex.match(`[/~]`, place.value)
	place.value != "*"
}

warnings contains {
	"path": place.path,
	"message": "pattern \"*\" permits every program that exists",
	"fix": "name the programs, or set security: full explicitly",
} if {
	some place in places.allowlist_entries
	place.value == "*"
}

warnings contains {
	"path": sprintf("%s.%s", [place.path, key]),
	"message": sprintf("the sender can choose %s freely, so it proves nothing", [split(key, ":")[0]]),
	"fix": "use id: or e164: instead",
} if {
	some place in places.sender_lists
	some key, _ in place.value
	split(key, ":")[0] in {"name", "username"}
}

warnings contains {
	"path": place.path,
	"message": "only these files may be written: that goes for the tools write, edit and apply_patch too, not just for redirections and programs",
	"fix": "add ./** if the tools should still write in the whole workspace",
} if {
	some place in places.write_lists
	count(place.value) > 0
	every pattern in place.value { not pattern in {"./**", "/**", "**", "~/**"} }
}

warnings contains {
	"path": place.path,
	"message": sprintf("%q: users can change their %s, so it proves nothing", [place.value, part]),
	"fix": "use id:, from: or e164: instead, or the channel and the id, as in discord:123456789",
} if {
	some place in (places.elevators | places.commanders)
	part := split(place.value, ":")[0]
	part in catalog.elevated.changeable
}

warnings contains {
	"path": place.path,
	"message": "everybody who can send the agent a message may let its commands leave the sandbox",
	"fix": "name the senders, as in discord:123456789",
} if {
	some place in places.elevators
	place.value == "*"
}

warnings contains {
	"path": place.path,
	"message": sprintf("everybody who can send the agent a message may %s", [place.may]),
	"fix": "name the senders, as in discord:123456789",
} if {
	some place in places.commanders
	place.value == "*"
}

warnings contains {
	"path": place.path,
	"message": sprintf("pattern %q permits every program there, now and later", [place.value]),
	"fix": "name the programs",
} if {
	some place in places.allowlist_entries
	regex.match(`^(\*\*|/\*{1,2}|[~/].*/\*{1,2})$`, place.value)
}

warnings contains {
	"path": place.path,
	"message": sprintf("args any for %q permits any code: the program runs code from its arguments", [place.value]),
	"fix": "leave args out, list the options that are needed, or list the scripts instead",
} if {
	some place in _entry_places
	place.entry.args == "any"
	_runs_words(place.value)
}

warnings contains {
	"path": sprintf("%s.security", [place.path]),
	"message": sprintf("security full with ask off: every command of %s runs without asking", [place.who]),
	"fix": "use security: allowlist, or ask: on-miss",
} if {
	some place in _scopes_of_exec
	_effective(place.own, "security") == "full"
	_effective(place.own, "ask") == "off"
}

warnings contains {
	"path": sprintf("%s.autoAllowSkills", [section.path]),
	"message": "programs that no entry names may run: whatever a gateway states as registered by a skill, with any argument that is not a hazard",
	"fix": "list the programs of the skills in allowlist, or write rules for them",
} if {
	some section in places.exec_sections
	section.value.autoAllowSkills == true
}

warnings contains {
	"path": sprintf("%s.autoAllowSkills", [place.path]),
	"message": sprintf("autoAllowSkills changes nothing for %s: security is %s", [place.who, mode]),
	"fix": "use security: allowlist, or remove the key",
} if {
	some place in _scopes_of_exec
	_effective(place.own, "autoAllowSkills") == true
	mode := _effective(place.own, "security")
	mode in {"deny", "full"}
}

_runs_words(pattern) if {
	some name in _programs(pattern)
	catalog.programs.interpreters[name]
}

_runs_words(pattern) if {
	some name in _programs(pattern)
	catalog.programs.wrappers[name]
}

_runs_words(pattern) if {
	some name in _programs(pattern)
	catalog.programs.opaque[name]
}

# What a pattern may name: python3* names python.
_programs(pattern) := catalog.called(trim_right(name, "*?")) if {
	parts := split(trim_space(pattern), "/")
	name := parts[count(parts) - 1]
}

_entry_places contains {"path": sprintf("%s[%d]", [concat(".", path), i]), "value": entry.pattern, "entry": entry} if {
	walk(places.sections, [path, list])
	path[count(path) - 1] == "allowlist"
	some i, entry in list
	is_object(entry)
	is_string(entry.pattern)
}

# All agents, agents without an entry, and each agent with settings of its own.
_scopes_of_exec contains {"path": "tools.exec", "who": "every agent", "own": []}

_scopes_of_exec contains {"path": sprintf("agents.%s.exec", [id]), "who": sprintf("agent %s", [id]), "own": [agent.exec]} if {
	some id, agent in config.section(["agents"])
	is_object(agent.exec)
	some key in ["security", "ask", "mode", "autoAllowSkills"]
	agent.exec[key]
}

_effective(own, key) := found[0] if {
	found := [value | some scope in array.concat(own, _shared_exec); some value in _said(scope, key)]
}

_said(scope, key) := [scope[key]] if {
	scope[key]
} else := [catalog.exec.modes[scope.mode][key]]

_shared_exec := [scope | some scope in [config.section(["agents", "defaults", "exec"]), config.section(["tools", "exec"])]; is_object(scope)]
