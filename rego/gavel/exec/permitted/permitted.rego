# METADATA
# title: Permitted commands
# description: |
#   What permits a command: one reason for each segment that an allowlist entry, a rule, a safe
#   bin or a skill permits, and for a command that needs no list.
# schemas:
#   - input: schema.facts
package gavel.exec.permitted

import data.gavel.exec.allowlist
import data.gavel.exec.exact
import data.gavel.exec.misses
import data.gavel.exec.modes
import data.gavel.exec.rules
import data.gavel.exec.safebins
import data.gavel.exec.segments
import data.gavel.exec.skills
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Programs are on the allowlist
# description: every segment's program matches an allowlist entry
# custom:
#   code: exec.allowlisted
#   message: '%s matches %s'
#   fix: ""
because contains _in_line(r, segment) if {
	modes.security == "allowlist"
	some segment in input.exec.segments
	found := allowlist.entry(segment)
	found.found
	r := reason.from(rego.metadata.rule(), [segment.executable.real, found.pattern], {"path": found.path})
}

# METADATA
# description: the rules that permit segments
because contains r if {
	modes.security == "allowlist"
	some r in rules.because
}

# METADATA
# title: Nothing runs
# description: the command only sets shell variables or evaluates an open construct; it runs no program
# custom:
#   code: exec.no_program
#   message: the command runs no program
#   fix: ""
because contains reason.from(rego.metadata.rule(), [], {}) if {
	modes.security == "allowlist"
	input.exec.parsed == true
	input.exec.segments == []
}

# METADATA
# title: Exactly this command was allowed permanently
# description: the words, the directory, the programs and the code files are exactly those that a person allowed
# custom:
#   code: exec.trusted
#   message: exactly this command was allowed permanently, with the current contents of its files
#   fix: ""
because contains reason.from(rego.metadata.rule(), [], {"path": input.approval.trusted}) if {
	misses.missed_segments != set()
	exact.allowed
}

# METADATA
# description: a segment that is a safe bin and matches no allowlist entry
because contains _in_line(safebins.because(segment), segment) if {
	some i in safe_segments
	segment := input.exec.segments[i]
}

# METADATA
# description: a segment that a skill has registered, and that nothing else permits
because contains _in_line(skills.because(segment), segment) if {
	some i in skill_segments
	segment := input.exec.segments[i]
}

# METADATA
# title: Security is full
# description: full mode checks no list
# custom:
#   code: exec.full
#   message: security is full, so no list is checked
#   fix: ""
because contains reason.from(rego.metadata.rule(), [], modes.source(frozen.result.exec.security)) if {
	modes.security == "full"
}

# METADATA
# description: the indexes of segments that run as safe bins and match no allowlist entry
safe_segments contains i if {
	modes.security == "allowlist"
	some i, segment in input.exec.segments
	segment.class.complete
	not segments.on_allowlist(segment)
	segments.safe(segment)
}

# METADATA
# description: the indexes of segments that run because a skill has registered their programs, and for nothing else
skill_segments contains i if {
	modes.security == "allowlist"
	some i, segment in input.exec.segments
	skills.satisfied(segment)
	not segments.on_allowlist(segment)
	not segments.safe(segment)
}

# The reasons of several commands are in the order of the line. One command needs no position, so its
# decision holds for equal commands with other words.
_in_line(r, segment) := reason.placed(r, segment) if {
	count(input.exec.segments) > 1
} else := r
