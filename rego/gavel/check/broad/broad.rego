# METADATA
# title: Broad settings
# description: |
#   Settings that permit more, or less, than their author may expect. All are valid; gavel
#   check warns about them.
package gavel.check.broad

import data.gavel.catalog
import data.gavel.check.locations
import data.gavel.config

# METADATA
# scope: document
# description: settings that deserve a second look, each {"path", "message", "fix"}
warnings contains {
	"path": location.path,
	"message": sprintf("pattern %q has no / and never matches: patterns are compared with full paths", [location.value]),
	"fix": sprintf("write the full path, or **/%s", [location.value]),
} if {
	some location in locations.allowlist_entries
	not regex.match(`[/~]`, location.value)
	location.value != "*"
}

warnings contains {
	"path": location.path,
	"message": "pattern \"*\" permits every program that exists",
	"fix": "name the programs, or set security: full explicitly",
} if {
	some location in locations.allowlist_entries
	location.value == "*"
}

warnings contains {
	"path": sprintf("%s.%s", [location.path, key]),
	"message": sprintf("the sender can choose %s freely, so it proves nothing", [split(key, ":")[0]]),
	"fix": "use id: or e164: instead",
} if {
	some location in locations.sender_lists
	some key, _ in location.value
	split(key, ":")[0] in {"name", "username"}
}

warnings contains {
	"path": location.path,
	"message": "only these files may be written: that goes for the tools write, edit and apply_patch too, not just for redirections and programs",
	"fix": "add ./** if the tools should still write in the whole workspace",
} if {
	some location in locations.write_lists
	count(location.value) > 0
	every pattern in location.value { not pattern in {"./**", "/**", "**", "~/**"} }
}

warnings contains {
	"path": location.path,
	"message": sprintf("%q: users can change their %s, so it proves nothing", [location.value, part]),
	"fix": "use id:, from: or e164: instead, or the channel and the id, as in discord:123456789",
} if {
	some location in (locations.elevators | locations.commanders)
	part := split(location.value, ":")[0]
	part in catalog.elevated.changeable
}

warnings contains {
	"path": location.path,
	"message": "everybody who can send the agent a message may let its commands leave the sandbox",
	"fix": "name the senders, as in discord:123456789",
} if {
	some location in locations.elevators
	location.value == "*"
}

warnings contains {
	"path": location.path,
	"message": sprintf("everybody who can send the agent a message may %s", [location.may]),
	"fix": "name the senders, as in discord:123456789",
} if {
	some location in locations.commanders
	location.value == "*"
}

warnings contains {
	"path": location.path,
	"message": sprintf("pattern %q permits every program there, now and later", [location.value]),
	"fix": "name the programs",
} if {
	some location in locations.allowlist_entries
	regex.match(`^(\*\*|/\*{1,2}|[~/].*/\*{1,2})$`, location.value)
}

warnings contains {
	"path": location.path,
	"message": sprintf("args any for %q permits any code: the program runs code from its arguments", [location.value]),
	"fix": "leave args out, list the options that are needed, or list the scripts instead",
} if {
	some location in _entries
	location.entry.args == "any"
	_runs_code(location.value)
}

warnings contains {
	"path": sprintf("%s.security", [location.path]),
	"message": sprintf("security full with ask off: every command of %s runs without asking", [location.who]),
	"fix": "use security: allowlist, or ask: on-miss",
} if {
	some location in _exec_scopes
	_effective(location.own, "security") == "full"
	_effective(location.own, "ask") == "off"
}

warnings contains {
	"path": sprintf("%s.autoAllowSkills", [section.path]),
	"message": "programs that no entry names may run: whatever a gateway states as registered by a skill, with any argument that is not a hazard",
	"fix": "list the programs of the skills in allowlist, or write rules for them",
} if {
	some section in locations.exec_sections
	section.value.autoAllowSkills == true
}

warnings contains {
	"path": sprintf("%s.autoAllowSkills", [location.path]),
	"message": sprintf("autoAllowSkills changes nothing for %s: security is %s", [location.who, mode]),
	"fix": "use security: allowlist, or remove the key",
} if {
	some location in _exec_scopes
	_effective(location.own, "autoAllowSkills") == true
	mode := _effective(location.own, "security")
	mode in {"deny", "full"}
}

_runs_code(pattern) if {
	some name in _programs(pattern)
	catalog.programs.interpreters[name]
}

_runs_code(pattern) if {
	some name in _programs(pattern)
	catalog.programs.wrappers[name]
}

_runs_code(pattern) if {
	some name in _programs(pattern)
	catalog.programs.opaque[name]
}

# The programs that a pattern may name: python3* names python.
_programs(pattern) := catalog.called(trim_right(name, "*?")) if {
	parts := split(trim_space(pattern), "/")
	name := parts[count(parts) - 1]
}

_entries contains {"path": sprintf("%s[%d]", [concat(".", path), i]), "value": entry.pattern, "entry": entry} if {
	walk(locations.sections, [path, list])
	path[count(path) - 1] == "allowlist"
	some i, entry in list
	is_object(entry)
	is_string(entry.pattern)
}

# All agents together, and each agent with its own settings.
_exec_scopes contains {"path": "tools.exec", "who": "every agent", "own": []}

_exec_scopes contains {"path": sprintf("agents.%s.exec", [id]), "who": sprintf("agent %s", [id]), "own": [agent.exec]} if {
	some id, agent in config.section(["agents"])
	is_object(agent.exec)
	some key in ["security", "ask", "mode", "autoAllowSkills"]
	agent.exec[key]
}

_effective(own, key) := found[0] if {
	found := [value | some scope in array.concat(own, _shared_sections); some value in _setting_of(scope, key)]
}

_setting_of(scope, key) := [scope[key]] if {
	scope[key]
} else := [catalog.exec.modes[scope.mode][key]]

_shared_sections := [scope | some scope in [config.section(["agents", "defaults", "exec"]), config.section(["tools", "exec"])]; is_object(scope)]
