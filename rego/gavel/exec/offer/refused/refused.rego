# METADATA
# title: Refused offers
# description: |
#   Why no allowlist entry can cover a command (EXEC-5, R26): one reason for each thing that
#   an entry could not be limited to.
# schemas:
#   - input: schema.facts
package gavel.exec.offer.refused

import data.gavel.exec.bound
import data.gavel.exec.hazards
import data.gavel.exec.modes
import data.gavel.exec.offer.forms
import data.gavel.exec.offer.refused.wrapped
import data.gavel.exec.programs
import data.gavel.exec.segments
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Ask is always
# description: with ask always, no answer covers later calls (R15)
# custom:
#   code: exec.offer_always
#   message: nothing can be allowed permanently, because ask is always
#   fix: approve it once
reasons contains reason.from(rego.metadata.rule(), [], {}) if not modes.ask_mode in {"on-miss", "off"}

# METADATA
# title: Command was not understood
# description: it is unknown what an entry would have to cover
# custom:
#   code: exec.offer_not_understood
#   message: the command was not understood, so no entry can cover it
#   fix: write it as plain commands
reasons contains reason.from(rego.metadata.rule(), [], {}) if not understood

# METADATA
# title: Program does not exist
# description: an entry for a missing program would permit whatever is put there later (R27)
# custom:
#   code: exec.offer_not_found
#   message: '%s'
#   fix: '%s'
#   says: the program was not found, or is not executable; or the shell carries out the command itself
#   advises: check the name, the search path and the working directory
reasons contains reason.fixed(rego.metadata.rule(), [_missing(segment).message], [_missing(segment).fix], {}) if {
	some segment in input.exec.segments
	not segment.executable.found == true
	not segments.builtin(segment)
}

# METADATA
# title: Code cannot be identified
# description: the code that runs is not in a known file (R41)
# custom:
#   code: exec.offer_unbound
#   message: '%s, so an answer covers one execution only'
#   fix: approve it once, or name the file to run
reasons contains reason.from(rego.metadata.rule(), [sentence], {}) if {
	some found in bound.unidentified_code
	sentence := bound.sentence(found)
}

# METADATA
# title: Code files are named
# description: an entry for the program would permit whatever the files hold later
# custom:
#   code: exec.offer_code
#   message: '%s runs the code in %s, and an entry for the program would permit whatever is in there later'
#   fix: allow exactly this command permanently, or approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0], bound.code_file(segment, script)], {}) if {
	some segment in input.exec.segments
	some script in segment.scripts
	not script.real == segment.executable.real
}

# METADATA
# title: Others can change the program
# description: users other than root can replace the program, and its content is unknown (R40)
# custom:
#   code: exec.offer_changeable
#   message: 'users other than root can change %s, and its content is unknown'
#   fix: approve it once, or move the program to a directory that only root can write
reasons contains reason.from(rego.metadata.rule(), [segment.executable.real], {}) if {
	some segment in input.exec.segments
	segment.executable.found == true
	not segment.executable.writable == []
	not forms.content_known(segment)
}

# METADATA
# title: Location must not be changed permanently
# description: files there run by themselves later, or in place of other programs
# custom:
#   code: exec.offer_target
#   message: '%s would change %s, and files there run by themselves later, or in place of other programs'
#   fix: approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0], target], {}) if {
	some segment in input.exec.segments
	some target in forms.sensitive_targets(segment)
}

# METADATA
# title: Mode gives rights away
# description: a program with such a mode runs with the rights of its owner or group
# custom:
#   code: exec.offer_mode
#   message: '%s sets the mode %s, with which a program runs with the rights of its owner or group'
#   fix: approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0], mode], {}) if {
	some segment in input.exec.segments
	some mode in forms.modes(segment)
}

# METADATA
# title: Directory is unknown
# description: words that name files have a meaning only in a known directory
# custom:
#   code: exec.offer_directory
#   message: cannot tell in which directory %s would run
#   fix: state the directory, or approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	not segments.builtin(segment)
	_plain_path(segment.executable.real)
	not startswith(segment.cwd, "/")
}

