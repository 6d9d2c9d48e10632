# METADATA
# title: Exec security
# description: |
#   Layer 2: deny, allowlist or full (document 000 §06 and §08). In allowlist mode a
#   command runs when all of it was understood and every segment satisfies an entry.
# schemas:
#   - input: schema.facts
package gavel.exec

import data.gavel.exec.allowlist
import data.gavel.exec.hazards
import data.gavel.exec.refusal
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Exec is switched off
# description: security deny rejects every command
# custom:
#   code: exec.security_deny
#   message: 'commands are switched off for this agent: security is deny on host %s'
#   fix: set %s to allowlist and list the programs that it may run
deny contains reason.fixed(rego.metadata.rule(), [_host_shown], [_security_path], _security_source) if {
	security == "deny"
}

# METADATA
# title: Host is not allowed
# description: a call cannot choose another host than the configuration says (R30)
# custom:
#   code: exec.host_not_allowed
#   message: host %q is not where this agent's commands run
#   fix: leave host out, or set %s
deny contains reason.fixed(rego.metadata.rule(), [_requested_host], [configured.host.path], _from(configured.host)) if {
	not host
}

# METADATA
# title: Node is not allowed
# description: an agent that is bound to a node cannot choose another one
# custom:
#   code: exec.node_not_allowed
#   message: node %q is not the one that this agent is bound to, %q
#   fix: leave node out, or change %s
deny contains reason.fixed(rego.metadata.rule(), [_requested_node, configured.node.value], [configured.node.path], _from(configured.node)) if {
	configured.node.value != ""
	not _requested_node in {"", lower(configured.node.value)}
}

# METADATA
# title: Setting is unknown
# description: a word that names no security, ask or host is no setting, least of all a looser one
# custom:
#   code: exec.unknown_setting
#   message: '%q is no value of %s'
#   fix: use one of %s, or leave it out
deny contains reason.fixed(rego.metadata.rule(), [word, key], [concat(", ", valid)], {}) if {
	_overridden
	some key, valid in _vocabulary
	some asked in [input.session.exec[key], input.exec.request[key]]
	word := asked
	not word in ({value | some value in valid} | {""})
}

# METADATA
# title: Parameter is unknown
# description: a parameter that exec does not have, or of the wrong type, could mean anything
# custom:
#   code: exec.unknown_parameter
#   message: 'exec has no such parameters, or not of this type: %s'
#   fix: 'use command, workdir, env, yieldMs, background, timeout, pty, host, security, ask, node, elevated'
deny contains reason.from(rego.metadata.rule(), [concat(", ", input.exec.unknown)], {}) if {
	count(input.exec.unknown) > 0
}

# METADATA
# title: Environment variable is blocked
# description: the call may not say where programs, libraries or their settings come from (document 004)
# custom:
#   code: exec.environment
#   message: the call may not set the environment variable %s
#   fix: leave it out; set it where the command runs if it is needed
deny contains reason.from(rego.metadata.rule(), [name], {}) if {
	some name in input.exec.env
	_blocked(name)
}

# METADATA
# description: in allowlist mode whatever was not understood is denied, and nothing overrides that (R19)
deny contains r if {
	security != "full"
	some r in refusal.reasons
}

# METADATA
# description: in full mode only text that is no command for certain is denied
deny contains r if {
	security == "full"
	not _valid
	some r in refusal.reasons
}

# METADATA
# description: a segment that no entry satisfies; the ask mode says whether to ask or deny
miss contains _missing(_miss_kind(segment), segment) if some segment in _missed

# METADATA
# description: a program is on the list, and one that would run it is not trusted
miss contains _untrusted(wrapper) if {
	some segment in _missed
	some wrapper in segment.wrappers
	not trusted(wrapper)
}

# METADATA
# description: a segment whose program is on the list, with an argument that its entry does not accept
miss contains r if {
	some segment in _missed
	_miss_kind(segment) == "hazard"
	some r in hazards.objections(segment, allowlist.entry(segment))
}

_missed contains segment if {
	security == "allowlist"
	input.exec.parsed == true
	some segment in input.exec.segments
	not satisfied(segment)
}

_miss_kind(segment) := "opaque" if {
	segment.executable.found == true
	opaque(segment)
} else := "hazard" if {
	allowlist.entry(segment).found == true
} else := "unlisted" if {
	segment.executable.found == true
	not allowlist.entry(segment).found == true
} else := "not found" if {
	not segment.executable.found == true
}

