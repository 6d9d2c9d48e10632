# METADATA
# title: Refused offers
# description: |
#   Why no entry of an allowlist can stand for a command (EXEC-5, R26): one reason
#   for each thing that an allow-always could not be held to.
# schemas:
#   - input: schema.facts
package gavel.exec.offer.refused

import data.gavel.exec.bound
import data.gavel.exec.hazards
import data.gavel.exec.modes
import data.gavel.exec.offer.forms
import data.gavel.exec.programs
import data.gavel.exec.segments
import data.gavel.exec.wrappers
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Asking is always
# description: with ask always nothing is ever approved for later calls (R15)
# custom:
#   code: exec.offer_always
#   message: nothing can be allowed for good, because ask is always
#   fix: approve it once, or list its programs in the configuration
reasons contains reason.from(rego.metadata.rule(), [], {}) if not modes.ask_mode in {"on-miss", "off"}

# METADATA
# title: Command was not understood
# description: of what was not taken apart nobody knows what an entry would have to say
# custom:
#   code: exec.offer_not_understood
#   message: the command was not understood, so no entry can permit it
#   fix: write it as plain commands
reasons contains reason.from(rego.metadata.rule(), [], {}) if not understood

# METADATA
# title: Program is not there
# description: an entry for a path where nothing is would vouch for whatever comes there (R27)
# custom:
#   code: exec.offer_not_found
#   message: '%q was not found, or cannot be run'
#   fix: check the name, the search path and the working directory
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	not segment.executable.found == true
	not segments.builtin(segment)
}

# METADATA
# title: Code cannot be named
# description: what runs is in no file that could be known again (R41)
# custom:
#   code: exec.offer_unbound
#   message: '%s, so an answer holds for one execution'
#   fix: approve it once, or name the file to run
reasons contains reason.from(rego.metadata.rule(), [sentence], {}) if {
	some found in bound.unnamed
	sentence := bound.sentence(found)
}

# METADATA
# title: Files of code are named
# description: an entry for the program would permit whatever the files hold by then
# custom:
#   code: exec.offer_code
#   message: '%s runs what is in %s, and an entry for the program would permit whatever is in there later'
#   fix: allow exactly this command for good, or approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0], script.path], {}) if {
	some segment in input.exec.segments
	some script in segment.scripts
	not script.real == segment.executable.real
}

# METADATA
# title: Others can change the program
# description: users other than root can put another program in its place, and its content is not known (R40)
# custom:
#   code: exec.offer_changeable
#   message: 'users other than root can change %s, and its content is not known'
#   fix: approve it once, or move the program to a directory that only root can write
reasons contains reason.from(rego.metadata.rule(), [segment.executable.real], {}) if {
	some segment in input.exec.segments
	segment.executable.found == true
	not segment.executable.writable == []
	not forms.digest(segment)
}

# METADATA
# title: Place is never allowed for good
# description: what is written there runs by itself later, or in another program's place
# custom:
#   code: exec.offer_target
#   message: '%s would change %s for good; files there run by themselves later, or in place of other programs'
#   fix: approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0], target], {}) if {
	some segment in input.exec.segments
	some target in forms.delicate(segment)
}

# METADATA
# title: Mode gives rights away
# description: a program with such a mode runs with the rights of its owner or group
# custom:
#   code: exec.offer_mode
#   message: '%s gets the mode %s, with which a program runs with the rights of its owner'
#   fix: approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0], mode], {}) if {
	some segment in input.exec.segments
	some mode in forms.modes(segment)
}

# METADATA
# title: Directory is not known
# description: words that name files mean something only in a known directory
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
# title: Program runs others
# description: an entry for what runs other programs would permit everything
# custom:
#   code: exec.offer_opaque
#   message: '%s runs other commands, so no entry can permit it'
#   fix: call the program itself
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	not segments.builtin(segment)
	programs.opaque(segment)
}

# METADATA
# title: Program is an interpreter
# description: an entry for an interpreter would permit whatever it is given (R26)
# custom:
#   code: exec.offer_interpreter
#   message: '%s runs any code that it is given, so an entry for it would permit everything'
#   fix: approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	interpreter(segment.executable)
	not _strict_and_plain(segment)
}

# METADATA
# title: Script stands in the text of a shell
# description: what a shell's text calls by a relative path is not an operand of the shell (EXEC-5)
# custom:
#   code: exec.offer_inline_script
#   message: '%s is called by a relative path inside the command text of a shell'
#   fix: pass the file to the shell, or call it by its full path
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	contains(segment.argv[0], "/")
	not startswith(segment.argv[0], "/")
	not _operand(segment)
	_shells(segment) > 0
}

