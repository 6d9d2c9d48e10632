# METADATA
# title: Directives
# description: |
#   What becomes of the directives in a message: /exec, /elevated and /approve. A directive that
#   no sender may give is refused, with every gate that is closed. Only a gateway knows who wrote
#   a message.
# schemas:
#   - input: schema.facts
package gavel.directives

import data.gavel.agent
import data.gavel.config
import data.gavel.directives.people
import data.gavel.directives.settings
import data.gavel.elevated
import data.gavel.elevated.entries
import data.gavel.elevated.level
import data.gavel.elevated.senders
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Result
# description: |
#   for each directive, in order, what to do: refuse it, for reasons; store values for the
#   session, for a time; use values for this message only (inline); show the current values; or
#   answer a question
# entrypoint: true
result := [_verdict(i) | some i, _ in input.message.directives]

_verdict(i) := {"action": "refuse", "reasons": reasons} if {
	reasons := {r |
		some [at, r] in refused
		at == i
	}
	count(reasons) > 0
} else := _accepted(input.message.directives[i])

_accepted(d) := {"action": "show", "current": settings.current} if {
	d.name == "exec"
	d.options == []
} else := {"action": "store", "values": {o.key: o.value | some o in d.options}, "timeoutMs": _timeout} if {
	d.name == "exec"
} else := {"action": "show", "current": [_level]} if {
	d.name == "elevated"
	d.level == ""
} else := {"action": "inline", "values": {"elevated": _levels[d.level]}} if {
	d.name == "elevated"
	input.message.rest == true
} else := {"action": "store", "values": {"elevated": _levels[d.level]}, "timeoutMs": _timeout} if {
	d.name == "elevated"
} else := {"action": "answer", "id": answer.id, "answer": answer.word, "person": people.named} if {
	d.name == "approve"
	answer := _answer(d)
} else := {"action": "answer", "id": answer.id, "answer": answer.word} if {
	d.name == "approve"
	answer := _answer(d)
} else := {"action": "refuse", "reasons": set()}

_levels := data.gavel.catalog.elevated.levels

_timeout := min([found, data.gavel.catalog.directives.most_ms]) if {
	found := config.section(["commands", "timeout"])
	is_number(found)
} else := data.gavel.catalog.directives.holds_ms

# METADATA
# description: the credential, the agent or the configuration is not admitted
refused contains [i, r] if {
	some i, _ in input.message.directives
	some r in agent.deny
}

# METADATA
# description: what is stored for the session cannot be read
refused contains [i, r] if {
	some i, d in input.message.directives
	d.name != "approve"
	some r in settings.unknown
}

# METADATA
# title: Message does not come from a gateway
# description: only a gateway knows who wrote a message
# custom:
#   code: directives.not_gateway
#   message: only a gateway can say who wrote the message
#   fix: post messages with a token of the scope gateway
refused contains [i, reason.from(rego.metadata.rule(), [], {})] if {
	some i, _ in input.message.directives
	not input.caller.kind == "gateway"
}

# METADATA
# title: Directive cannot be read
# description: two readers could understand it differently
# custom:
#   code: directives.unreadable
#   message: 'the directive cannot be read: %s'
#   fix: 'send each directive and each option once'
refused contains [i, reason.from(rego.metadata.rule(), [d.problem], {})] if {
	some i, d in input.message.directives
	not d.problem == ""
}

# METADATA
# title: Session is not known
# description: a value is stored for a session, and the message names none
# custom:
#   code: directives.no_session
#   message: the directive is for the session, and the message names none
#   fix: have the gateway state call.session.key
refused contains [i, reason.from(rego.metadata.rule(), [], {})] if {
	some i, d in input.message.directives
	d.name != "approve"
	not _named_session
}

# METADATA
# title: Sender is not known
# description: nobody says who wrote the message
# custom:
#   code: directives.nobody
#   message: the message does not say on which channel its sender is
#   fix: have the gateway state call.sender.channel and call.sender.id
refused contains [i, reason.from(rego.metadata.rule(), [], {})] if {
	some i, d in input.message.directives
	d.name in {"exec", "approve"}
	not _somewhere
}

# METADATA
# title: Sender may not use the directive
# description: /exec is for the owner and for senders on the list
# custom:
#   code: directives.sender
#   message: '%s is neither the owner nor on the list of senders who may use /exec'
#   fix: 'have a gateway state the owner, or add the sender to commands.allowFrom'
refused contains [i, reason.from(rego.metadata.rule(), [_sender], {"path": "commands.allowFrom"})] if {
	some i, d in input.message.directives
	d.name == "exec"
	_somewhere
	not _commands
}

