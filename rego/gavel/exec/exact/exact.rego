# METADATA
# title: Exact command
# description: |
#   Whether a person has permanently allowed exactly this command (R40).
# schemas:
#   - input: schema.facts
package gavel.exec.exact

import data.gavel.exec.bound
import data.gavel.exec.modes
import data.gavel.exec.observed

# METADATA
# scope: document
# description: |
#   the approvals file has an entry for exactly this command, with everything that the answer
#   covers (R40). An entry never covers code that cannot be identified.
default allowed := false

allowed if {
	modes.security == "allowlist"
	modes.ask_mode == "on-miss"
	observed.complete
	input.exec.parsed == true
	count(input.exec.segments) > 0
	input.approval.looked == true
	regex.match(`^[0-9a-f]{64}$`, input.approval.bound)
	is_string(input.approval.trusted)
	not input.approval.trusted == ""
	count(bound.unbound) == 0
}
