# METADATA
# title: Offer
# description: |
#   What an operator can be offered beside "once": the allowlist entries that an
#   allow-always would add (EXEC-5, R26), from all segments or from none, and
#   a narrower template of the words, with what else it would admit. Nothing here
#   permits anything; it is shown with an ask.
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
# description: patterns and templates, why there are none, and whether exactly this command could be allowed for good
result := {"patterns": patterns, "templates": templates, "refused": refused.reasons, "exact": exact}

# METADATA
# description: the entries, in the order of the segments, each once; none when one is refused
patterns := [entry |
	count(refused.reasons) == 0
	some i in _first
	entry := _entry(input.exec.segments[i])
]

# METADATA
# description: those of the entries for what no list has yet
needed := [entry |
	count(refused.reasons) == 0
	some i in _first
	segment := input.exec.segments[i]
	not segments.satisfied(segment)
	entry := _entry(segment)
]

# Where an entry comes first. A command of the shell itself needs none.
_first := [i |
	some i, segment in input.exec.segments
	not segments.builtin(segment)
	entry := _entry(segment)
	count([j | some j, other in input.exec.segments; j < i; not segments.builtin(other); _entry(other) == entry]) == 0
]

_entry(segment) := {
	"pattern": segment.executable.real,
	"args": sort({hazard.option | some hazard in segment.hazards; not hazards.passes(hazard.kind)}),
	"only": forms.only(segment),
}

# METADATA
# scope: document
# description: |
#   an answer for good could hold for exactly this command, with its directory and what
#   its files hold: no narrower entry exists, and nothing that runs is left unnamed
default exact := false

exact if {
	modes.ask_mode == "on-miss"
	refused.understood
	count(refused.reasons) > 0
	not _never
	not _carrier
	not _inline
	count(bound.loose) == 0
	not inline.detected
}

# Code on the command line or on standard input may load whatever it names.
_inline if {
	some segment in input.exec.segments
	some hazard in segment.hazards
	hazard.kind == "inline"
}

# A program runs others, and which ones is in none of its files that could be named.
_carrier if {
	some segment in input.exec.segments
	not segments.builtin(segment)
	programs.opaque(segment)
	segment.scripts == []
}

# What no answer for good can cover, not even one to exactly this command.
_never if {
	some r in refused.reasons
	not r.code in data.gavel.catalog.exec.offer.exact
}

# METADATA
# description: |
#   what each entry admits, in words. None where an entry is refused.
templates := [template |
	_templatable
	some template in {_template(segment) | some segment in input.exec.segments}
]

_templatable if count(refused.reasons) == 0

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
