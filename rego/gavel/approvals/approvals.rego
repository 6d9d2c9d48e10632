# METADATA
# title: Exec approvals
# description: |
#   Layer 3: must a person be asked, and has one answered (APPROVALS-1, APPROVALS-2, R12
#   to R18)? A miss of the allowlist is asked about by layer 2, which found it. Who was
#   asked, and what they said, are facts; whether that suffices is judged here.
# schemas:
#   - input: schema.facts
package gavel.approvals

import data.gavel.exec
import data.gavel.exec.bound
import data.gavel.exec.commands
import data.gavel.exec.file
import data.gavel.exec.modes
import data.gavel.exec.observed
import data.gavel.exec.programs
import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: what a person must be asked about a command, unless the configuration asks about programs only
ask contains r if {
	not commands.absent
	not observed.quiet
	some r in _questions
}

# METADATA
# description: what a person said, and what the approvals file cannot say
deny contains r if {
	not _unconcerned
	some r in _objections
}

# METADATA
# title: Every command is asked about
# description: ask always asks, also for what is on the allowlist (R15)
# custom:
#   code: approvals.always
#   message: every command of this agent needs a person's answer
#   fix: set %s to on-miss to ask only about programs that are not listed
_questions contains reason.fixed(rego.metadata.rule(), [], [modes.ask_setting.path], _source) if {
	modes.ask_mode == "always"
	not _settled
}

