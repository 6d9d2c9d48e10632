# METADATA
# title: Safe bins
# description: |
#   A filter that reads only standard input may run in allowlist mode without an entry
#   (EXEC-3, R28), if it is listed, its real path is directly in a trusted directory, and each
#   of its words is known to be harmless. A segment is never a safe bin if the shell produces
#   one of its words at run time, the call sets environment variables, or its class is
#   missing.
# schemas:
#   - input: schema.facts
package gavel.exec.safebins

import data.gavel.exec.hazards
import data.gavel.exec.shown
import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: the segment is a safe bin
satisfied(segment) if {
	segment.class.program == segment.executable.realName
	segment.class.complete == true
	_context_safe(segment)
	bin := configured.bins[segment.executable.realName]
	every option in segment.class.options { _accepts(bin, option) }
	every operand in segment.class.operands { _harmless(bin, operand) }
	count(segment.class.operands) >= bin.min
	count(segment.class.operands) <= bin.max
	_filter_safe(bin, segment)
}

# METADATA
# description: the safe bins list names the program, whether or not this use of it is safe
listed(segment) if configured.bins[segment.executable.realName]

# METADATA
# description: this agent's safe-bin configuration
configured := frozen.result.exec.safe_bins

# METADATA
# title: Safe bin reads standard input only
# description: a filter on the list, in a trusted directory, with only harmless arguments
# custom:
#   code: exec.safe_bin
#   message: '%s is a safe bin and reads only standard input'
#   fix: ""
because(segment) := reason.from(rego.metadata.rule(), [segment.executable.real], {"path": configured.path})

# METADATA
# description: one reason for each thing that keeps a listed program from running as a safe bin
objections(segment) := {_refused(segment, problem) | some problem in _problems(segment)}

# METADATA
# title: Arguments are not safe for a safe bin
# description: a listed filter runs without an entry only if it can read nothing but standard input
# custom:
#   code: exec.safe_bin_refused
#   message: '%s: %s cannot run as a safe bin here: %s'
#   fix: 'let it read only standard input, with options of its profile, or add %q to %s'
_refused(segment, problem) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), segment.executable.real, problem],
	[segment.executable.real, frozen.result.exec.allowlist],
	{"path": configured.path},
)

# Everything but the words.
_context_safe(segment) if {
	segment.executable.found == true
	segment.opaque == ""
	_trusted(segment)
	_words_literal(segment)
	_wrappers_pass_words_unchanged(segment)
	_harmless_by_itself(segment)
	input.exec.env == []
}

# The program does not run, write or reach anything just by being called: such a hazard is
# reported for the first word, the program's own name.
_harmless_by_itself(segment) if {
	is_array(segment.hazards)
	every hazard in segment.hazards { _caused_by_argument(hazard) }
}

_caused_by_argument(hazard) if hazard.index > 0

_caused_by_argument(hazard) if hazards.always_accepted(hazard.kind)

# In a directory of the catalog, only root may be able to replace the program. A configured
# directory is trusted as it is.
_trusted(segment) if {
	segment.executable.writable == []
	some directory in data.gavel.catalog.safebins.directories
	segment.executable.real == sprintf("%s/%s", [directory, segment.executable.realName])
}

_trusted(segment) if {
	some directory in configured.directories
	segment.executable.real == sprintf("%s/%s", [directory, segment.executable.realName])
}

# The shell produces none of the words.
_words_literal(segment) if segment.dynamic == []

# Every wrapper passes the words on unchanged.
_wrappers_pass_words_unchanged(segment) if {
	is_array(segment.wrappers)
	every wrapper in segment.wrappers { _passes_words_unchanged(wrapper) }
}

_passes_words_unchanged(wrapper) if {
	wrapper.kind in data.gavel.catalog.safebins.through
	not data.gavel.catalog.programs.adds_words_to_commands[wrapper.executable.name]
	not data.gavel.catalog.programs.adds_words_to_commands[wrapper.executable.realName]
	is_string(wrapper.executable.name)
	is_string(wrapper.executable.realName)
}

_accepts(bin, option) if {
	kind := bin.options[option.name]
	option.form in _forms[kind]
}

_accepts(bin, option) if {
	option.name == "-NUM"
	option.form == "plain"
	bin.number == true
}

_forms := {
	"flag": {"none"},
	"value": {"plain"},
	"attached": {"plain"},
	"pair": {"plain"},
	"text": {"plain", "sign"},
}

_harmless(bin, operand) if {
	operand.ended == false
	operand.form in _operand_forms(bin)
}

_operand_forms(bin) := {"plain", "sign", "glob"} if {
	bin.text
} else := {"plain", "glob"} if {
	bin.grammar != ""
} else := {"plain"}

# The program text of a filter with its own language, such as jq, uses nothing that is refused.
_filter_safe(bin, _) if bin.grammar == ""

_filter_safe(bin, segment) if {
	bin.grammar != ""
	count(segment.class.operands) == 0
}

_filter_safe(bin, segment) if {
	bin.grammar != ""
	segment.class.filter.parsed == true
	is_array(segment.class.filter.names)
	count(_refused_names(bin, segment)) == 0
}

_refused_names(bin, segment) := [name |
	some name in segment.class.filter.names
	name in data.gavel.catalog.safebins.filters[bin.grammar]
]

_problems(segment) := words if {
	words := _word_problems(configured.bins[segment.executable.realName], segment)
	count(words) > 0
} else := around if {
	around := _context_problems(segment)
	count(around) > 0
} else := {"its arguments were not read"}

_word_problems(bin, segment) := union({
	_option_problems(bin, segment),
	_unread_problems(bin, segment),
	_operand_problems(bin, segment),
	_filter_problems(bin, segment),
})

_option_problems(bin, segment) := {sprintf("option %s %q: its value looks like a path or a pattern", [option.name, option.value]) |
	some option in segment.class.options
	bin.options[option.name]
	not _accepts(bin, option)
} | {sprintf("option %s is denied", [option.name]) |
	some option in segment.class.options
	not bin.options[option.name]
	not _accepts(bin, option)
}

_unread_problems(bin, segment) := {problem |
	unread := segment.class.unread
	problem := sprintf("option %s %s", [unread.option, _unread_reason(bin, unread)])
}

_unread_reason(bin, unread) := "is denied" if {
	unread.option in bin.denied
} else := sprintf("could not be read: %s", [unread.why])

_operand_problems(bin, segment) := {sprintf("operand %q: it may name a file", [operand.text]) |
	some i, operand in segment.class.operands
	_operand_refused(bin, i, operand)
} | {sprintf("it has %d operands, and needs %d", [count(segment.class.operands), bin.min]) |
	segment.class.complete == true
	count(segment.class.operands) < bin.min
}

_operand_refused(bin, _, operand) if not _harmless(bin, operand)

_operand_refused(bin, i, _) if i >= bin.max

_filter_problems(bin, segment) := {sprintf("its program names %s", [name]) |
	bin.grammar != ""
	some name in _refused_names(bin, segment)
} | {"its program does not parse" |
	bin.grammar != ""
	segment.class.filter.parsed == false
}

_context_problems(segment) := union({
	{"its real path is not in a trusted directory that only root can write to" | not _trusted(segment)},
	{"the shell produces one of its words at run time" | not _words_literal(segment)},
	{"a wrapper may change its words" | not _wrappers_pass_words_unchanged(segment)},
	{"the call sets environment variables" | not input.exec.env == []},
	{"the program does more than filter, whatever its arguments" | not _harmless_by_itself(segment)},
})
