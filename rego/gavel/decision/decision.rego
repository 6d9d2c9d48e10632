# METADATA
# title: Decision
# description: |
#   The entrypoint. Deny wins over ask, and ask over allow. A call is allowed only when every
#   required layer that applies permits it and no layer objects. A required layer that neither
#   permits nor objects denies. gavel.decision.layers lists the layers. Outside verifiers come
#   last: they are asked only about calls that everything else permits, with people's answers.
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
} else := _verified if {
	count(questions) == 0
	not verifier.absent
	permitted
} else := {"effect": "deny", "reasons": approvals.unanswered, "exec": {}} if {
	count(questions) > 0
	count(approvals.unanswered) > 0
} else := object.union({"effect": "ask", "reasons": questions, "exec": plan.asked, "web": fetching.result, "terms": terms.result}, _named) if {
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
# description: every layer's verdict; that of the verifiers only if the others permit the call
verdicts := layers.verdicts if {
	_reached
} else := object.union(layers.verdicts, {layer.name: layers.unasked(layer) |
	some layer in layers.table
	layer.name == "verifier"
})

# Everything but the verifiers permits the call.
_reached if {
	count(denials) == 0
	count(questions) == 0
	permitted
}

# What the verifiers make of a call that everything else permits. asks says whom to ask now.
_verified := {"effect": "deny", "reasons": verifier.deny, "exec": {}, "verify": verifier.needed, "asks": _asks} if {
	count(verifier.deny) > 0
} else := {"effect": "allow", "reasons": grounds, "exec": plan.allowed, "web": fetching.result, "verify": verifier.needed} if {
	verifier.permit
} else := {"effect": "deny", "reasons": silent, "exec": {}, "verify": verifier.needed}

# Verifiers are told what permits the call so far.
default _asks := null

_asks := object.union(verifier.asks, {"because": grounds}) if is_object(verifier.asks)

default _named := {}

_named := {"verify": verifier.needed} if not verifier.absent

# METADATA
# description: the reasons that deny the call
denials contains r if {
	some layer in layers.inner
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
# description: every required layer permits, but for the verifiers, which are asked last
default permitted := false

permitted if {
	every layer in layers.inner { _agrees(layer) }
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

# Elevated mode full waives the questions of exec security and of exec approvals. A question
# that a rule of the configuration or a custom rule asks is none of those (R31).
_waived(r) if {
	level.active == "full"
	not startswith(r.code, "exec.rule_")
	regex.match(`^(exec|approvals)\.`, r.code)
}
