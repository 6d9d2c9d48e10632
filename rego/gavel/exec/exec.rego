# METADATA
# title: Exec security
# description: |
#   Layer 2: deny, allowlist or full (document 000 §06 and §08). In allowlist mode a
#   command runs when all of it was understood and every segment satisfies an entry.
# schemas:
#   - input: schema.facts
package gavel.exec

import data.gavel.exec.allowlist
import data.gavel.exec.constructs
import data.gavel.exec.environment
import data.gavel.exec.inline
import data.gavel.exec.refusal
import data.gavel.exec.safebins
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Exec is switched off
# description: security deny rejects every command
# custom:
#   code: exec.security_deny
#   message: 'commands are switched off for this agent: security is deny on host %s'
#   fix: set %s to allowlist and list the programs that it may run
unusual contains reason.fixed(rego.metadata.rule(), [_host_shown], [_security_path], _security_source) if {
	security == "deny"
}

# METADATA
# title: Host is not allowed
# description: a call cannot choose another host than the configuration says (R30)
# custom:
#   code: exec.host_not_allowed
#   message: host %q is not where this agent's commands run
#   fix: leave host out, or set %s
unusual contains reason.fixed(rego.metadata.rule(), [_requested_host], [configured.host.path], _from(configured.host)) if {
	not host
}

# METADATA
# title: Node is not allowed
# description: an agent that is bound to a node cannot choose another one
# custom:
#   code: exec.node_not_allowed
#   message: node %q is not the one that this agent is bound to, %q
#   fix: leave node out, or change %s
unusual contains reason.fixed(rego.metadata.rule(), [_requested_node, configured.node.value], [configured.node.path], _from(configured.node)) if {
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
unusual contains reason.fixed(rego.metadata.rule(), [word, key], [concat(", ", valid)], {}) if {
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
unusual contains reason.from(rego.metadata.rule(), [concat(", ", input.exec.unknown)], {}) if {
	count(input.exec.unknown) > 0
}

# METADATA
# description: variables that a call may not set, in every mode (R37)
unusual contains r if some r in environment.blocked

# METADATA
# description: in allowlist mode a value that a shell could evaluate is denied, and nothing overrides that (R37)
unusual contains r if {
	security != "full"
	some r in environment.evaluated
}

# METADATA
# description: in allowlist mode whatever was not understood is denied, and nothing overrides that (R19)
unusual contains r if {
	security != "full"
	some r in refusal.reasons
}

# METADATA
# description: in allowlist mode a construct that no setting opens is denied, and nothing overrides that (R19)
unusual contains r if {
	security != "full"
	some r in constructs.closed
}

# METADATA
# description: in full mode only text that is no command for certain is denied
unusual contains r if {
	security == "full"
	not _valid
	some r in refusal.reasons
}

# METADATA
# description: whatever a call says beyond the programs that it would run may forbid it
deny contains r if {
	not quiet
	some r in unusual
}

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
# description: with strictInlineEval code on the command line always asks, whatever else holds (R25)
ask contains r if {
	inline.strict
	some r in inline.asks
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
	_something
	count(_missed) == 0
	begins_inside
	constructs.accepted
	environment.accepted
}

# METADATA
# description: allowlist mode, and a person has allowed exactly this command for good
permit if {
	allowed_exactly
	constructs.accepted
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
# title: Nothing runs
# description: the command sets variables of its shell, or evaluates a construct that is open, and runs no program
# custom:
#   code: exec.no_program
#   message: the command runs no program
#   fix: ""
because contains reason.from(rego.metadata.rule(), [], {}) if {
	security == "allowlist"
	input.exec.parsed == true
	input.exec.segments == []
}

# METADATA
# title: Exactly this command was allowed for good
# description: every word, the directory, the programs and the files of code are those that a person allowed
# custom:
#   code: exec.trusted
#   message: exactly this command was allowed for good, with what its files hold
#   fix: ""
because contains reason.from(rego.metadata.rule(), [], {"path": input.approval.trusted}) if {
	_missed != set()
	allowed_exactly
}

# METADATA
# description: a segment that no entry permits, and that is a safe bin
because contains safebins.because(segment) if {
	some i in safe_segments
	segment := input.exec.segments[i]
}

# METADATA
# description: the positions of segments that run as safe bins, and by no entry
safe_segments contains i if {
	security == "allowlist"
	some i, segment in input.exec.segments
	segment.class.complete
	not on_allowlist(segment)
	safe(segment)
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
# description: what the configuration says about this agent's commands
configured := frozen.result.exec

# METADATA
# description: |
#   the call is programs and their arguments, and nothing more: it, its session and the
#   approvals file say nothing of their own, all of it was understood, and there is no
#   construct. Then no rule of unusual can hold, which a test says of every sample.
quiet if {
	configured.calm == true
	_as_configured
	input.exec.parsed == true
	input.exec.constructs == []
	input.exec.redirects == []
	input.exec.env == []
	input.exec.variables == []
	input.exec.assigned == []
	input.exec.unknown == []
	_searched
}

_vocabulary := {
	"security": data.gavel.catalog.exec.security,
	"ask": data.gavel.catalog.exec.ask,
	"host": array.concat(data.gavel.catalog.exec.hosts, ["auto"]),
}

# Everything was judged that a setting, a parameter or a variable could change.
_judged if quiet

_judged if {
	is_string(host)
	count(input.exec.unknown) == 0
	is_array(input.exec.env)
	is_array(input.exec.variables)
	is_array(input.exec.assigned)
	_searched
}

# The command does something that was judged: it runs programs, or sets variables, or is
# a construct by itself.
_something if count(input.exec.segments) > 0

_something if {
	input.exec.segments == []
	count(input.exec.assigned) + count(input.exec.constructs) > 0
}

# In full mode the text must still be one that a shell would run as it was read.
_valid if input.exec.parsed == true

_valid if {
	input.exec.parsed == false
	not input.exec.refusal.kind in {"limit", "guard", "dialect", "syntax", "parameters", "rendering"}
	is_string(input.exec.refusal.kind)
}

default _host_shown := "unknown"

_host_shown := host

_security_path := configured.security.path

_security_source := _from(configured.security)

_from(setting) := {"path": setting.path, "from": setting.from}
