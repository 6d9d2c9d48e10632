# METADATA
# title: Exec approvals
# description: |
#   Layer 3: must a person be asked, and has a person answered (APPROVALS-1, APPROVALS-2, R12 to
#   R18)? Layer 2 asks about an allowlist miss, because it found the miss. Who was asked and what
#   they answered are facts. Whether the answer suffices is judged here.
# schemas:
#   - input: schema.facts
package gavel.approvals

import data.gavel.approvals.unclear
import data.gavel.elevated.level
import data.gavel.exec
import data.gavel.exec.bound
import data.gavel.exec.commands
import data.gavel.exec.file
import data.gavel.exec.modes
import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: the questions about a command that a person must answer
ask contains r if {
	not commands.absent
	some r in _questions
}

# METADATA
# description: objections that follow from a person's answer, from its absence, or from an unusable approvals file
deny contains r if {
	not _nobody_asked
	some r in _objections
}

# METADATA
# title: Every command is asked about
# description: ask is always, so even an allowlisted command is asked about (R15)
# custom:
#   code: approvals.always
#   message: ask is always, so a person must agree to every command
#   fix: to be asked only about programs that match no allowlist entry, %s
_questions contains reason.fixed(rego.metadata.rule(), [], [_always_fix], _source) if {
	modes.ask_mode == "always"
	not _no_question_left
}

# METADATA
# title: Command is new
# description: with security full, on-miss asks about every command that nobody has approved before (R14)
# custom:
#   code: approvals.unseen
#   message: security is full, and nobody has approved this command yet
#   fix: have a person approve it, or set %s to never
_questions contains reason.fixed(rego.metadata.rule(), [], [frozen.result.exec.full_on_miss.path], _source) if {
	_new_command
	not _no_question_left
}

# METADATA
# title: A person said no
# description: a person has just denied exactly this call
# custom:
#   code: approvals.denied
#   message: a person has denied exactly this call
#   fix: do something else; a person can be asked about the same call again later
_objections contains reason.from(rego.metadata.rule(), [], {}) if {
	_answer == "deny"
}

# METADATA
# title: Approvals file cannot be used
# description: the file may hold stricter settings, so no command is permitted without it (R34)
# custom:
#   code: approvals.file_refused
#   message: the approvals file cannot be read, and its settings may be stricter than the configuration
#   fix: repair exec-approvals.json; the server's log says where it is and what is wrong with it
_objections contains reason.from(rego.metadata.rule(), [], {}) if {
	not commands.absent
	not input.approvalsFile.state in {"", "read"}
}

# METADATA
# title: Nobody answered in time
# description: the question expired, and the fallback does not permit the call (R17)
# custom:
#   code: approvals.timeout
#   message: nobody answered in time, and askFallback is %s
#   fix: ask again when someone can answer; if %s is allowlist, programs on the allowlist run without an answer
unanswered contains reason.fixed(rego.metadata.rule(), [_fallback], [_fallback_path], {"path": _fallback_path}) if {
	_expired == "timeout"
	not _fallback_permits
}

# METADATA
# title: Nobody could be asked
# description: no person can be reached, so the question expired at once (R18)
# custom:
#   code: approvals.no_route
#   message: nobody can be asked (no-approval-route), and askFallback is %s
#   fix: have an approver connect, or set approvals.exec.targets; if %s is allowlist, programs on the allowlist run without an answer
unanswered contains reason.fixed(rego.metadata.rule(), [_fallback], [_fallback_path], {"path": _fallback_path}) if {
	is_string(_expired)
	not _expired == "timeout"
	not _fallback_permits
}

