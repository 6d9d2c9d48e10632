# METADATA
# title: Decision
# description: |
#   The entrypoint. Deny wins over ask, ask over allow, and a call is allowed only
#   when every required layer that applies permits and none objects. A required layer
#   that says nothing at all denies. Which layers there are stands in gavel.decision.layers.
# schemas:
#   - input: schema.facts
package gavel.decision

import data.gavel.approvals
import data.gavel.approvals.terms
import data.gavel.decision.layers
import data.gavel.decision.plan
import data.gavel.exec
import data.gavel.reason

# METADATA
# title: Result
# description: the whole decision as one object
# entrypoint: true
result := {"effect": "deny", "reasons": denials, "exec": {}} if {
	count(denials) > 0
} else := {"effect": "allow", "reasons": grounds, "exec": plan.allowed} if {
	count(questions) == 0
	permitted
} else := {"effect": "deny", "reasons": approvals.unanswered, "exec": {}} if {
	count(questions) > 0
	count(approvals.unanswered) > 0
} else := {"effect": "ask", "reasons": questions, "exec": plan.asked, "terms": terms.result} if {
	count(questions) > 0
	count(silent) == 0
} else := {"effect": "deny", "reasons": silent, "exec": {}}

# METADATA
# description: deny, ask or allow
effect := result.effect

# METADATA
# description: what objects, or for an allow what permitted it
reasons := result.reasons

# METADATA
# description: every layer's verdict
verdicts := layers.verdicts

# METADATA
# description: what forbids the call
denials contains r if {
	some layer in layers.applying
	some r in layers.says[layer.name].deny
}

# METADATA
# description: what a person must still be asked
questions contains r if {
	not approvals.answered
	some layer in layers.applying
	some r in layers.says[layer.name].ask
}

# METADATA
# description: what permits the call
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
# description: a required layer neither permits nor objects, which must never read as consent
# custom:
#   code: decision.silent
#   message: layer %s neither permits nor objects
#   fix: report this as a bug, because every required layer must permit or object
silent contains reason.from(rego.metadata.rule(), [layer.name], {}) if {
	some layer in layers.applying
	not _agrees(layer)
	not _objects(layer.name)
}

_agrees(layer) if _permits(layer.name)

# A layer that can only object has no permit to give. It has to answer all the same.
_agrees(layer) if {
	layer.required == false
	is_object(layers.says[layer.name])
}

_objects(name) if count(layers.says[name].deny) > 0

_objects(name) if {
	not approvals.answered
	count(layers.says[name].ask) > 0
}

_permits(name) if layers.says[name].permit == true

# What a person's answer changes is this, and nothing else:
#   - a yes answers every question, so there are no questions left (questions, _objects);
#   - a yes lets a command run that layer exec asked about, if people may decide about it
#     (below);
#   - a question that ended without an answer denies (approvals.unanswered, in result).
_permits("exec") if {
	approvals.answered
	exec.approvable
}
