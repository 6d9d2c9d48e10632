# METADATA
# title: Guard
# description: |
#   What holds for every call, whatever lists, modes and answers say: Gavel's own files
#   and addresses, and settings of programs that run agents, are closed unless tools.self
#   opens them; a parameter of a tool of files that was not read is refused; and what lies
#   behind a limit of the analysis was not looked at.
# schemas:
#   - input: schema.facts
package gavel.guard

import data.gavel.config
import data.gavel.reason
import data.gavel.resources

# METADATA
# title: File is Gavel's own
# description: Gavel's state, its tokens, sockets, databases and logs, and its policy, are closed to every agent
# custom:
#   code: guard.protected
#   message: '%s belongs to Gavel, or contains files that do: no agent may %s it'
#   fix: 'leave it out; the person who runs Gavel can open it under tools.self.%s'
deny contains reason.fixed(rego.metadata.rule(), [_shown(touch), _access(touch)], [_access(touch)], _source(touch)) if {
	some touch in input.touches
	not touch.kind in {"host", "address", "metadata"}
	not _open(touch)
}

# METADATA
# title: File says what to run
# description: settings and hooks of programs that run agents, and of git, may be read and not changed
# custom:
#   code: guard.settings
#   message: '%s tells git, or an agent host, what to run: no agent may change it, and %s'
#   fix: 'let a person change it, read it with cat or jq, or open it under tools.self.write'
deny contains reason.from(rego.metadata.rule(), [_shown(touch), _by(touch)], _source(touch)) if {
	some touch in input.touches
	touch.kind == "host"
	not _open(touch)
}

# METADATA
# title: Address is Gavel's own
# description: no agent may talk to Gavel through its tools, and answer its own questions there
# custom:
#   code: guard.address
#   message: 'Gavel itself listens on %s'
#   fix: 'use another address; the person who runs Gavel can open this one under tools.self.connect'
deny contains reason.from(rego.metadata.rule(), [_shown(touch)], _source(touch)) if {
	some touch in input.touches
	touch.kind == "address"
	not _open(touch)
}

# METADATA
# title: Address hands out credentials
# description: the address at which a cloud gives credentials to whoever asks from inside
# custom:
#   code: guard.metadata
#   message: 'the cloud hands out credentials at %s'
#   fix: 'use another address; the person who runs Gavel can open this one under tools.self.connect'
deny contains reason.from(rego.metadata.rule(), [_shown(touch)], _source(touch)) if {
	some touch in input.touches
	touch.kind == "metadata"
	not _open(touch)
}

# METADATA
# title: Limit was met
# description: the analysis stopped at a limit of its own, and what lies behind it was not looked at
# custom:
#   code: guard.limit
#   message: 'the call needs more work than Gavel allows for one call: %s'
#   fix: 'use shorter paths and fewer arguments, or split the call'
deny contains reason.from(rego.metadata.rule(), [concat(", ", [_limit(name) | some name in input.exceeded])], {}) if {
	count(input.exceeded) > 0
}

# METADATA
# title: Parameter was not read
# description: a parameter of a tool of files that Gavel does not read could name another file
# custom:
#   code: guard.parameter
#   message: '%s has no parameter %s that Gavel reads'
#   fix: 'use %s only'
deny contains reason.fixed(rego.metadata.rule(), [input.tool.name, name], [concat(", ", known)], {}) if {
	known := data.gavel.catalog.parameters[input.tool.name]
	some name in input.tool.parameters
	not name in known
}

# METADATA
# title: Parameter can be read in two ways
# description: a name of a file, or a patch, that the tool may read differently than Gavel does
# custom:
#   code: guard.odd
#   message: '%s was given %s, which the tool may read differently from Gavel'
#   fix: write the file name plainly, with letters, digits and ordinary punctuation
deny contains reason.from(rego.metadata.rule(), [input.tool.name, what], {}) if {
	some what in input.tool.odd
}

# To look at a file that says what to run is everyday.
_open(touch) if {
	touch.kind == "host"
	touch.access == "read"
}

# A directory around a place is not the place: it matters to programs that take whole
# directories. Of Gavel's state none may be read, of other places none changed.
_open(touch) if {
	touch.holds == true
	touch.kind == "state"
	_named(touch)
	not data.gavel.catalog.programs.takes_whole_directories[touch.program]
}

_open(touch) if {
	touch.holds == true
	touch.kind in {"policy", "host"}
	_named(touch)
	not data.gavel.catalog.programs.moves_directories[touch.program]
}

_open(touch) if {
	some access in _opening[touch.access]
	some list in _lists(access)
	some pattern in list
	resources.matches(pattern, touch.real, input.environment.home)
}

_open(touch) if {
	touch.access == "connect"
	some list in _lists("connect")
	touch.real in list
}

# Who may write a file may read it.
_opening := {"read": {"read", "write"}, "write": {"write"}}

_named(touch) if {
	is_string(touch.program)
	touch.program != ""
}

_lists(access) := [list |
	some tools in array.concat([config.section(["tools"])], [object.get(scope.value, "tools", {}) | some scope in config.scopes(input.agent.id)])
	list := object.get(tools, ["self", access], [])
]

_shown(touch) := touch.given if {
	touch.given == touch.real
} else := sprintf("%s (%s)", [touch.given, touch.real]) if {
	is_string(touch.given)
} else := "a place"

_access(touch) := touch.access if {
	is_string(touch.access)
} else := "use"

_by(touch) := sprintf("%s may change the files that it is given", [touch.program]) if {
	_named(touch)
} else := "the call would"

_source(touch) := {"path": sprintf("tools.self.%s", [_access(touch)])}

_limit(name) := object.get(data.gavel.catalog.limits, name, name)
