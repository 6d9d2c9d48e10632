# METADATA
# title: Decision
# description: |
#   The entrypoint. Deny wins over ask, and ask over allow. A call is allowed only when every
#   required layer that applies permits it and no layer objects. If a required layer neither
#   permits nor objects, the call is denied. gavel.decision.layers has the table of layers.
#   Outside verifiers come last: they are asked only about calls that all other layers permit,
#   after people have answered.
# schemas:
#   - input: schema.facts
package gavel.decision

import data.gavel.approvals
import data.gavel.approvals.terms
import data.gavel.decision.layers
import data.gavel.decision.plan
import data.gavel.elevated.level
import data.gavel.exec
import data.gavel.exec.commands
import data.gavel.exec.process
import data.gavel.reason
import data.gavel.resources.fetching
import data.gavel.verifier

# METADATA
# title: Result
# description: the whole decision as one object
# entrypoint: true
result := {"effect": "deny", "reasons": denials, "exec": {}} if {
	count(denials) > 0
} else := {"effect": "allow", "reasons": grounds, "exec": plan.allowed, "web": fetching.result} if {
	count(questions) == 0
	verifier.absent
	permitted
} else := _verifiers_result if {
	count(questions) == 0
	not verifier.absent
	permitted
} else := {"effect": "deny", "reasons": approvals.unanswered, "exec": {}} if {
	count(questions) > 0
	count(approvals.unanswered) > 0
} else := object.union({"effect": "ask", "reasons": questions, "exec": plan.asked, "web": fetching.result, "terms": terms.result}, _needed_verifiers) if {
	count(questions) > 0
	count(silent) == 0
} else := {"effect": "deny", "reasons": silent, "exec": {}}

# METADATA
# description: deny, ask or allow
effect := result.effect

# METADATA
# description: why the call is denied or asked about or, for an allow, what permits it
reasons := result.reasons

# METADATA
# description: every layer's verdict, for gavel explain; the verifiers have one only if every other layer permits the call
verdicts := layers.explained if {
	_permitted_before_verifiers
} else := object.union(layers.explained, {layer.name: layers.without_verdict(layer) |
	some layer in layers.table
	layer.name == "verifier"
})

# Every other layer permits the call, so the verifiers decide.
_permitted_before_verifiers if {
	count(denials) == 0
	count(questions) == 0
	permitted
}

# The decision of the verifiers about a call that every other layer permits. asks: the verifiers
# that must be asked now, or null.
_verifiers_result := {"effect": "deny", "reasons": verifier.deny, "exec": {}, "verify": verifier.needed, "asks": _verifier_questions} if {
	count(verifier.deny) > 0
} else := {"effect": "allow", "reasons": grounds, "exec": plan.allowed, "web": fetching.result, "verify": verifier.needed} if {
	verifier.permit
} else := {"effect": "deny", "reasons": silent, "exec": {}, "verify": verifier.needed}

# A verifier also learns what permits the call so far.
default _verifier_questions := null

_verifier_questions := object.union(verifier.asks, {"because": grounds}) if is_object(verifier.asks)

default _needed_verifiers := {}

_needed_verifiers := {"verify": verifier.needed} if not verifier.absent

# METADATA
# description: the reasons that deny the call
denials contains r if {
	some layer in layers.before_verifiers
	some r in layers.verdict[layer.name].deny
}

# METADATA
# description: the questions that a person must still answer
questions contains r if {
	not approvals.answered
	some layer in layers.applicable
	some r in layers.verdict[layer.name].ask
	not _waived(r)
}

# METADATA
# description: the reasons for allowing the call
grounds contains r if {
	some layer in layers.applicable
	some r in layers.verdict[layer.name].because
}

# METADATA
# scope: document
# description: every required layer other than the verifiers permits the call
default permitted := false

permitted if {
	every layer in layers.before_verifiers { _agrees(layer) }
}

# METADATA
# title: Layer is silent
# description: a required layer neither permits nor objects; silence must never count as consent
# custom:
#   code: decision.silent
#   message: layer %s neither permits nor objects
#   fix: this is a bug in the policy, because every required layer must permit or object; please report it
silent contains reason.from(rego.metadata.rule(), [layer.name], {}) if {
	some layer in layers.applicable
	not _agrees(layer)
	not _objects(layer.name)
}

# A layer that is not required can only object, so it need not permit. Its verdict must be defined.
_agrees(layer) if {
	layer.required == false
	is_object(layers.verdict[layer.name])
}

_agrees(layer) if _permits(layer.name)

_objects(name) if count(layers.verdict[name].deny) > 0

_objects(name) if {
	not approvals.answered
	some r in layers.verdict[name].ask
	not _waived(r)
}

_permits(name) if layers.verdict[name].permit == true

_permits("exec") if {
	level.active == "full"
	exec.approvable
	every r in exec.ask { _waived(r) }
}

# A person's answer has exactly these effects:
#   - a yes answers every question, so none is left (questions, _objects);
#   - a yes permits a command that layer exec asks about, if a person may decide about it (here);
#   - a question that ended without an answer denies (approvals.unanswered, in result).
_permits("exec") if {
	approvals.answered
	_approvable
}

_approvable if {
	not commands.process
	exec.approvable
}

_approvable if {
	commands.process
	process.approvable
}

# Elevated mode full waives the questions of layers exec and approvals, but not those of command
# rules and custom rules (R31).
_waived(r) if {
	level.active == "full"
	not startswith(r.code, "exec.rule_")
	regex.match(`^(exec|approvals)\.`, r.code)
}