# METADATA
# title: Program is not on the allowlist
# description: a segment whose program satisfies no entry
# custom:
#   code: exec.allowlist_miss
#   message: '%s is on no allowlist entry'
#   fix: 'add %q to %s'
_missing("unlisted", segment) := reason.fixed(
	rego.metadata.rule(),
	[segment.executable.real],
	[segment.executable.real, configured.allowlist],
	{"path": configured.allowlist},
)

# METADATA
# title: Program was not found
# description: a name that the search path does not have cannot be on a list of paths
# custom:
#   code: exec.not_found
#   message: 'program %q was not found'
#   fix: check the name, the search path and the working directory; a relative path needs a known one
_missing("not found", segment) := reason.from(
	rego.metadata.rule(),
	[segment.argv[0]],
	{"path": configured.allowlist},
)

# METADATA
# title: Program runs other programs
# description: an entry for a shell, a wrapper or an evaluating builtin would permit everything
# custom:
#   code: exec.opaque_program
#   message: '%s runs other commands, so no allowlist entry can vouch for it'
#   fix: call the program itself
_missing("opaque", segment) := reason.from(
	rego.metadata.rule(),
	[_opaque_shown(segment)],
	{"path": configured.allowlist},
)

_opaque_shown(segment) := segment.executable.real if {
	segment.opaque == ""
} else := sprintf("%s (%s)", [segment.executable.real, segment.opaque])

# METADATA
# title: Wrapper is not trusted
# description: what would run an allowed program is itself a program that somebody must vouch for (R21)
# custom:
#   code: exec.wrapper_untrusted
#   message: '%s would run the command, and is neither in a trusted directory nor on the allowlist'
#   fix: 'call the program itself, or add the wrapper to %s'
_untrusted(wrapper) := reason.from(
	rego.metadata.rule(),
	[_wrapper_shown(wrapper), configured.allowlist],
	{"path": configured.allowlist},
)

_wrapper_shown(wrapper) := wrapper.executable.real if {
	wrapper.executable.found == true
} else := wrapper.argv[0]

# METADATA
# description: with ask off, what is not on the list is denied silently (document 000 §10)
deny contains r if {
	ask_mode == "off"
	some r in miss
}

# METADATA
# description: with any ask mode but off, a person may decide about a program that is not on the list
ask contains r if {
	ask_mode != "off"
	some r in miss
}

# METADATA
# description: nothing permits unless a rule below says so
default permit := false

# METADATA
# description: allowlist mode, everything was understood, every segment is on the list
permit if {
	security == "allowlist"
	_judged
	input.exec.parsed == true
	count(input.exec.segments) > 0
	count(_missed) == 0
}

# METADATA
# description: full mode, and the text is a command
permit if {
	security == "full"
	_judged
	_valid
}

# METADATA
# title: Programs are on the allowlist
# description: every segment's program satisfies an entry
# custom:
#   code: exec.allowlisted
#   message: '%s satisfies %s'
#   fix: ""
because contains reason.from(rego.metadata.rule(), [segment.executable.real, found.pattern], {"path": found.path}) if {
	security == "allowlist"
	some segment in input.exec.segments
	found := allowlist.entry(segment)
	found.found
}

# METADATA
# title: Security is full
# description: full mode checks no list
# custom:
#   code: exec.full
#   message: security is full, so no list is checked
#   fix: ""
because contains reason.from(rego.metadata.rule(), [], _security_source) if {
	security == "full"
}

# METADATA
# description: |
#   the segment's program is on the list, and is none that runs others; its entry accepts
#   the arguments, and every wrapper around it is trusted
satisfied(segment) if {
	segment.executable.found == true
	not opaque(segment)
	found := allowlist.entry(segment)
	found.found == true
	hazards.accepted(segment, found)
	is_array(segment.wrappers)
	every wrapper in segment.wrappers { trusted(wrapper) }
}

# METADATA
# description: the wrapper's real path is in a trusted directory, or on the list
trusted(wrapper) if {
	wrapper.executable.found == true
	some directory in data.gavel.catalog.exec.trusted_directories
	within := sprintf("%s/", [directory])
	startswith(wrapper.executable.real, within)
	not contains(trim_prefix(wrapper.executable.real, within), "/")
}

trusted(wrapper) if {
	wrapper.executable.found == true
	allowlist.entry(wrapper).found == true
}

