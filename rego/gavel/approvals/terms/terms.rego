# METADATA
# title: Terms of an ask
# description: |
#   The terms of a question: the possible answers, what allow-always would add, the timeout,
#   how many people must agree, and where the question is sent (APPROVALS-1, APPROVALS-2,
#   APPROVALS-5, R15 to R18). Nothing here permits a call.
# schemas:
#   - input: schema.facts
package gavel.approvals.terms

import data.gavel.config
import data.gavel.custom
import data.gavel.exec.bound
import data.gavel.exec.commands
import data.gavel.exec.inline
import data.gavel.exec.modes
import data.gavel.exec.objections
import data.gavel.exec.offer as derived
import data.gavel.frozen

# METADATA
# description: the terms of this question
result := {
	"decisions": decisions,
	"offer": [entry.pattern | some entry in offer],
	"args": {pattern: args |
		some entry in offer
		pattern := entry.pattern
		args := sort({arg | some other in offer; other.pattern == pattern; some arg in other.args})
		count(args) > 0
	},
	"entries": offer,
	"exact": exact,
	"once": once,
	"timeoutMs": min([_timeout, 86400000]),
	"quorum": max([_exec_setting("quorum", 1), objections.quorum]),
	"approvers": _allowed_approvers,
	"forward": [target | some target in forward],
	"connected": _exec_setting("route", "any") == "connected",
	"secrets": _exec_setting("secrets", "mask") == "show",
}

# METADATA
# description: |
#   the approval terms of an agent, whatever the call. Edits of its allowlist must satisfy them,
#   and so must the answer to an open question, even if it was asked under other terms (R40).
#   Agent * means all agents, and has the lists of all of them combined. Without an agent, the
#   terms are those for tools other than exec.
standing := {
	"quorum": _exec_setting("quorum", 1),
	"timeoutMs": min([_exec_setting("timeout", 120000), 86400000]),
	"approverLists": _approver_lists,
	"forward": [{"channel": target.channel, "to": target.to} | some target in _standing_targets],
}

# A person who answers must be on every one of these lists.
_approver_lists := [list | some list in {found | some id in _agents_concerned; found := _approvers_for(id); count(found) > 0}]

_agents_concerned := {input.agent.id} if {
	input.agent.id != "*"
} else := {"*"} | config.agents

_approvers_for(id) := found.value if {
	id != ""
	found := config.exec_setting(id, "approvers")
} else := found if {
	found := config.section(["approvals", "exec", "approvers"])
	is_array(found)
} else := []

default _standing_targets := []

_standing_targets := _exec_setting("targets", []) if {
	_exec_setting("enabled", false) == true
	_exec_setting("mode", "session") in {"targets", "both"}
}

# METADATA
# scope: document
# description: the possible answers; allow-always is offered only where it would avoid the next question
default decisions := ["allow-once", "deny"]

decisions := ["allow-once", "allow-always", "deny"] if _permanent_answer_possible

# METADATA
# scope: document
# description: the entries that allow-always would add to the allowlist, {"pattern", "args"} (R26)
default offer := []

offer := _entries if {
	_permanent_answer_possible
	modes.security == "allowlist"
}

# METADATA
# scope: document
# description: |
#   allow-always would cover only this exact command, with its directory and the contents of
#   its files
default exact := false

exact if {
	_permanent_answer_possible
	modes.security == "allowlist"
	derived.exact
}

# METADATA
# description: |
#   why an answer covers one execution only, as sentences: there is code that cannot be identified
#   (R41)
once := [] if {
	commands.absent
} else := bound.sentences

# METADATA
# scope: document
# description: where the question is sent (APPROVALS-5)
forward contains target if {
	_forwarding
	_exec_setting("mode", "session") in {"targets", "both"}
	some configured in _exec_setting("targets", [])
	target := {"channel": configured.channel, "to": configured.to}
}

forward contains {"channel": input.sender.channel, "to": _conversation} if {
	_forwarding
	_exec_setting("mode", "session") in {"session", "both"}
	input.sender.channel in {"slack", "discord", "telegram", "webhook"}
	not _conversation == ""
}

_conversation := input.group.ids[0] if {
	count(input.group.ids) > 0
} else := input.sender.id

_forwarding if {
	_exec_setting("enabled", false) == true
	_passes_filter(_exec_setting("agentFilter", []), {input.agent.id})
	_passes_filter(_exec_setting("sessionFilter", []), _sessions)
}

# A session filter matches the whole key, one of its parts, or its channel. The match is
# exact: a space or a partial word matches nothing.
_sessions := ({input.session.key, input.sender.channel, input.group.channel} | {part | some part in split(input.session.key, ":")}) - {""}

_passes_filter([], _)

_passes_filter(filter, names) if {
	some name in filter
	lower(name) in {lower(known) | some known in names}
}

# allow-always is possible if the ask mode is not always (R15), no custom rule would ask again,
# and either every miss can become an entry (R26) or the answer is kept in the history (R14).
_permanent_answer_possible if {
	not commands.absent
	modes.ask_mode == "on-miss"
	count(custom.ask) == 0
	count(objections.ask) == 0
	not inline.detected
	count(bound.unbound) == 0
	_remembers_answer
}

_remembers_answer if {
	modes.security == "allowlist"
	count(_entries) > 0
}

_remembers_answer if {
	modes.security == "allowlist"
	derived.exact
}

_remembers_answer if modes.security == "full"

# Programs that already match an entry need no new one.
_entries := derived.missing_entries

# A rule that asks may set another time limit, and may limit who answers to some of the approvers.
# If no approver is left, nobody can answer.
_timeout := objections.timeout if {
	not commands.absent
} else := _exec_setting("timeout", 120000)

default _allowed_approvers := ["(nobody)"]

_allowed_approvers := _approvers if {
	not _rules_name_approvers
} else := sort(objections.approvers) if {
	_approvers == []
} else := both if {
	both := [name | some name in _approvers; name in objections.approvers]
	count(both) > 0
}

_rules_name_approvers if {
	not commands.absent
	count(objections.approvers) >= 0
}

default _approvers := []

_approvers := frozen.result.exec.approvers if not commands.absent

_approvers := config.section(["approvals", "exec", "approvers"]) if {
	commands.absent
	is_array(config.section(["approvals", "exec", "approvers"]))
}

_exec_setting(key, fallback) := value if {
	value := object.get(config.section(["approvals", "exec"]), key, null)
	value != null
} else := fallback
