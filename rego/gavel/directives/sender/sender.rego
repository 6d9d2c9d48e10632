# METADATA
# title: Senders of directives
# description: |
#   Who may give a directive: only a gateway knows who wrote a message, /exec is for the owner and
#   for listed senders, /approve for named people and listed senders, and in a group a directive
#   is addressed to the agent.
# schemas:
#   - input: schema.facts
package gavel.directives.sender

import data.gavel.config
import data.gavel.directives.people
import data.gavel.elevated.entries
import data.gavel.elevated.senders
import data.gavel.reason

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
# title: Sender is not known
# description: the message does not state its sender
# custom:
#   code: directives.nobody
#   message: the message does not say on which channel its sender is
#   fix: have the gateway state call.sender.channel and call.sender.id
refused contains [i, reason.from(rego.metadata.rule(), [], {})] if {
	some i, d in input.message.directives
	d.name in {"exec", "approve"}
	not _channel_known
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
	_channel_known
	not _may_use_exec
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
	_channel_known
	not _may_answer
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
	not _only_tightens(d)
}

_channel_known if input.sender.channel != ""

_may_use_exec if input.sender.owner == true

_may_use_exec if _listed(["commands", "allowFrom"])

_may_answer if _listed(["approvals", "exec", "allowFrom"])

_may_answer if people.named

_listed(keys) if senders.names_sender({"channels": entries.channels(config.section(keys))})

_addressed if input.message.mentioned == true

_addressed if {
	input.group.ids == []
	input.stated.byGateway == true
}

# Directives that count in a group even if the agent is not mentioned: they only tighten.
_only_tightens(d) if {
	d.name == "exec"
	d.options == [{"key": "security", "value": "deny"}]
}

_only_tightens(d) if {
	d.name == "elevated"
	data.gavel.catalog.elevated.levels[d.level] == "off"
}

# An answer names its question by id, so it needs no mention.
_only_tightens(d) if d.name == "approve"

default _sender := "the sender"

_sender := sprintf("%s:%s", [input.sender.channel, input.sender.id]) if {
	input.sender.channel != ""
	input.sender.id != ""
}
