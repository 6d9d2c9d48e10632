# METADATA
# title: Change
# description: |
#   Which edits of the configuration may permit a refused call, and why there may be none. This is
#   advice: no decision depends on it. Go applies the edits to a copy of the configuration, and
#   decides the call again before it shows them.
# schemas:
#   - input: schema.facts
package gavel.change

import data.gavel.catalog
import data.gavel.change.commands
import data.gavel.change.settings
import data.gavel.decision

# METADATA
# description: |
#   edits: each {"op", "path", "value", "admits"}. none: the reasons that no edit answers, each
#   {"code", "why"}. settled: only questions are left that the policy asks on purpose. packs:
#   edits that may replace several rules. verifiers: a sentence, if only their answers are missing
result := {"edits": edits, "none": none, "settled": settled, "packs": commands.packs, "verifiers": verifiers}

# METADATA
# scope: document
# description: which verifiers must agree, and why, if nothing else stands between the call and an allow; else ""
default verifiers := ""

verifiers := sprintf("nothing in the configuration forbids the call: verifier %s must agree, because %s selects its tool; gavel decide asks", [
	concat(" and verifier ", [asked.name | some asked in asks.verifiers]),
	asks.scope,
]) if {
	asks := decision.result.asks
	is_object(asks)
}

# METADATA
# description: the edits that may help
edits := commands.edits | settings.edits

# METADATA
# description: the reasons of this decision that no edit answers
none contains r if {
	not settled
	some r in ((_reasons_without_edit | commands.none) | settings.none)
}

_reasons_without_edit contains {"code": r.code, "why": why} if {
	some r in decision.reasons
	why := _why(r.code)
}

_why(code) := catalog.change.none[code]

# Reasons that are not in the table come from the policy's own Rego.
_why(code) := "the policy's own Rego objects, and no setting changes that" if {
	not code in catalog.change.helps
	not code in catalog.change.asks
	not catalog.change.none[code]
	not _asks(code)
}

# METADATA
# scope: document
# description: the policy asks, and every reason is one that it gives on purpose
default settled := false

settled if {
	decision.effect == "ask"
	every r in decision.reasons { _asks(r.code) }
}

_asks(code) if code in catalog.change.asks

# An objection of the policy's own Rego.
_asks(code) if {
	decision.effect == "ask"
	not code in catalog.change.helps
	not catalog.change.none[code]
}
