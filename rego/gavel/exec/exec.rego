# METADATA
# title: Exec security
# description: |
#   Layer 2: security deny, allowlist or full (EXEC-1, EXEC-4). In allowlist mode a command
#   runs if all of it was understood and every segment is permitted.
# schemas:
#   - input: schema.facts
package gavel.exec

import data.gavel.exec.constructs
import data.gavel.exec.environment
import data.gavel.exec.exact
import data.gavel.exec.hazards.files
import data.gavel.exec.inline
import data.gavel.exec.misses
import data.gavel.exec.modes
import data.gavel.exec.objections
import data.gavel.exec.observed
import data.gavel.exec.parameters
import data.gavel.exec.permitted
import data.gavel.exec.refusal
import data.gavel.exec.request
import data.gavel.exec.rules
import data.gavel.exec.search
import data.gavel.exec.segments
import data.gavel.exec.terminal
import data.gavel.exec.values
import data.gavel.exec.workspace

# METADATA
# description: misses that a person may decide about
miss contains r if {
	misses.missed_segments != set()
	not exact.allowed
	some r in misses.reasons
}

# METADATA
# description: constructs and redirected files that a person may decide about
miss contains r if {
	modes.security == "allowlist"
	some r in constructs.misses
}

# METADATA
# description: variables whose values are not accepted, which a person may decide about
miss contains r if {
	modes.security == "allowlist"
	some r in environment.misses
}

# METADATA
# description: a working directory that a person may decide about
miss contains r if some r in workspace.misses

# METADATA
# description: the host, settings and parameters that the call requests, and where its programs were looked up
deny contains r if some r in ((request.deny | parameters.deny) | search.deny)

# METADATA
# description: variables that a call may not set, in every mode (R37)
deny contains r if some r in environment.blocked

# METADATA
# description: in allowlist mode, a value that a shell could evaluate is denied, and nothing overrides that (R37)
deny contains r if {
	modes.security != "full"
	some r in environment.evaluated
}

# METADATA
# description: in allowlist mode, a command that was not understood is denied, and nothing overrides that (R19)
deny contains r if {
	modes.security != "full"
	some r in refusal.reasons
}

# METADATA
# description: in allowlist mode, a construct that no setting opens is denied, and nothing overrides that (R19)
deny contains r if {
	modes.security != "full"
	some r in constructs.closed
}

# METADATA
# description: in full mode, only text that is certainly not a command is denied
deny contains r if {
	modes.security == "full"
	not observed.readable
	some r in refusal.reasons
}

# METADATA
# description: in every mode, if it is unknown what directives have set for the session
deny contains r if some r in values.deny

# METADATA
# description: in every mode, a program into whose terminal the agent could type commands
deny contains r if some r in terminal.reasons

# METADATA
# description: in allowlist mode, a file on a deny list is closed to programs, and nothing overrides that
deny contains r if {
	modes.security != "full"
	some r in files.denied
}

# METADATA
# description: what a rule of the configuration denies, in every mode (R42)
deny contains r if some r in objections.deny

# METADATA
# description: with ask off, a miss is denied without asking, unless a rule asks about it (APPROVALS-2)
deny contains r if {
	modes.miss_mode == "off"
	some r in miss
	not _asked_about(r)
}

# METADATA
# description: what a rule of the configuration asks about, in every mode (R42)
ask contains r if some r in objections.ask

# METADATA
# description: with ask off, a miss at the position of a segment that a rule asks about is asked about too
ask contains r if {
	modes.miss_mode == "off"
	some r in miss
	_asked_about(r)
}

# METADATA
# description: in any other ask mode, a person may decide about a miss
ask contains r if {
	modes.miss_mode != "off"
	some r in miss
}

# METADATA
# description: with strictInlineEval, inline code is always asked about (R25)
ask contains r if {
	inline.strict
	some r in inline.reasons
}

# A miss of a segment, where a rule certainly asks about every missed segment at its position.
_asked_about(r) if {
	some segment in misses.missed_segments
	r.span == {"start": segment.start, "end": segment.end}
	every other in _at_same_position(segment) { rules.certainly_asks(other) }
}

_at_same_position(segment) := {other | some other in misses.missed_segments; other.start == segment.start; other.end == segment.end}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: allowlist mode, everything was understood, and every segment is permitted
permit if {
	modes.security == "allowlist"
	observed.complete
	input.exec.parsed == true
	observed.does_something
	count(misses.missed_segments) == 0
	workspace.starts_inside
	constructs.accepted
	environment.accepted
}

# METADATA
# description: allowlist mode, and a person has permanently allowed exactly this command
permit if {
	exact.allowed
	constructs.accepted
}

# METADATA
# description: full mode, and the text is a command
permit if {
	modes.security == "full"
	observed.complete
	observed.readable
}

# METADATA
# description: what permits the programs of the command
because contains r if some r in permitted.because

# METADATA
# description: |
#   a person's answer may permit the command although a segment is a miss or a construct needs
#   an answer: all of it was understood, and every miss is asked about
approvable if {
	modes.security == "allowlist"
	observed.complete
	input.exec.parsed == true
	observed.does_something
	constructs.answerable
	environment.answerable
	count(ask) > 0
	count(deny) == 0
}

# METADATA
# scope: document
# description: every segment would be permitted in allowlist mode, whatever the security
default allowlist_permits := false

allowlist_permits if {
	observed.complete
	input.exec.parsed == true
	count(input.exec.segments) > 0
	every segment in input.exec.segments { segments.satisfied(segment) }
	count(objections.asking) == 0
	environment.accepted
}
