# METADATA
# title: Outside verifiers
# description: |
#   The last layer: must an outside authority agree to this call, and has it (VERIFIER-1)? It
#   judges only calls that everything else permits. Which verifiers to ask follows from the frozen
#   part; their answers are facts. Every verifier must agree.
# schemas:
#   - input: schema.facts
package gavel.verifier

import data.gavel.frozen
import data.gavel.reason

# METADATA
# scope: document
# description: no scope selects the tool, or none is configured
absent if count(frozen.result.verifier.verifiers) == 0

absent if input.tool.name in frozen.result.verifier.exempt

# METADATA
# description: the verifiers that must agree to this call
needed contains name if {
	not absent
	some name in frozen.result.verifier.verifiers
}

# METADATA
# scope: document
# description: the verifiers to ask now, and how; null if none must be asked, or they were asked already
default asks := null

asks := {
	"verifiers": [{"name": name, "endpoint": frozen.result.verifier.endpoints[name].path, "timeout": frozen.result.verifier.endpoints[name].timeout} |
		some name in sort(needed)
	],
	"timeout": frozen.result.verifier.timeout,
	"redact": frozen.result.verifier.redact,
	"remember": frozen.result.verifier.remember,
	"scope": _source.path,
} if {
	count(needed) > 0
	input.verification.asked == false
}

# METADATA
# description: why the call does not run
deny contains r if {
	some name in needed
	some answer in _answers(name)
	not _passes(answer)
	r := _objection(answer)
}

