# METADATA
# title: Refused offers, for wrappers
# description: |
#   Why no allowlist entry can cover a command that a wrapper runs (EXEC-5, R26): the wrapper is
#   not trusted, is one shell too many, or changes the environment of the program.
# schemas:
#   - input: schema.facts
package gavel.exec.offer.refused.wrapped

import data.gavel.exec.programs
import data.gavel.exec.wrappers
import data.gavel.reason

# METADATA
# title: Script is called from shell text
# description: a script that shell text calls by a relative path is not an operand of the shell (EXEC-5)
# custom:
#   code: exec.offer_inline_script
#   message: '%s is called by a relative path inside the command text of a shell'
#   fix: pass the file to the shell, or call it by its full path
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	contains(segment.argv[0], "/")
	not startswith(segment.argv[0], "/")
	not _is_shell_script(segment)
	_shell_count(segment) > 0
}

# METADATA
# title: Too many nested shells
# description: the command is nested in more shells than Gavel analyzes
# custom:
#   code: exec.offer_depth
#   message: '%s is inside more than %d nested shells'
#   fix: call it directly
reasons contains reason.from(rego.metadata.rule(), [segment.argv[0], _max_shells], {}) if {
	some segment in input.exec.segments
	_shell_count(segment) > _max_shells
}

# METADATA
# title: Wrapper is not trusted
# description: a program that runs through an untrusted shell may not be the program that was seen
# custom:
#   code: exec.offer_wrapper
#   message: '%s runs %s, and is neither trusted nor on the allowlist'
#   fix: call the program itself
reasons contains reason.from(rego.metadata.rule(), [wrapper.argv[0], segment.argv[0]], {}) if {
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	not wrappers.trusted(wrapper)
	not _raises_privileges(wrapper)
}

# METADATA
# title: Wrapper sets variables
# description: an entry cannot cover variables that a wrapper sets or removes
# custom:
#   code: exec.offer_environment
#   message: '%s changes the environment of %s'
#   fix: leave the variables out
reasons contains reason.from(rego.metadata.rule(), [wrapper.argv[0], segment.argv[0]], {}) if {
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	some i, word in wrapper.argv
	i > 0
	_sets_variable(wrapper, word)
}

# An entry can be derived behind a program that raises rights, as behind any other; the program
# itself still needs an entry (R22).
_raises_privileges(wrapper) if {
	wrapper.kind == "privilege"
	programs.only_root_can_replace(wrapper.executable)
}

_sets_variable(_, word) if regex.match(`^[A-Za-z_][A-Za-z0-9_]*=`, word)

_sets_variable(wrapper, word) if {
	data.gavel.catalog.programs.wrappers[wrapper.executable.name].options_are_variables == true
	not word in {"-", "--"}
}

# The segment is the script that a shell was given.
_is_shell_script(segment) if {
	some script in segment.scripts
	script.real == segment.executable.real
}

_shell_count(segment) := count([1 | some wrapper in segment.wrappers; wrapper.kind in {"shell", "login"}])

_max_shells := data.gavel.catalog.exec.offer.max_shells
