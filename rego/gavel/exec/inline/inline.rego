# METADATA
# title: Inline evaluation
# description: |
#   Inline code is not in a file that a person could read before the call (R25). With
#   strictInlineEval it is always asked about: in every security and ask mode, for allowlisted
#   programs, and inside every wrapper. An allow-always answer to it counts as allow-once, so a
#   command with inline code is never offered permanently (detected).
# schemas:
#   - input: schema.facts
package gavel.exec.inline

import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: inline code that strictInlineEval asks about; empty when the setting is off
reasons contains _inline_reason(segment, hazard) if {
	strict
	some segment in input.exec.segments
	some hazard in segment.hazards
	hazard.kind in data.gavel.catalog.exec.inline.kinds
}

# METADATA
# description: a program that passes words to another command counts as inline evaluation of that command
reasons contains _inline_reason(segment, {"completed_by": wrapper.executable.name}) if {
	strict
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	_adds_words_to_commands(wrapper)
}

# METADATA
# title: Command could not be checked for inline code
# description: a command that was not understood may hold code, and strictInlineEval asks about all code
# custom:
#   code: exec.inline_unseen
#   message: 'the command was not understood, so it may evaluate code'
#   fix: 'write simple commands, or set %s to false'
reasons contains reason.fixed(rego.metadata.rule(), [], [_setting.path], _source) if {
	strict
	_not_observed
}

# METADATA
# description: inline code was found and is asked about; the answer is never permanent
detected if count(reasons) > 0

# METADATA
# description: strictInlineEval has any value other than false
strict if not _off

_off if _setting.value == false

_setting := frozen.result.exec.strict_inline_eval

_source := {"path": _setting.path, "from": _setting.from}

# METADATA
# title: Inline code
# description: inline code is always asked about where strictInlineEval is on
# custom:
#   code: exec.inline_eval
#   message: '%s evaluates code from its command line: %s'
#   fix: 'put the code in a file, or set %s to false'
_inline_reason(segment, hazard) := reason.fixed(
	rego.metadata.rule(),
	[_evaluating(segment, hazard), _shown(segment, hazard)],
	[_setting.path],
	_source,
)

_program(segment) := segment.executable.real if {
	segment.executable.found == true
} else := segment.argv[0]

# Of a command that another program completes and runs, that program evaluates the code.
_evaluating(segment, hazard) := object.get(hazard, "completed_by", _program(segment))

_shown(segment, hazard) := sprintf("the command %s", [_program(segment)]) if {
	hazard.completed_by
} else := sprintf("%s %q", [hazard.option, hazard.argument]) if {
	hazard.argument != ""
} else := hazard.option

_adds_words_to_commands(wrapper) if {
	some name in wrapper.executable.programs
	data.gavel.catalog.programs.adds_words_to_commands[name]
}

_not_observed if not input.exec.parsed == true

_not_observed if {
	some segment in input.exec.segments
	not _hazards_observed(segment)
}

_hazards_observed(segment) if {
	is_array(segment.hazards)
	is_array(segment.wrappers)
}
