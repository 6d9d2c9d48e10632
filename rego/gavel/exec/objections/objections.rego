# METADATA
# title: Objections of rules
# description: |
#   The reasons of the command rules that deny or ask, and who may answer the questions. deny wins
#   over ask, and ask over allow, in whatever order the rules are listed (R42).
# schemas:
#   - input: schema.facts
package gavel.exec.objections

import data.gavel.exec.modes
import data.gavel.exec.rules
import data.gavel.exec.rules.doubt
import data.gavel.exec.shown as text
import data.gavel.frozen
import data.gavel.reason

_rules_object if not frozen.result.exec.rules.objects == false

_denying contains [rule, part] if {
	_rules_object
	some part in rules.parts
	some rule in rules.objecting(part.part, "deny")
}

_asking contains [rule, part] if {
	_rules_object
	some part in rules.parts
	some rule in rules.objecting(part.part, "ask")
}

# METADATA
# description: the rules that ask about this call
asking := {rule | some [rule, _] in _asking}

# METADATA
# title: Rule denies
# description: a rule of the configuration denies the program with these words (R42)
# custom:
#   code: exec.rule_denied
#   message: '%s is denied by %s%s'
#   fix: 'leave it out, or %s'
deny contains reason.placed(found, part.span) if {
	some [rule, part] in _denying
	rules.certain(rule, part.part)
	said := [text.command(part.part), text.rule(rule.path), _rule_reason(rule)]
	found := reason.fixed(rego.metadata.rule(), said, [text.unruled({rule.path})], {"path": rule.path})
}

# METADATA
# title: Rule may deny
# description: the words are not known exactly, and a rule of the configuration denies what they may be (R42)
# custom:
#   code: exec.rule_unclear
#   message: '%s: denied, because %s'
#   fix: '%s; or %s'
#   advises: write every word out, or change the rule
deny contains reason.placed(found, part.span) if {
	some [why, unsure, part] in _by_doubt(_denying)
	paths := {rule.path | some rule in unsure}
	said := [text.command(part.part), doubt.sentence(why, unsure, ["denies", "deny"])]
	found := reason.fixed(rego.metadata.rule(), said, [doubt.fix(unsure[0], part.part), text.unruled(paths)], {"path": min(paths)})
}

# METADATA
# title: Text was not understood, and rules object to commands
# description: in full mode a text that was not analyzed may be what a rule denies (R42)
# custom:
#   code: exec.rule_unread
#   message: 'the command was not understood, so it may be one that a rule denies'
#   fix: use simpler commands, one at a time
deny contains reason.from(rego.metadata.rule(), [], {}) if {
	modes.security == "full"
	not input.exec.parsed == true
	not frozen.result.exec.rules.denies == false
}

# METADATA
# title: Rules have no approver in common
# description: the rules that ask about the call name approvers, and nobody is on every list
# custom:
#   code: exec.rule_approvers
#   message: 'nobody can answer: %s name no approver in common'
#   fix: name one approver in all of them, or run the commands one by one
deny contains reason.from(rego.metadata.rule(), [concat(" and ", sort({rule.path | some rule in asking; is_array(rule.approvers)}))], {}) if {
	count(_approver_lists) > 1
	count(approvers) == 0
}

# METADATA
# title: Rule asks
# description: a rule of the configuration wants a person to agree (R42)
# custom:
#   code: exec.rule_asks
#   message: '%s: a person must agree, %s'
#   fix: 'have a person agree, or %s'
ask contains reason.placed(found, part.span) if {
	modes.security in {"allowlist", "full"}
	some [because, asks, fix, part] in _questions
	found := reason.fixed(rego.metadata.rule(), [text.command(part.part), because], [fix], {"path": min({rule.path | some rule in asks})})
}

# METADATA
# title: Text was not understood, and rules ask about commands
# description: in full mode a text that was not analyzed may be what a rule asks about (R42)
# custom:
#   code: exec.rule_unread_asks
#   message: 'the command was not understood, so it may be one that a rule asks about'
#   fix: use simpler commands, one at a time, or ask a person
ask contains reason.from(rego.metadata.rule(), [], {}) if {
	modes.security == "full"
	not input.exec.parsed == true
	not frozen.result.exec.rules.asks == false
}

# Each rule that certainly objects has its own reason; rules that may object because of the same
# doubt share one.
_questions contains [sprintf("as %s says%s", [text.rule(rule.path), _rule_reason(rule)]), [rule], text.unruled({rule.path}), part] if {
	some [rule, part] in _asking
	rules.certain(rule, part.part)
}

_questions contains [sprintf("because %s", [doubt.sentence(why, unsure, ["asks about", "ask about"])]), unsure, doubt.fix(unsure[0], part.part), part] if {
	some [why, unsure, part] in _by_doubt(_asking)
}

_by_doubt(objections) := {[why, unsure, part] |
	pairs := _uncertain(objections)
	some [why, part] in {[why, part] | some [why, _, part] in pairs}
	unsure := [rule |
		some [doubted, rule, place] in pairs
		doubted == why
		place == part
	]
}

_uncertain(objections) := {[doubt.because(rule, part.part), rule, part] |
	some [rule, part] in objections
	not rules.certain(rule, part.part)
}

_rule_reason(rule) := sprintf(": %s", [rule.why]) if {
	is_string(rule.why)
} else := ""

# METADATA
# description: who may answer, by the rules that ask; undefined if none of them sets it
approvers := intersection(_approver_lists) if count(_approver_lists) > 0

_approver_lists := {{name | some name in rule.approvers} | some rule in asking; is_array(rule.approvers)}

# METADATA
# description: how many must agree, by the rules that ask
quorum := max({1} | {rule.quorum | some rule in asking; is_number(rule.quorum)})

# METADATA
# description: the time limit, by the rules that ask; undefined if none of them sets it
timeout := min(_timeouts) if count(_timeouts) > 0

_timeouts := {rule.timeout | some rule in asking; is_number(rule.timeout)}