# METADATA
# title: Shells within shells
# description: more shells around one another than are looked into
# custom:
#   code: exec.offer_depth
#   message: '%s is inside more than %d shells'
#   fix: call it directly
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0], _max_shells], {}) if {
	some segment in input.exec.segments
	_shells(segment) > _max_shells
}

# METADATA
# title: Nobody vouches for the wrapper
# description: a program that is reached through somebody's own shell is not what was seen
# custom:
#   code: exec.offer_wrapper
#   message: '%s runs %s, and is neither trusted nor listed'
#   fix: call the program itself
reasons contains reason.from(rego.metadata.rule(), [wrapper.argv[0], segment.argv[0]], {}) if {
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	not wrappers.vouched(wrapper)
	not _raises(wrapper)
}

# METADATA
# title: Words are made when it runs
# description: what is approved has words that nobody has seen
# custom:
#   code: exec.offer_dynamic
#   message: '%s gets words that are produced at run time'
#   fix: approve it once
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	not segment.dynamic == []
}

# METADATA
# title: Wrapper sets variables
# description: an entry knows nothing of the variables that a wrapper sets or takes away
# custom:
#   code: exec.offer_environment
#   message: '%s changes the environment of %s'
#   fix: leave out the variables
reasons contains reason.from(rego.metadata.rule(), [wrapper.argv[0], segment.argv[0]], {}) if {
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	some i, word in wrapper.argv
	i > 0
	_sets(wrapper, word)
}

# METADATA
# title: Command sets variables
# description: an entry knows nothing of variables
# custom:
#   code: exec.offer_variables
#   message: 'an entry cannot cover the variables that the call sets: %s'
#   fix: leave out the variables, or allow exactly this command for good
reasons contains reason.from(rego.metadata.rule(), [concat(", ", input.exec.env)], {}) if {
	not input.exec.env == []
}

# METADATA
# title: Argument cannot be accepted for good
# description: to accept the argument by name would accept every value of it
# custom:
#   code: exec.offer_hazard
#   message: '%s has the argument %s, which %s: an entry would have to accept it with any value'
#   fix: 'allow exactly this command for good if that is offered, approve it once, or list the argument under args of an entry'
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0], hazard.option, _meaning(hazard)], {}) if {
	some segment in input.exec.segments
	not interpreter(segment.executable)
	some hazard in segment.hazards
	not hazards.passes(hazard.kind)
	not hazard.kind in data.gavel.catalog.exec.offer.acceptable
}

# METADATA
# title: Path is a pattern
# description: a path with a wildcard in it cannot be written as an entry for itself
# custom:
#   code: exec.offer_wildcard
#   message: '%q would match other paths too'
#   fix: list it in the configuration, or give the file a plain name
reasons contains reason.from(rego.metadata.rule(), [segment.executable.real], {}) if {
	some segment in input.exec.segments
	not _plain_path(segment.executable.real)
}

# METADATA
# description: the command was taken apart, and runs programs
understood if {
	input.exec.parsed == true
	count(input.exec.segments) > 0
}

# What raises rights is derived from as the documents say; it needs an entry of its own
# all the same (R22).
_raises(wrapper) if {
	wrapper.kind == "privilege"
	programs.unalterable(wrapper.executable)
}

_sets(_, word) if regex.match(`^[A-Za-z_][A-Za-z0-9_]*=`, word)

_sets(wrapper, word) if {
	data.gavel.catalog.programs.wrappers[wrapper.executable.name].options_are_variables == true
	not word in {"-", "--"}
}

_meaning(hazard) := meaning if {
	meaning := data.gavel.catalog.exec.hazards.meaning[hazard.kind]
} else := "is of an unknown kind"

_plain_path(path) if {
	not regex.match(`[*?]`, path)
	trim_space(path) == path
}

# METADATA
# description: the program runs what it is given; python3.12 and node20 are what they begin with
interpreter(executable) if {
	some name in executable.programs
	data.gavel.catalog.programs.interpreters[name]
}

# With strictInlineEval an interpreter that is given no code may be listed: code asks
# all the same (EXEC-5).
_strict_and_plain(segment) if {
	frozen.result.exec.strict_inline_eval.value == true
	every hazard in segment.hazards { not hazard.kind in {"inline", "code", "unknown"} }
}

# The segment is the file that a shell was given.
_operand(segment) if {
	some script in segment.scripts
	script.real == segment.executable.real
}

_shells(segment) := count([1 | some wrapper in segment.wrappers; wrapper.kind in {"shell", "login"}])

_max_shells := data.gavel.catalog.exec.offer.max_shells
