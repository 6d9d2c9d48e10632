# METADATA
# title: Misses
# description: |
#   Why a segment may not run: one reason for each problem.
# schemas:
#   - input: schema.facts
package gavel.exec.misses

import data.gavel.exec.advice
import data.gavel.exec.hazards
import data.gavel.exec.misses.hazardous
import data.gavel.exec.misses.named
import data.gavel.exec.misses.ruled
import data.gavel.exec.misses.wrapped
import data.gavel.exec.modes
import data.gavel.exec.programs
import data.gavel.exec.rules
import data.gavel.exec.safebins
import data.gavel.exec.segments
import data.gavel.exec.shown
import data.gavel.exec.skills
import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: why a segment is not permitted; exec denies or asks, as the ask mode says
reasons contains reason.placed(_miss_reason(_miss_kind(segment), segment), segment) if {
	some segment in missed_segments
	not _rule_asks(segment)
}

# METADATA
# description: an allowlisted program inside a wrapper that may not run it
reasons contains reason.placed(r, segment) if {
	some segment in missed_segments
	some r in wrapped.reasons(segment)
}

# METADATA
# description: an allowlisted program with an argument that its entry does not accept
reasons contains reason.placed(r, segment) if {
	some segment in missed_segments
	_miss_kind(segment) == "hazard"
	some r in hazardous.reasons(segment, _closest_entry(segment))
}

# METADATA
# description: a safe bin whose arguments disqualify it
reasons contains reason.placed(r, segment) if {
	some segment in missed_segments
	_miss_kind(segment) == "unsafe bin"
	some r in safebins.objections(segment)
}

# METADATA
# description: a program that a skill has registered, and why that does not permit it
reasons contains reason.placed(r, segment) if {
	some segment in missed_segments
	some r in skills.objections(segment)
}

# If a rule asks about the program, its question replaces the reason that nothing permits the
# program.
_rule_asks(segment) if {
	_miss_kind(segment) in {"ruled", "named", "unlisted"}
	rules.certainly_asks(segment)
}

# METADATA
# description: the segments that are not permitted
missed_segments contains segment if {
	modes.security == "allowlist"
	input.exec.parsed == true
	some segment in input.exec.segments
	not segments.satisfied(segment)
}

_miss_kind(segment) := "builtin" if {
	_unknown_builtin(segment)
} else := "link" if {
	segment.opaque == ""
	not programs.runs_other_programs(segment)
	programs.untrusted_link(segment)
} else := "opaque" if {
	_runs_unread_commands(segment)
} else := "unlisted" if {
	every entry in rules.entries(segment) { segments.script_under_wildcard(segment, entry) }
	count(rules.entries(segment)) > 0
} else := "directory" if {
	_leads_away(segment)
} else := "dynamic" if {
	some entry in rules.entries(segment)
	hazards.accepted(segment, entry)
	not segments.accepts_dynamic_words(segment, entry)
} else := "hazard" if {
	count(rules.entries(segment)) > 0
} else := "unsafe bin" if {
	segment.executable.found == true
	safebins.listed(segment)
} else := "ruled" if {
	segment.executable.found == true
	count(rules.allowing_program(segment)) > 0
} else := "named" if {
	segment.executable.found == true
	named.applies(segment)
} else := "unlisted" if {
	segment.executable.found == true
	count(rules.entries(segment)) == 0
} else := "not found" if {
	not segment.executable.found == true
}

# METADATA
# title: Program is not on the allowlist
# description: a segment whose program matches no allowlist entry
# custom:
#   code: exec.allowlist_miss
#   message: '%s: %s matches no allowlist entry'
#   fix: '%s'
#   advises: add an entry with the hazards that it has to accept; not for a command that would change files of the system
_miss_reason("unlisted", segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), segment.executable.real],
	[advice.entry(segment)],
	{"path": frozen.result.exec.allowlist},
)

_miss_reason("named", segment) := named.objection(segment)

_miss_reason("ruled", segment) := ruled.objection(segment)

