# METADATA
# title: Exact command
# description: |
#   Whether a person has allowed exactly this command for good (R40).
# schemas:
#   - input: schema.facts
package gavel.exec.exact

import data.gavel.exec.bound
import data.gavel.exec.modes
import data.gavel.exec.observed

# METADATA
# scope: document
# description: |
#   exactly this command, with all that an answer covers, is an entry of the approvals
#   file (R40). What cannot be named is covered by none.
default allowed := false

allowed if {
	modes.security == "allowlist"
	modes.ask_mode == "on-miss"
	observed.judged
	input.exec.parsed == true
	count(input.exec.segments) > 0
	input.approval.looked == true
	regex.match(`^[0-9a-f]{64}$`, input.approval.bound)
	is_string(input.approval.trusted)
	not input.approval.trusted == ""
	count(bound.loose) == 0
}