# METADATA
# title: Verifier has not answered
# description: an outside authority must agree, and has not answered
# custom:
#   code: verifier.unasked
#   message: verifier %s must agree to calls of this tool, and there is no answer
#   fix: decide the call with gavel serve or gavel decide, which ask verifiers
deny contains reason.from(rego.metadata.rule(), [name], _source) if {
	some name in needed
	count(_answers(name)) == 0
	count(_refusals) == 0
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: no verifier must agree
permit if absent

# METADATA
# description: every verifier was asked and has answered, and every answer lets the call pass
permit if {
	input.verification.asked == true
	count(needed) > 0
	every name in needed {
		count(_answers(name)) > 0
		every answer in _answers(name) { _passes(answer) }
	}
}

# METADATA
# title: Verifier has allowed the call
# description: an outside authority has agreed to this call
# custom:
#   code: verifier.allowed
#   message: verifier %s has allowed this call
#   fix: ""
because contains reason.from(rego.metadata.rule(), [answer.verifier], _source) if {
	permit
	some name in needed
	some answer in _answers(name)
	answer.outcome == "allowed"
}

# METADATA
# title: Verifier has allowed the same call before
# description: the answer to the same question is remembered (tools.verifier.remember)
# custom:
#   code: verifier.remembered
#   message: verifier %s allowed the same call a moment ago
#   fix: ""
because contains reason.from(rego.metadata.rule(), [answer.verifier], {"path": "tools.verifier.remember"}) if {
	permit
	some name in needed
	some answer in _answers(name)
	answer.outcome == "remembered"
}

# METADATA
# description: a verifier failed, and failMode permits the call anyway
because contains _objection(answer) if {
	permit
	some name in needed
	some answer in _answers(name)
	_tolerated(answer)
}

# The answers with a known outcome. An answer that arrived after another verifier's denial does
# not count.
_answers(name) := [answer |
	some answer in input.verification.answers
	answer.verifier == name
	_meaningful(answer)
]

_meaningful(answer) if answer.outcome in {"allowed", "denied", "remembered"}

_meaningful(answer) if _failures[answer.outcome]

_passes(answer) if answer.outcome == "allowed"

_passes(answer) if {
	answer.outcome == "remembered"
	frozen.result.verifier.remember > 0
}

_passes(answer) if _tolerated(answer)

_tolerated(answer) if {
	_failures[answer.outcome] == "fail_mode"
	frozen.result.verifier.fail_mode.value == "allow"
}

_refusals contains answer.verifier if {
	some name in needed
	some answer in _answers(name)
	not _passes(answer)
}

_failures := data.gavel.catalog.verifier.failures

# METADATA
# title: Verifier has denied the call
# description: an outside authority has denied the call, whatever failMode is
# custom:
#   code: verifier.denied
#   message: "verifier %s has denied this call%s"
#   fix: do something else, or ask those who run the verifier
_objection(answer) := reason.from(rego.metadata.rule(), [answer.verifier, _quoted(answer.detail)], _source) if {
	answer.outcome in {"denied", "remembered"}
}

# METADATA
# title: Verifier cannot be reached
# description: no connection, or no answer came over it
# custom:
#   code: verifier.unreachable
#   message: "verifier %s cannot be reached%s; failMode is %s"
#   fix: start the verifier, or correct its address; gavel verifier test says what is wrong
_objection(answer) := reason.from(rego.metadata.rule(), [answer.verifier, _quoted(answer.detail), _fail_mode.value], _setting) if {
	answer.outcome == "unreachable"
}

# METADATA
# title: Verifier is too slow
# description: no answer within the time limit
# custom:
#   code: verifier.timeout
#   message: "verifier %s has not answered in time%s; failMode is %s"
#   fix: ask again later, or raise tools.verifier.webhook.timeout and tools.verifier.timeout
_objection(answer) := reason.from(rego.metadata.rule(), [answer.verifier, _quoted(answer.detail), _fail_mode.value], _setting) if {
	answer.outcome == "timeout"
}

# METADATA
# title: Verifier answered with an HTTP error
# description: only a status from 200 to 299 is an answer
# custom:
#   code: verifier.status
#   message: "verifier %s answered with an HTTP error%s; failMode is %s"
#   fix: read the verifier's own log; gavel verifier test repeats the question
_objection(answer) := reason.from(rego.metadata.rule(), [answer.verifier, _quoted(answer.detail), _fail_mode.value], _setting) if {
	answer.outcome == "status"
}

# METADATA
# title: Verifier redirects
# description: a redirect is not followed, and never allows
# custom:
#   code: verifier.redirect
#   message: "verifier %s answered with a redirect, which is not followed%s"
#   fix: set tools.verifier.webhook.url to the address that answers itself
_objection(answer) := reason.from(rego.metadata.rule(), [answer.verifier, _quoted(answer.detail)], _source) if {
	answer.outcome == "redirect"
}

# METADATA
# title: Verifier's answer is too large
# description: an answer has at most 64 KiB, and a larger one never allows
# custom:
#   code: verifier.oversize
#   message: "the answer of verifier %s is too large%s"
#   fix: have the verifier answer with decision, reason and requestId only
_objection(answer) := reason.from(rego.metadata.rule(), [answer.verifier, _quoted(answer.detail)], _source) if {
	answer.outcome == "oversize"
}

# METADATA
# title: Verifier's answer is malformed
# description: an answer that cannot be read in exactly one way never allows
# custom:
#   code: verifier.malformed
#   message: "the answer of verifier %s is malformed%s"
#   fix: 'have the verifier answer as docs/verifier.md says: {"decision": "allow"} or {"decision": "deny"}'
_objection(answer) := reason.from(rego.metadata.rule(), [answer.verifier, _quoted(answer.detail)], _source) if {
	answer.outcome == "malformed"
}

# METADATA
# title: Verifier's answer is not for this question
# description: another requestId, or a signature that is missing, wrong or old, never allows
# custom:
#   code: verifier.mismatch
#   message: "the answer of verifier %s does not belong to this question%s"
#   fix: have the verifier repeat the requestId, and sign answers with responseSecret where one is set
_objection(answer) := reason.from(rego.metadata.rule(), [answer.verifier, _quoted(answer.detail)], _source) if {
	answer.outcome == "mismatch"
}

# METADATA
# title: Too many calls wait for a verifier
# description: no further call may wait, and a call that cannot be asked about never runs
# custom:
#   code: verifier.busy
#   message: "too many calls are waiting for verifier %s%s"
#   fix: ask again later, or raise maxWaiting in tools.verifier or tools.verifier.webhook
_objection(answer) := reason.from(rego.metadata.rule(), [answer.verifier, _quoted(answer.detail)], _source) if {
	answer.outcome == "busy"
}

_quoted("") := ""

_quoted(detail) := sprintf(": %s", [detail]) if detail != ""

_fail_mode := frozen.result.verifier.fail_mode

_setting := {"path": _fail_mode.path}

# The scope that selected the tool; the first one if the tool has no name.
_source := {"path": selecting[0].path, "from": selecting[0].from} if {
	selecting := [scope | some scope in frozen.result.verifier.scopes; input.tool.name in scope.tools]
} else := {"path": frozen.result.verifier.scopes[0].path, "from": frozen.result.verifier.scopes[0].from}