# METADATA
# title: Program runs other commands
# description: an entry for a program that runs other commands would permit everything
# custom:
#   code: exec.offer_opaque
#   message: '%s runs other commands, so no entry can cover it'
#   fix: call the program itself
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	not segments.builtin(segment)
	programs.opaque(segment)
}

# METADATA
# title: Program is an interpreter
# description: an entry for an interpreter would permit any code that it is given (R26)
# custom:
#   code: exec.offer_interpreter
#   message: '%s runs any code that it is given, so an entry for it would permit everything'
#   fix: approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	programs.interpreter(segment.executable)
	not _given_no_code(segment)
}

# METADATA
# description: a wrapper around the program
reasons contains r if some r in wrapped.reasons

# METADATA
# title: Words are produced at run time
# description: the person who approves the command cannot see these words
# custom:
#   code: exec.offer_dynamic
#   message: '%s gets words that are produced at run time'
#   fix: approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	not segment.dynamic == []
}

# METADATA
# title: Command sets variables
# description: an entry cannot cover variables
# custom:
#   code: exec.offer_variables
#   message: 'an entry cannot cover the variables that the call sets: %s'
#   fix: leave the variables out, or allow exactly this command permanently
reasons contains reason.from(rego.metadata.rule(), [concat(", ", input.exec.env)], {}) if {
	not input.exec.env == []
}

# METADATA
# title: Argument cannot be accepted permanently
# description: accepting the argument by name would accept every value of it
# custom:
#   code: exec.offer_hazard
#   message: '%s %s, and an entry would have to accept %s'
#   fix: 'allow exactly this command permanently if that is offered, approve it once, or list the argument under args of an entry'
reasons contains reason.from(rego.metadata.rule(), [_with(segment, hazard), _meaning(hazard), _anything(hazard)], {}) if {
	some segment in input.exec.segments
	not programs.interpreter(segment.executable)
	some hazard in segment.hazards
	not hazards.always_accepted(hazard.kind)
	not hazard.kind in data.gavel.catalog.exec.offer.acceptable
}

# METADATA
# title: Path is a pattern
# description: a path that contains a wildcard cannot be written as an entry for just itself
# custom:
#   code: exec.offer_wildcard
#   message: '%q would match other paths too'
#   fix: add it to the allowlist of the configuration, or rename the file without wildcards
reasons contains reason.from(rego.metadata.rule(), [segment.executable.real], {}) if {
	some segment in input.exec.segments
	not _plain_path(segment.executable.real)
}

_missing(segment) := {
	"message": sprintf("the shell carries out %s itself, so there is no program that an entry could name", [segment.argv[0]]),
	"fix": "approve it once",
} if {
	segment.argv[0] in programs.shell_builtins
} else := {
	"message": sprintf("%q was not found, or is not executable", [segment.argv[0]]),
	"fix": "check the name, the search path and the working directory",
}

# METADATA
# description: the command was understood, and it runs programs
understood if {
	input.exec.parsed == true
	count(input.exec.segments) > 0
}

# Only an option is part of how the program was called; other hazards go by names of the catalog.
_with(segment, hazard) := sprintf("%s with %s", [segment.argv[0], hazard.option]) if {
	startswith(hazard.option, "-")
} else := segment.argv[0]

_anything(hazard) := sprintf("%s with any value", [hazard.option]) if {
	startswith(hazard.option, "-")
} else := "that with any arguments"

_meaning(hazard) := meaning if {
	meaning := data.gavel.catalog.exec.hazards.meaning[hazard.kind]
} else := "is of an unknown kind"

_plain_path(path) if {
	not regex.match(`[*?]`, path)
	trim_space(path) == path
}

# With strictInlineEval, an interpreter that is given no code may be listed: inline code is
# asked about anyway (EXEC-5).
_given_no_code(segment) if {
	frozen.result.exec.strict_inline_eval.value == true
	every hazard in segment.hazards { not hazard.kind in {"inline", "code", "unknown"} }
}
