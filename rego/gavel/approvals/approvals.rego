# METADATA
# title: Exec approvals
# description: |
#   Layer 3: must a person be asked (document 000 §10, R12 to R15)? A miss of the
#   allowlist is asked about by layer 2, which found it.
# schemas:
#   - input: schema.facts
package gavel.approvals

import data.gavel.exec
import data.gavel.reason

# METADATA
# title: Every command is asked about
# description: ask always asks, also for what is on the allowlist (R15)
# custom:
#   code: approvals.always
#   message: every command of this agent needs a person's answer
#   fix: set %s to on-miss to be asked about new programs only
ask contains reason.fixed(rego.metadata.rule(), [], [_ask.path], _source) if {
	exec.ask_mode == "always"
}

# METADATA
# title: Command was not seen before
# description: with security full, on-miss asks for every command that was not approved before (R14)
# custom:
#   code: approvals.unseen
#   message: security is full, and nobody has approved this command yet
#   fix: have a person approve it, or set tools.exec.fullAskOnMiss to never
ask contains reason.from(rego.metadata.rule(), [], _source) if {
	_unseen
}

# METADATA
# description: nothing permits unless a rule below says so
default permit := false

# METADATA
# description: ask off never asks
permit if exec.ask_mode == "off"

# METADATA
# description: on-miss asks about misses, and layer 2 finds those
permit if {
	exec.ask_mode == "on-miss"
	exec.security == "allowlist"
}

# METADATA
# description: on-miss in full mode may be configured to never ask
permit if {
	exec.ask_mode == "on-miss"
	exec.security == "full"
	exec.configured.full_on_miss.value == "never"
}

_unseen if {
	exec.ask_mode == "on-miss"
	exec.security == "full"
	not exec.configured.full_on_miss.value == "never"
}

_ask := exec.configured.ask

_source := {"path": _ask.path, "from": _ask.from}