# METADATA
# description: |
#   the program runs other programs, or changes what the next command means. A wrapper
#   whose words were understood is no segment; one that is a segment was not peeled.
opaque(segment) if not segment.opaque == ""

opaque(segment) if _opaque(lower(segment.executable.name))

opaque(segment) if _opaque(lower(segment.executable.realName))

_opaque(name) if _carries(name)

# bash-5.2, ksh93, busybox.static and ld-linux-x86-64.so.2 are what they begin with.
_opaque(name) if {
	regex.match(`[0-9._-]`, name)
	_carries(regex.find_n(`^[a-z]+`, name, 1)[0])
}

_carries(name) if data.gavel.catalog.wrappers.programs[name]

_carries(name) if data.gavel.catalog.exec.opaque[name]

# METADATA
# description: where the command runs (R30); undefined for a host that the call may not choose
host := configured.unasked_host if {
	not _overridden
} else := configured.host.value if {
	configured.host.value in {"gateway", "node"}
	_requested_host in {"", "auto", configured.host.value}
} else := "sandbox" if {
	_confined
	configured.sandboxed == true
	_requested_host in {"", "auto", "sandbox"}
} else := "gateway" if {
	_confined
	configured.sandboxed == false
	_requested_host in {"", "auto", "sandbox", "gateway"}
} else := "node" if {
	_confined
	configured.sandboxed == false
	_requested_host == "node"
}

_confined if configured.host.value in {"sandbox", "auto"}

# METADATA
# description: the node that runs it, when the host is a node
node := configured.node.value if {
	configured.node.value != ""
} else := _requested_node

# METADATA
# description: the tightest security that the configuration, the session and the call name (R13)
security := configured.unasked_security if {
	not _overridden
} else := "deny" if {
	"deny" in _securities
} else := "allowlist" if {
	"allowlist" in _securities
} else := "full" if {
	_securities == {"full"}
} else := "deny"

_securities := {_configured_security, input.session.exec.security, input.exec.request.security} - {""}

_configured_security := configured.security.value if {
	configured.security.value != ""
} else := mode if {
	mode := data.gavel.catalog.exec.defaults.security[host]
} else := "deny"

# METADATA
# description: the strictest ask that the configuration, the session and the call name (R13)
ask_mode := configured.ask.value if {
	not _overridden
} else := "always" if {
	"always" in _asks
} else := "on-miss" if {
	"on-miss" in _asks
} else := "off" if {
	_asks == {"off"}
} else := "always"

_asks := {configured.ask.value, input.exec.request.ask, input.session.exec.ask} - {""}

# The session or the call says something; what it says can only tighten.
_overridden if not _as_configured

_as_configured if {
	input.session.exec == {"security": "", "ask": "", "host": "", "node": ""}
	input.exec.request == {"security": "", "ask": "", "host": "", "node": "", "elevated": false}
}

# METADATA
# description: what the configuration says about this agent's commands
configured := frozen.result.exec

_vocabulary := {
	"security": data.gavel.catalog.exec.security,
	"ask": data.gavel.catalog.exec.ask,
	"host": array.concat(data.gavel.catalog.exec.hosts, ["auto"]),
}

# The call's own choice comes before the session's.
_requested_host := _first_said(input.exec.request.host, input.session.exec.host)

_requested_node := _first_said(input.exec.request.node, input.session.exec.node)

_first_said(call, session) := call if {
	call != ""
} else := session

# Everything was judged that a setting, a parameter or a variable could change.
_judged if {
	is_string(host)
	count(input.exec.unknown) == 0
	is_array(input.exec.env)
}

# In full mode the text must still be one that a shell would run as it was read.
_valid if input.exec.parsed == true

_valid if {
	input.exec.parsed == false
	not input.exec.refusal.kind in {"limit", "guard", "dialect", "syntax", "parameters"}
	is_string(input.exec.refusal.kind)
}

_blocked(name) if data.gavel.catalog.environment.blocked[name]

_blocked(name) if {
	some suffix in data.gavel.catalog.environment.suffixes
	endswith(name, suffix)
}

_blocked(name) if {
	some prefix in data.gavel.catalog.environment.prefixes
	startswith(name, prefix)
}

default _host_shown := "unknown"

_host_shown := host

_security_path := configured.security.path

_security_source := _from(configured.security)

_from(setting) := {"path": setting.path, "from": setting.from}