# METADATA
# title: Sender may not answer
# description: /approve is for named people, and for senders whom the policy lists for it
# custom:
#   code: directives.approver
#   message: '%s is not on the list of senders who may answer questions with /approve'
#   fix: 'answer with gavel approvals, or add the sender to approvals.exec.people or approvals.exec.allowFrom'
refused contains [i, reason.from(rego.metadata.rule(), [_sender], {"path": "approvals.exec.allowFrom"})] if {
	some i, d in input.message.directives
	d.name == "approve"
	_somewhere
	not _answers_questions
}

# METADATA
# title: Message is not addressed to the agent
# description: in a group, others may quote or discuss a directive; only one that tightens counts without a mention
# custom:
#   code: directives.not_mentioned
#   message: the message was sent in a group, and does not mention the agent
#   fix: 'mention the agent in the message; the gateway says so with "mentioned": true'
refused contains [i, reason.from(rego.metadata.rule(), [], {})] if {
	some i, d in input.message.directives
	not _addressed
	not _only_closes(d)
}

# METADATA
# title: Value is unknown
# description: a value that Gavel does not offer is never taken for one that it does
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

# METADATA
# description: every closed gate of elevated mode; off, and the question for the level, have the same
refused contains [i, r] if {
	some i, d in input.message.directives
	d.name == "elevated"
	some r in elevated.deny with input as _leaving("on")
}

# METADATA
# description: a level that does not exist
refused contains [i, r] if {
	some i, d in input.message.directives
	d.name == "elevated"
	d.level != ""
	not _levels[d.level]
	some r in elevated.deny with input as _leaving(d.level)
}

# METADATA
# title: Answer cannot be read
# description: an answer names the question and the decision, and nothing else
# custom:
#   code: directives.answer
#   message: the answer does not name one question and one decision
#   fix: 'write /approve <id> <decision>, where the decision is one of %s'
refused contains [i, reason.fixed(rego.metadata.rule(), [], [concat(", ", _answers)], {})] if {
	some i, d in input.message.directives
	d.name == "approve"
	not _answer(d)
}

_answers := [word | some word, answer in data.gavel.catalog.directives.answers; word == answer]

# The question and the decision, in either order.
_answer(d) := {"id": d.words[0], "word": word} if {
	count(d.words) == 2
	word := data.gavel.catalog.directives.answers[lower(d.words[1])]
} else := {"id": d.words[1], "word": word} if {
	count(d.words) == 2
	word := data.gavel.catalog.directives.answers[lower(d.words[0])]
}

# The question whether the sender may leave the sandbox.
_leaving(level) := object.union(input, {
	"session": {"inline": level},
	"exec": {"request": {"elevated": false, "declined": false}},
})

_named_session if input.session.key != ""

_somewhere if input.sender.channel != ""

_commands if input.sender.owner == true

_commands if _listed(["commands", "allowFrom"])

_answers_questions if _listed(["approvals", "exec", "allowFrom"])

_answers_questions if people.named

_listed(keys) if senders.named({"channels": entries.channels(config.section(keys))})

_addressed if input.message.mentioned == true

_addressed if {
	input.group.ids == []
	input.stated.byGateway == true
}

# What counts in a group although nobody addressed the agent: it only closes something.
_only_closes(d) if {
	d.name == "exec"
	d.options == [{"key": "security", "value": "deny"}]
}

_only_closes(d) if {
	d.name == "elevated"
	_levels[d.level] == "off"
}

# An answer is for a question by its id, wherever it is written.
_only_closes(d) if d.name == "approve"

_host_of(d) := host if {
	some o in d.options
	o.key == "host"
	host := o.value
} else := ""

default _level := {"key": "elevated", "value": "off", "path": "agents.defaults.elevatedDefault", "from": "default"}

_level := {"key": "elevated", "value": word, "path": "", "from": "session"} if {
	_said != ""
	word := data.gavel.catalog.elevated.levels[_said]
} else := {"key": "elevated", "value": word, "path": "agents.defaults.elevatedDefault", "from": "global"} if {
	word := frozen.result.elevated["default"]
	word in {"off", "on", "ask", "full"}
}

default _said := ""

_said := level.said

default _sender := "the sender"

_sender := sprintf("%s:%s", [input.sender.channel, input.sender.id]) if {
	input.sender.channel != ""
	input.sender.id != ""
}