# METADATA
# title: Command was not seen before
# description: with security full, on-miss asks for every command that was not approved before (R14)
# custom:
#   code: approvals.unseen
#   message: security is full, and nobody has approved this command yet
#   fix: have a person approve it, or set tools.exec.fullAskOnMiss to never
_questions contains reason.from(rego.metadata.rule(), [], _source) if {
	_unseen
	not _settled
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
# description: the file may hold stricter settings, so without it no command is judged (R34)
# custom:
#   code: approvals.file_refused
#   message: the approvals file cannot be used, and its settings may be stricter than the configuration
#   fix: repair or replace the file; the server's log says what is wrong
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
#   fix: ask again when someone can answer; with %s set to allowlist, listed programs run without an answer
unanswered contains reason.fixed(rego.metadata.rule(), [_fallback], [_fallback_path], {"path": _fallback_path}) if {
	_expired == "timeout"
	not _fallback_permits
}

# METADATA
# title: Nobody could be asked
# description: there is no way to reach a person, so the question expired at once (R18)
# custom:
#   code: approvals.no_route
#   message: nobody can be asked (no-approval-route), and askFallback is %s
#   fix: have an operator connect, or set approvals.exec.targets; with %s set to allowlist, listed programs run without an answer
unanswered contains reason.fixed(rego.metadata.rule(), [_fallback], [_fallback_path], {"path": _fallback_path}) if {
	is_string(_expired)
	not _expired == "timeout"
	not _fallback_permits
}

# METADATA
# title: Call cannot be bound
# description: what an answer would cover cannot be told, so no answer can permit it (R29)
# custom:
#   code: approvals.unbound
#   message: 'nobody can be asked, because what an answer would cover is not known: %s'
#   fix: '%s'
unanswered contains reason.fixed(rego.metadata.rule(), [concat("; ", _unclear)], [_clearer], {}) if {
	input.approval.looked == true
	not _bound
}

# Why that is: a program that was not found, most of all a command of the shell, or a
# place that is not known. Where neither is the case, a file changed or cannot be read.
default _unclear := ["a program, its file or its script was replaced, or could not be read"]

_unclear := sort(_unclear_parts) if count(_unclear_parts) > 0

_unclear_parts := (_unfound | _unplaced) | _unread_files

_unfound := {sprintf("%q is not a program that was found", [name]) |
	some name in (_missing_programs - programs.shell_commands)
} | {sprintf("the shell itself runs %s, and there is no file to show", [name]) |
	some name in (_missing_programs & programs.shell_commands)
}

_missing_programs := {segment.argv[0] |
	some segment in input.exec.segments
	segment.builtin == ""
	not segment.executable.found == true
}

_unplaced := {"the working directory is not known" | input.exec.workdir == ""}

_unread_files := {sprintf("the file %q was not found or could not be read", [script.path]) |
	some segment in input.exec.segments
	some script in segment.scripts
	not script.found == true
}

default _clearer := "use programs that exist, by a path that resolves, and state a working directory"

_clearer := "run a file of commands as a program of its own (bash FILE), and other commands of the shell not at all" if {
	count(_missing_programs & programs.shell_commands) > 0
}

# METADATA
# description: nothing permits unless a rule below says so
default permit := false

# METADATA
# description: only commands need the permit of this layer
permit if commands.absent

# METADATA
# description: ask off never asks
permit if modes.ask_mode == "off"

# METADATA
# description: on-miss asks about misses, and layer 2 finds those
permit if {
	modes.ask_mode == "on-miss"
	modes.security == "allowlist"
}

# METADATA
# description: on-miss in full mode may be configured to never ask
permit if {
	modes.ask_mode == "on-miss"
	modes.security == "full"
	frozen.result.exec.full_on_miss.value == "never"
}

# METADATA
# description: on-miss in full mode, and a person has approved this command for good (R14)
permit if {
	modes.ask_mode == "on-miss"
	modes.security == "full"
	_seen
}

# METADATA
# description: a person has permitted exactly this call
permit if answered

# METADATA
# description: nobody answered, and the fallback permits what is on the allowlist
permit if _fallback_permits

# METADATA
# title: A person said yes
# description: a person has permitted exactly this call, and the answer was not used before
# custom:
#   code: approvals.approved
#   message: a person has approved exactly this call (%s)
#   fix: ""
because contains reason.from(rego.metadata.rule(), [input.approval.decision], {}) if {
	not _unconcerned
	answered
}

# METADATA
# title: Nobody answered, and the allowlist permits
# description: the fallback of a question that expired is the allowlist, and every program is on it
# custom:
#   code: approvals.fallback
#   message: nobody answered, askFallback is allowlist, and every program is listed
#   fix: ""
because contains reason.from(rego.metadata.rule(), [], {"path": _fallback_path}) if {
	not _unconcerned
	_fallback_permits
}

# METADATA
# scope: document
# description: a person has permitted exactly this call, and no call has run because of it
default answered := false

answered if _answer in {"allow-once", "allow-always"}

# The answer that covers this call. An answer to another one, or to one that cannot be
# told, is none.
_answer := input.approval.decision if {
	input.approval.looked == true
	input.approval.found == true
	input.approval.state == "resolved"
	_bound
	input.approval.binding == input.approval.bound
}

_bound if regex.match(`^[0-9a-f]{64}$`, input.approval.bound)

# Nobody was asked about the call, and the approvals file can be used.
_unconcerned if {
	input.approval.looked == false
	input.approvalsFile.state in {"", "read"}
}

_expired := input.approval.expired if {
	input.approval.looked == true
	input.approval.found == true
	input.approval.state == "expired"
}

# There is nothing left to ask about: a person said yes, or nobody can and the
# fallback says yes.
_settled if answered

_settled if _fallback_permits

_fallback_permits if {
	is_string(_expired)
	_bound
	_fallback == "allowlist"
	exec.on_list
}

_unseen if {
	modes.ask_mode == "on-miss"
	modes.security == "full"
	not frozen.result.exec.full_on_miss.value == "never"
	not _seen
}

_seen if {
	input.approval.looked == true
	_bound
	input.approval.seen == "allow-always"
	count(bound.loose) == 0
}

# The stricter of the configuration and the approvals file; the file says it in words
# of its own, of which only two permit anything.
default _fallback := "deny"

_fallback := "allowlist" if {
	frozen.result.exec.ask_fallback.value == "allowlist"
	file.setting("askFallback").value in {"", "allowlist", "full"}
}

_fallback_path := frozen.result.exec.ask_fallback.path

_source := {"path": modes.ask_setting.path, "from": modes.ask_setting.from}
