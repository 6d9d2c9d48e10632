# METADATA
# title: Guard
# description: |
#   Rules for every call, regardless of lists, modes and answers. Gavel's own files and addresses,
#   and the settings of programs that run agents, are closed unless tools.self opens them. A file
#   tool's parameter that Gavel could not read is refused. So are a call that exceeds a limit of
#   the analysis, and a call that only tests a hook.
# schemas:
#   - input: schema.facts
package gavel.guard

import data.gavel.config
import data.gavel.reason
import data.gavel.resources.patterns

# METADATA
# title: File belongs to Gavel
# description: Gavel's state, tokens, sockets, databases, logs and policy are closed to every agent
# custom:
#   code: guard.protected
#   message: '%s belongs to Gavel, or contains files that do: no agent may %s it'
#   fix: 'leave it out; an administrator of Gavel can open it under tools.self.%s'
deny contains reason.fixed(rego.metadata.rule(), [_shown(touch), _access(touch)], [_access(touch)], _source(touch)) if {
	some touch in input.touches
	not touch.kind in {"host", "address", "metadata"}
	not _permitted(touch)
}

# METADATA
# title: File controls what runs
# description: agents may read, but not change, the settings and hooks of git, of editors and of programs that run agents
# custom:
#   code: guard.settings
#   message: '%s tells git, an editor or an agent host what to run: no agent may change it, and %s'
#   fix: 'have a person change it, read it with cat or jq, or open it under tools.self.write'
deny contains reason.from(rego.metadata.rule(), [_shown(touch), _actor(touch)], _source(touch)) if {
	some touch in input.touches
	touch.kind == "host"
	not _permitted(touch)
}

# METADATA
# title: Address belongs to Gavel
# description: no agent may reach Gavel through its tools, because it could answer its own questions there
# custom:
#   code: guard.address
#   message: 'no agent may connect to %s: Gavel itself listens there'
#   fix: 'use another address; an administrator of Gavel can open this one under tools.self.connect'
deny contains reason.from(rego.metadata.rule(), [_shown(touch)], _source(touch)) if {
	some touch in input.touches
	touch.kind == "address"
	not _permitted(touch)
}

# METADATA
# title: Address hands out credentials
# description: a cloud provider hands out credentials at this address to any program on the machine
# custom:
#   code: guard.metadata
#   message: 'no agent may connect to %s: the cloud hands out credentials there'
#   fix: 'use another address; an administrator of Gavel can open this one under tools.self.connect'
deny contains reason.from(rego.metadata.rule(), [_shown(touch)], _source(touch)) if {
	some touch in input.touches
	touch.kind == "metadata"
	not _permitted(touch)
}

# METADATA
# title: Limit exceeded
# description: the analysis stopped at one of its limits, and the rest was not analyzed
# custom:
#   code: guard.limit
#   message: 'the call needs more work than Gavel allows for one call: %s'
#   fix: 'use shorter paths and fewer arguments, or split the call'
deny contains reason.from(rego.metadata.rule(), [concat(", ", [_limit(name) | some name in input.exceeded])], {}) if {
	count(input.exceeded) > 0
}

# METADATA
# title: Parameter is unknown to Gavel
# description: a parameter of a file tool that Gavel does not read could name another file
# custom:
#   code: guard.parameter
#   message: '%s was given the parameter %s, which Gavel cannot read'
#   fix: 'use only %s'
deny contains reason.fixed(rego.metadata.rule(), [input.tool.name, name], [concat(", ", known)], {}) if {
	known := data.gavel.catalog.parameters[input.tool.name]
	some name in input.tool.parameters
	not name in known
}

# METADATA
# title: Parameter is ambiguous
# description: the tool may read a file name or a patch differently from Gavel
# custom:
#   code: guard.odd
#   message: '%s was given %s, which the tool may read differently from Gavel'
#   fix: '%s'
#   advises: write the file name plainly, with letters, digits and ordinary punctuation; send one patch in the format that the tool describes
deny contains reason.fixed(rego.metadata.rule(), [input.tool.name, what], [_plainly(what)], {}) if {
	some what in input.tool.odd
}

# METADATA
# title: Probe of a hook
# description: |
#   gavel doctor tests the hooks of agent hosts with calls that no agent makes. The answer shows
#   that a policy decides. A probe is always denied, so it permits nothing and asks nobody, and
#   the decision log shows it.
# custom:
#   code: guard.probe
#   message: 'this call only tries the hook, and was decided'
#   fix: 'nothing; calls are probes if GAVEL_PROBE is set for the hook'
deny contains reason.from(rego.metadata.rule(), [], {}) if input.host.probe != false

_plainly(what) := "send one patch in the format that the tool describes, with plain file names" if {
	input.tool.name == "apply_patch"
} else := "send one path, as text" if {
	endswith(what, " that is not text")
} else := "write the file name plainly, with letters, digits and ordinary punctuation"

# Reading a file that controls what runs is harmless.
_permitted(touch) if {
	touch.kind == "host"
	touch.access == "read"
}

# A directory that contains a protected location matters only to programs that take whole
# directories. For Gavel's state, such a directory may be neither read nor changed; for other
# locations, it may not be changed.
_permitted(touch) if {
	touch.holds == true
	touch.kind == "state"
	_program_known(touch)
	not data.gavel.catalog.programs.takes_whole_directories[touch.program]
}

_permitted(touch) if {
	touch.holds == true
	touch.kind in {"policy", "host"}
	touch.access == "read"
	touch.program == ""
}

_permitted(touch) if {
	touch.holds == true
	touch.kind in {"policy", "host"}
	_program_known(touch)
	not data.gavel.catalog.programs.moves_directories[touch.program]
}

_permitted(touch) if {
	some access in _granting[touch.access]
	some list in _lists(access)
	some pattern in list
	patterns.matches(pattern, touch.real, input.environment.home)
}

_permitted(touch) if {
	touch.access == "connect"
	some list in _lists("connect")
	touch.real in list
}

# An agent that may write a file may read it.
_granting := {"read": {"read", "write"}, "write": {"write"}}

_program_known(touch) if {
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

_actor(touch) := sprintf("%s can change the files that it is given", [touch.program]) if {
	_program_known(touch)
} else := "the call would"

_source(touch) := {"path": sprintf("tools.self.%s", [_access(touch)])}

_limit(name) := object.get(data.gavel.catalog.limits, name, name)