# METADATA
# title: Call cannot be bound
# description: it is unclear what an answer would cover, so no answer can permit the call (R29)
# custom:
#   code: approvals.unbound
#   message: 'nobody can be asked, because it is unclear what an answer would cover: %s'
#   fix: '%s'
#   advises: 'use programs and files that exist and can be read, state a working directory, or run a script as its own program (bash FILE)'
unanswered contains reason.fixed(rego.metadata.rule(), [unclear.cause], [unclear.fix], {}) if {
	input.approval.looked == true
	not _bound
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: only commands need this layer's permit
permit if commands.absent

# METADATA
# description: an authorised sender has waived the questions about this session's commands (R31)
permit if level.active == "full"

# METADATA
# description: ask off never asks
permit if modes.ask_mode == "off"

# METADATA
# description: on-miss asks only about misses, and layer 2 finds those
permit if {
	modes.ask_mode == "on-miss"
	modes.security == "allowlist"
}

# METADATA
# description: in full mode, on-miss can be configured to never ask
permit if {
	modes.ask_mode == "on-miss"
	modes.security == "full"
	frozen.result.exec.full_on_miss.value == "never"
}

# METADATA
# description: in full mode with on-miss, a person has approved this command permanently (R14)
permit if {
	modes.ask_mode == "on-miss"
	modes.security == "full"
	_approved_before
}

# METADATA
# description: a person has approved exactly this call
permit if answered

# METADATA
# description: nobody answered, and the fallback permits allowlisted programs
permit if _fallback_permits

# METADATA
# title: A person said yes
# description: a person has approved exactly this call, and the answer has not been used
# custom:
#   code: approvals.approved
#   message: a person has approved exactly this call (%s)
#   fix: ""
because contains reason.from(rego.metadata.rule(), [input.approval.decision], {}) if {
	not _nobody_asked
	answered
}

# METADATA
# title: Nobody answered, and the allowlist permits
# description: the question expired, its fallback is allowlist, and every program matches an entry
# custom:
#   code: approvals.fallback
#   message: nobody answered, askFallback is allowlist, and every program matches an allowlist entry
#   fix: ""
because contains reason.from(rego.metadata.rule(), [], {"path": _fallback_path}) if {
	not _nobody_asked
	_fallback_permits
}

# METADATA
# scope: document
# description: a person has approved exactly this call, and the answer has not been used
default answered := false

answered if _answer in {"allow-once", "allow-always"}

# The answer that covers this call. An answer to a different call, or to one that cannot be
# identified, does not count.
_answer := input.approval.decision if {
	input.approval.looked == true
	input.approval.found == true
	input.approval.state == "resolved"
	_bound
	input.approval.binding == input.approval.bound
}

_bound if regex.match(`^[0-9a-f]{64}$`, input.approval.bound)

# Nobody was asked about the call, and the approvals file is usable.
_nobody_asked if {
	input.approval.looked == false
	input.approvalsFile.state in {"", "read"}
}

_expired := input.approval.expired if {
	input.approval.looked == true
	input.approval.found == true
	input.approval.state == "expired"
}

# No question is left: a person has approved the call, or nobody can answer and the fallback
# permits it.
_no_question_left if answered

_no_question_left if _fallback_permits

_fallback_permits if {
	is_string(_expired)
	_bound
	_fallback == "allowlist"
	exec.allowlist_permits
}

_new_command if {
	modes.ask_mode == "on-miss"
	modes.configured_full
	not frozen.result.exec.full_on_miss.value == "never"
	not _approved_before
}

_approved_before if {
	input.approval.looked == true
	_bound
	input.approval.seen == "allow-always"
	count(bound.unbound) == 0
}

# The stricter of the configuration and the approvals file. The file has its own names for the
# values; only two of them permit anything.
default _fallback := "deny"

_fallback := "allowlist" if {
	frozen.result.exec.ask_fallback.value == "allowlist"
	file.setting("askFallback").value in {"", "allowlist", "full"}
}

_fallback_path := frozen.result.exec.ask_fallback.path

_source := {"path": modes.ask_setting.path, "from": modes.ask_setting.from}

# How to get from ask always to ask on-miss; it depends on where always is set.
_always_fix := "leave the parameter ask out of the call" if {
	modes.ask_setting.path == "tool.params.ask"
} else := "leave the parameter elevated out of the call" if {
	modes.ask_setting.path == "tool.params.elevated"
} else := "set the session to /exec ask=on-miss" if {
	modes.ask_setting.path == "session.exec.ask"
} else := "set the session to /elevated on" if {
	modes.ask_setting.path in {"message.inline.elevated", "session.elevated"}
} else := sprintf("set %s to on", [modes.ask_setting.path]) if {
	modes.ask_setting.path == "agents.defaults.elevatedDefault"
} else := sprintf("set %s to on-miss", [modes.ask_setting.path])
