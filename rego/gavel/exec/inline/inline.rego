# METADATA
# title: Inline evaluation
# description: |
#   Code on the command line is not a program that anybody could have read before (R25).
#   With strictInlineEval it always asks: in every security and ask mode, for programs
#   on the list as well, and behind every wrapper. An allow-always answer to it means
#   allow-once, so nothing here may be offered for good: detected says so.
# schemas:
#   - input: schema.facts
package gavel.exec.inline

import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: what strictInlineEval asks about; empty when it is off
asks contains _evaluates(segment, hazard) if {
	strict
	some segment in input.exec.segments
	some hazard in segment.hazards
	hazard.kind in data.gavel.catalog.exec.inline.kinds
}

# METADATA
# description: what feeds words into a command is inline evaluation of what it runs
asks contains _evaluates(segment, {"option": wrapper.executable.name, "argument": ""}) if {
	strict
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	_feeds(wrapper)
}

# METADATA
# title: Command could not be searched for inline evaluation
# description: what was not understood may hold code, and strictInlineEval asks about all code
# custom:
#   code: exec.inline_unseen
#   message: 'the command was not understood, so it may evaluate code'
#   fix: 'write simple commands, or set %s to false'
asks contains reason.fixed(rego.metadata.rule(), [], [_setting.path], _source) if {
	strict
	_unseen
}

# METADATA
# description: inline evaluation was found, and is asked about; such an answer is never kept
detected if count(asks) > 0

# METADATA
# description: the setting is on, or is anything but off
strict if not _lenient

_lenient if _setting.value == false

_setting := frozen.result.exec.strict_inline_eval

_source := {"path": _setting.path, "from": _setting.from}

# METADATA
# title: Inline evaluation
# description: code on the command line always asks where strictInlineEval is on
# custom:
#   code: exec.inline_eval
#   message: '%s evaluates code from its command line: %s'
#   fix: 'put the code in a file, or set %s to false'
_evaluates(segment, hazard) := reason.fixed(
	rego.metadata.rule(),
	[_program(segment), _shown(hazard)],
	[_setting.path],
	_source,
)

_program(segment) := segment.executable.real if {
	segment.executable.found == true
} else := segment.argv[0]

_shown(hazard) := sprintf("%s %q", [hazard.option, hazard.argument]) if {
	hazard.argument != ""
} else := hazard.option

_feeds(wrapper) if {
	some name in wrapper.executable.programs
	data.gavel.catalog.programs.feeds_words[name]
}

_unseen if not input.exec.parsed == true

_unseen if {
	some segment in input.exec.segments
	not _searched(segment)
}

_searched(segment) if {
	is_array(segment.hazards)
	is_array(segment.wrappers)
}