# METADATA
# title: Program was not found
# description: a name that is not on the search path cannot match a pattern for paths
# custom:
#   code: exec.not_found
#   message: '%s: program %q was not found%s'
#   fix: '%s'
#   advises: check the name, the search path and the working directory; of a shell builtin, what to run in its place
_miss_reason("not found", segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), segment.argv[0], advice.builtin(segment.argv[0])],
	[advice.search(segment.argv[0])],
	{"path": frozen.result.exec.allowlist},
)

# METADATA
# title: Program runs other commands
# description: an entry for a shell, a wrapper or an evaluating builtin would permit everything
# custom:
#   code: exec.opaque_program
#   message: '%s: %s, so no list can permit it'
#   fix: '%s'
#   advises: what to write in its place, such as the program itself without its wrapper, or a script file
_miss_reason("opaque", segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), advice.because(segment)],
	[advice.instead(segment)],
	{"path": frozen.result.exec.allowlist},
)

# METADATA
# title: Link's name decides what the program does
# description: the file behind the link acts according to the link's name, and the link is neither trusted nor listed (R45)
# custom:
#   code: exec.link
#   message: '%s: %s is a link, and its name decides what %s does; the link is not in a trusted directory that only root can change'
#   fix: 'add %q to %s, or call the program directly'
_miss_reason("link", segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), segment.executable.real, segment.executable.link],
	[segment.executable.real, frozen.result.exec.allowlist],
	{"path": frozen.result.exec.allowlist},
)

# METADATA
# title: Shell builtin is not understood
# description: the shell runs this itself, and it is unknown to be harmless with these arguments
# custom:
#   code: exec.builtin
#   message: '%s: the shell itself runs %s, which is not known to be harmless'
#   fix: leave it out, or use a program instead
_miss_reason("builtin", segment) := reason.from(
	rego.metadata.rule(),
	[shown.command(segment), segment.opaque],
	{"path": frozen.result.exec.allowlist},
)

# METADATA
# title: Word is produced at run time
# description: the program shows or changes the file that a word names, and the word is produced at run time (R19)
# custom:
#   code: exec.dynamic
#   message: '%s: %s shows or changes files, and Gavel cannot tell which: %s produced at run time'
#   fix: 'name the files in the command%s'
_miss_reason("dynamic", segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), segment.executable.real, _dynamic_shown(segment)],
	[advice.opening],
	{"path": frozen.result.exec.constructs.substitution.path},
)

# METADATA
# title: Directory is outside the workspace
# description: cd leads out of the workspace or to an unknown directory, where other settings may apply
# custom:
#   code: exec.directory
#   message: '%s leads %s'
#   fix: '%s'
#   advises: 'use paths in the workspace, or list the directory under tools.read.allow; where the directory is unknown, write its path and run cd first'
_miss_reason("directory", segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), advice.leads(segment)],
	[advice.directory(segment)],
	{"path": "tools.read.allow"},
)

# The entry that leaves the fewest hazards unaccepted; its hazards are the reasons that are shown.
_closest_entry(segment) := closest if {
	[_, _, closest] := min([[count(hazards.unaccepted(segment, entry)), entry.path, entry] | some entry in rules.entries(segment)])
}

_leads_away(segment) if {
	segment.builtin == "cd"
	not segments.directory_accepted(segment)
}

# It is unknown where cd leads.
_leads_away(segment) if {
	segment.argv[0] == "cd"
	not segment.builtin == "cd"
	not segment.executable.found == true
}

_unknown_builtin(segment) if {
	segment.executable.found == false
	not segment.opaque == ""
	data.gavel.catalog.programs.builtins[segment.executable.name]
}

_runs_unread_commands(segment) if not segment.opaque == ""

_runs_unread_commands(segment) if {
	segment.executable.found == true
	programs.opaque(segment)
}

_dynamic_shown(segment) := "their names come from another command, and are" if {
	_dynamic_words(segment) == [_added]
} else := sprintf("%s is", [words[0]]) if {
	words := _dynamic_words(segment)
	count(words) == 1
} else := sprintf("%s are", [concat(" and ", _dynamic_words(segment))])

_dynamic_words(segment) := [word |
	some i in segment.dynamic
	word := _word(segment, i)
]

_word(segment, i) := segment.argv[i] if {
	i < count(segment.argv)
} else := _added

_added := "the words that another command adds"
