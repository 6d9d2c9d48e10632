# METADATA
# title: Options of directives
# description: |
#   Which values /exec may store for a session: those that Gavel offers, that only tighten (R13),
#   and that name a host and a node of the agent (R30).
# schemas:
#   - input: schema.facts
package gavel.directives.options

import data.gavel.directives.settings
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Value is unknown
# description: an unknown value is never read as a known one
# custom:
#   code: directives.unknown_value
#   message: '%q is not a value of %s'
#   fix: use one of %s
refused contains [i, reason.fixed(rego.metadata.rule(), [o.value, o.key], [concat(", ", words)], {})] if {
	some i, d in input.message.directives
	some o in d.options
	words := settings.vocabulary[o.key]
	not o.value in words
}

# METADATA
# title: Node is missing
# description: the option node has no value
# custom:
#   code: directives.no_node
#   message: the option node has no value
#   fix: 'give the id of a node, as in node=mac-1'
refused contains [i, reason.from(rego.metadata.rule(), [], {})] if {
	some i, d in input.message.directives
	some o in d.options
	o.key == "node"
	o.value == ""
}

# METADATA
# title: Value permits more than the configuration
# description: a session can only tighten (R13)
# custom:
#   code: directives.loosens
#   message: '%s=%s permits more than the configuration, %s; a session can only tighten'
#   fix: use a stricter value, or change %s
refused contains [i, reason.fixed(rego.metadata.rule(), [o.key, o.value, found], [setting.path], {"path": setting.path, "from": setting.from})] if {
	some i, d in input.message.directives
	some o in d.options
	o.value in settings.vocabulary[o.key]
	settings.loosens(o.key, o.value, _host_of(d))
	found := object.get(settings.base(_host_of(d)), o.key, "which is unknown")
	setting := frozen.result.exec[o.key]
}

# METADATA
# title: Host is not the agent's
# description: a session can only choose a host that the configuration lets its calls choose (R30)
# custom:
#   code: directives.host
#   message: this agent's commands do not run on host %q
#   fix: leave host out, or set %s
refused contains [i, reason.fixed(rego.metadata.rule(), [o.value], [setting.path], {"path": setting.path, "from": setting.from})] if {
	some i, d in input.message.directives
	some o in d.options
	o.key == "host"
	o.value in settings.vocabulary.host
	not settings.has_host(o.value)
	setting := frozen.result.exec.host
}

# METADATA
# title: Node is not the agent's
# description: an agent that is bound to a node cannot choose another
# custom:
#   code: directives.node
#   message: node %q is not this agent's node, %q
#   fix: leave node out, or change %s
refused contains [i, reason.fixed(rego.metadata.rule(), [o.value, setting.value], [setting.path], {"path": setting.path, "from": setting.from})] if {
	some i, d in input.message.directives
	some o in d.options
	o.key == "node"
	not settings.has_node(o.value)
	setting := frozen.result.exec.node
}

_host_of(d) := host if {
	some o in d.options
	o.key == "host"
	host := o.value
} else := ""
