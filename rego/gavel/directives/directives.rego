# METADATA
# title: Directives
# description: |
#   What to do with the directives in a message: /exec, /elevated and /approve. A directive that
#   the sender may not give is refused, with a reason for every closed gate. Only a gateway knows
#   who wrote a message.
# schemas:
#   - input: schema.facts
package gavel.directives

import data.gavel.agent
import data.gavel.config
import data.gavel.directives.options
import data.gavel.directives.people
import data.gavel.directives.sender
import data.gavel.directives.settings
import data.gavel.elevated
import data.gavel.elevated.level
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
} else := _action(input.message.directives[i])

_action(d) := {"action": "show", "current": settings.current} if {
	d.name == "exec"
	d.options == []
} else := {"action": "store", "values": {o.key: o.value | some o in d.options}, "timeoutMs": _timeout_ms} if {
	d.name == "exec"
} else := {"action": "show", "current": [_level]} if {
	d.name == "elevated"
	d.level == ""
} else := {"action": "inline", "values": {"elevated": _levels[d.level]}} if {
	d.name == "elevated"
	input.message.rest == true
} else := {"action": "store", "values": {"elevated": _levels[d.level]}, "timeoutMs": _timeout_ms} if {
	d.name == "elevated"
} else := {"action": "answer", "id": answer.id, "answer": answer.word, "person": people.named} if {
	d.name == "approve"
	answer := _answer(d)
} else := {"action": "answer", "id": answer.id, "answer": answer.word} if {
	d.name == "approve"
	answer := _answer(d)
} else := {"action": "refuse", "reasons": set()}

_levels := data.gavel.catalog.elevated.levels

_timeout_ms := min([found, data.gavel.catalog.directives.most_ms]) if {
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
# description: the values that are stored for the session cannot be read
refused contains [i, r] if {
	some i, d in input.message.directives
	d.name != "approve"
	some r in settings.unknown
}

# METADATA
# description: the sender may not give the directive
refused contains [i, r] if some [i, r] in sender.refused

# METADATA
# description: an option of /exec has a value that the session cannot have
refused contains [i, r] if some [i, r] in options.refused

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
	not _session_named
}

# METADATA
# description: every closed gate of elevated mode; /elevated off, and /elevated alone, which shows the level, have the same gates
refused contains [i, r] if {
	some i, d in input.message.directives
	d.name == "elevated"
	some r in elevated.deny with input as _asking_to_leave("on")
}

# METADATA
# description: a level that does not exist
refused contains [i, r] if {
	some i, d in input.message.directives
	d.name == "elevated"
	d.level != ""
	not _levels[d.level]
	some r in elevated.deny with input as _asking_to_leave(d.level)
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

# The input of a call that asks to leave the sandbox, to find out whether the sender may.
_asking_to_leave(level) := object.union(input, {
	"session": {"inline": level},
	"exec": {"request": {"elevated": false, "declined": false}},
})

_session_named if input.session.key != ""

default _level := {"key": "elevated", "value": "off", "path": "agents.defaults.elevatedDefault", "from": "default"}

_level := {"key": "elevated", "value": word, "path": "", "from": "session"} if {
	_stated_level != ""
	word := data.gavel.catalog.elevated.levels[_stated_level]
} else := {"key": "elevated", "value": word, "path": "agents.defaults.elevatedDefault", "from": "global"} if {
	word := frozen.result.elevated["default"]
	word in {"off", "on", "ask", "full"}
}

default _stated_level := ""

_stated_level := level.stated
