# METADATA
# title: Offer
# description: |
#   What a person can be offered besides "once": the allowlist entries that allow-always would add
#   (EXEC-5, R26), for all segments or for none, and a narrower template of the words, with what
#   else it would permit. Nothing here permits a call; it is shown with the question.
# schemas:
#   - input: schema.facts
package gavel.exec.offer

import data.gavel.exec.bound
import data.gavel.exec.hazards
import data.gavel.exec.inline
import data.gavel.exec.modes
import data.gavel.exec.offer.forms
import data.gavel.exec.offer.refused
import data.gavel.exec.programs
import data.gavel.exec.segments

# METADATA
# description: patterns and templates, or why there are none, and whether exactly this command could be allowed permanently
result := {"patterns": patterns, "templates": templates, "refused": refused.reasons, "exact": exact}

# METADATA
# description: the entries without duplicates, in the order of the segments; none if any segment is refused
patterns := [entry |
	count(refused.reasons) == 0
	some i in _first_indexes
	entry := _entry(input.exec.segments[i])
]

# METADATA
# description: the entries that no list has yet
missing_entries := [entry |
	count(refused.reasons) == 0
	some i in _first_indexes
	segment := input.exec.segments[i]
	not segments.satisfied(segment)
	entry := _entry(segment)
]

# The position where an entry first occurs. A shell builtin needs no entry.
_first_indexes := [i |
	some i, segment in input.exec.segments
	not segments.builtin(segment)
	entry := _entry(segment)
	count([j | some j, other in input.exec.segments; j < i; not segments.builtin(other); _entry(other) == entry]) == 0
]

_entry(segment) := {
	"pattern": segment.executable.real,
	"args": sort({hazard.option | some hazard in segment.hazards; not hazards.always_accepted(hazard.kind)}),
	"only": forms.entry_limits(segment),
}

# METADATA
# scope: document
# description: |
#   a permanent answer could cover exactly this command, with its directory and the contents
#   of its files: no narrower entry exists, and all code can be identified
default exact := false

exact if {
	modes.ask_mode == "on-miss"
	refused.understood
	count(refused.reasons) > 0
	not _never_permanent
	not _runs_unknown_programs
	not _inline
	count(bound.unbound) == 0
	not inline.detected
}

# Code on the command line or on standard input may load anything it names.
_inline if {
	some segment in input.exec.segments
	some hazard in segment.hazards
	hazard.kind == "inline"
}

# A program runs other programs that none of the known files name.
_runs_unknown_programs if {
	some segment in input.exec.segments
	not segments.builtin(segment)
	programs.opaque(segment)
	segment.scripts == []
}

# What no permanent answer can cover, not even one for exactly this command.
_never_permanent if {
	some r in refused.reasons
	not r.code in data.gavel.catalog.exec.offer.exact
}

# METADATA
# description: |
#   description: what each entry permits, in words. Empty where an entry is refused.
templates := [template |
	_entries_exist
	some template in {_template(segment) | some segment in input.exec.segments}
]

_entries_exist if count(refused.reasons) == 0

_template(segment) := {
	"pattern": segment.executable.real,
	"argv": forms.argv(only),
	"flags": only.options,
	"args": entry.args,
	"admits": forms.admits(segment.executable.real, only),
} if {
	not segments.builtin(segment)
	entry := _entry(segment)
	only := entry.only
}
