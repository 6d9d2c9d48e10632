# What a person may be asked about a command, and what their answer may change.
package gavel.exec

import data.gavel.exec.bound
import data.gavel.exec.constructs
import data.gavel.exec.environment

# METADATA
# description: |
#   a person's answer may permit the command although a segment is a miss, or a construct
#   is left to people: all of it was understood, and somebody is asked about every miss
approvable if {
	security == "allowlist"
	_judged
	input.exec.parsed == true
	_something
	constructs.answerable
	environment.answerable
	count(ask) > 0
	count(deny) == 0
}

# METADATA
# description: every segment would satisfy the allowlist, whatever the security
default on_list := false

on_list if {
	_judged
	input.exec.parsed == true
	count(input.exec.segments) > 0
	every segment in input.exec.segments { satisfied(segment) }
	environment.accepted
}

# METADATA
# description: |
#   exactly this command, with all that an answer covers, is an entry of the approvals
#   file (R40). What cannot be named is covered by none.
default allowed_exactly := false

allowed_exactly if {
	security == "allowlist"
	ask_mode == "on-miss"
	_judged
	input.exec.parsed == true
	count(input.exec.segments) > 0
	input.approval.looked == true
	regex.match(`^[0-9a-f]{64}$`, input.approval.bound)
	is_string(input.approval.trusted)
	not input.approval.trusted == ""
	count(bound.loose) == 0
}
