# METADATA
# title: Decision
# description: |
#   The entrypoint. Deny wins over ask, and ask over allow. A call is allowed only when every
#   required layer that applies permits it and no layer objects. A required layer that neither
#   permits nor objects denies. gavel.decision.layers lists the layers.
# schemas:
#   - input: schema.facts
package gavel.decision

import data.gavel.approvals
import data.gavel.approvals.terms
import data.gavel.decision.layers
import data.gavel.decision.plan
import data.gavel.elevated.level
import data.gavel.exec
import data.gavel.reason
import data.gavel.resources.fetching

# METADATA
# title: Result
# description: the whole decision as one object
# entrypoint: true
result := {"effect": "deny", "reasons": denials, "exec": {}} if {
	count(denials) > 0
} else := {"effect": "allow", "reasons": grounds, "exec": plan.allowed, "web": fetching.result} if {
	count(questions) == 0
	permitted
} else := {"effect": "deny", "reasons": approvals.unanswered, "exec": {}} if {
	count(questions) > 0
	count(approvals.unanswered) > 0
} else := {"effect": "ask", "reasons": questions, "exec": plan.asked, "web": fetching.result, "terms": terms.result} if {
	count(questions) > 0
	count(silent) == 0
} else := {"effect": "deny", "reasons": silent, "exec": {}}

# METADATA
# description: deny, ask or allow
effect := result.effect

# METADATA
# description: the objections, or for an allow, the permits
reasons := result.reasons

# METADATA
# description: every layer's verdict
verdicts := layers.verdicts

# METADATA
# description: the reasons that deny the call
denials contains r if {
	some layer in layers.applying
	some r in layers.says[layer.name].deny
}

# METADATA
# description: the questions that a person must still answer
questions contains r if {
	not approvals.answered
	some layer in layers.applying
	some r in layers.says[layer.name].ask
	not _waived(r)
}

# METADATA
# description: the reasons that permit the call
grounds contains r if {
	some layer in layers.applying
	some r in layers.says[layer.name].because
}

# METADATA
# scope: document
# description: every required layer permits
default permitted := false

permitted if {
	every layer in layers.applying { _agrees(layer) }
}

# METADATA
# title: Layer is silent
# description: a required layer neither permits nor objects; silence must never count as consent
# custom:
#   code: decision.silent
#   message: layer %s neither permits nor objects
#   fix: this is a bug in the policy, because every required layer must permit or object; please report it
silent contains reason.from(rego.metadata.rule(), [layer.name], {}) if {
	some layer in layers.applying
	not _agrees(layer)
	not _objects(layer.name)
}

# A layer that is not required can only object, and has no permit to give. It must still be
# defined.
_agrees(layer) if {
	layer.required == false
	is_object(layers.says[layer.name])
}

_agrees(layer) if _permits(layer.name)

_objects(name) if count(layers.says[name].deny) > 0

_objects(name) if {
	not approvals.answered
	some r in layers.says[name].ask
	not _waived(r)
}

_permits(name) if layers.says[name].permit == true

_permits("exec") if {
	level.active == "full"
	exec.approvable
	every r in exec.ask { _waived(r) }
}

# A person's answer changes exactly this: - a yes answers every question, so no questions are
# left (questions, _objects); - a yes lets a command run that layer exec asked about, if
# people may decide about it (below); - a question that ended without an answer denies
# (approvals.unanswered, in result).
_permits("exec") if {
	approvals.answered
	exec.approvable
}

# Elevated mode full waives the questions of exec security and of exec approvals. A question
# that a rule of the configuration or a custom rule asks is none of those (R31).
_waived(r) if {
	level.active == "full"
	not startswith(r.code, "exec.rule_")
	regex.match(`^(exec|approvals)\.`, r.code)
}
