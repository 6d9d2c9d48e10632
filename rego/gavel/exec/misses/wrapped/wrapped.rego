# METADATA
# title: Misses of wrappers
# description: |
#   Why a segment may not run although its program is permitted: a wrapper around it is not
#   trusted, or has an argument that nothing accepts.
# schemas:
#   - input: schema.facts
package gavel.exec.misses.wrapped

import data.gavel.exec.advice
import data.gavel.exec.allowlist
import data.gavel.exec.misses.hazardous
import data.gavel.exec.programs
import data.gavel.exec.shown
import data.gavel.exec.wrappers
import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: one reason for each wrapper of the segment that is not trusted, and for each argument of one that nothing accepts
reasons(segment) := {_untrusted_reason(segment, wrapper) |
	some wrapper in segment.wrappers
	not wrappers.trusted(wrapper)
} | {r |
	some wrapper in segment.wrappers
	wrappers.trusted(wrapper)
	some r in hazardous.reasons(wrapper, object.union({"path": frozen.result.exec.allowlist}, _entry_or_none(wrapper)))
}

# METADATA
# title: Shell reads start-up files
# description: a login shell first runs ~/.profile and similar files, which an agent may be able to write
# custom:
#   code: exec.login_shell
#   message: '%s: %s is a login shell, which runs start-up files first, and it matches no allowlist entry'
#   fix: 'leave out the option -l; or, if agents cannot write these files, switch on the pack login-shells or add the shell to %s'
_untrusted_reason(_, wrapper) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(wrapper), _wrapper_shown(wrapper)],
	[frozen.result.exec.allowlist],
	{"path": frozen.result.exec.allowlist},
) if {
	_login_shell(wrapper)
}

# METADATA
# title: Shell reads a file of commands
# description: the shell itself runs the commands of a file, which may change what those after it mean, and no rule permits that
# custom:
#   code: exec.sourced
#   message: '%s: the shell itself would run the commands of this file, which may change what those after it do, and no rule permits that'
#   fix: 'run the file as bash FILE, or add {program: source, operands: [%q], effect: allow} to tools.exec.rules if you trust what it does'
_untrusted_reason(_, wrapper) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(wrapper)],
	[_file(wrapper)],
	{"path": "tools.exec.rules"},
) if {
	_sources_a_file(wrapper)
}

# METADATA
# title: Wrapper is not trusted
# description: a wrapper runs an allowlisted program, and the wrapper itself is not trusted (R21)
# custom:
#   code: exec.wrapper_untrusted
#   message: '%s: %s would run the command, but %s'
#   fix: 'run the program itself, without %s, or %s'
_untrusted_reason(segment, wrapper) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), _wrapper_shown(wrapper), _why_untrusted(wrapper)],
	[_wrapper_shown(wrapper), _trust_fix(wrapper)],
	{"path": frozen.result.exec.allowlist},
) if {
	not _login_shell(wrapper)
	not _sources_a_file(wrapper)
}

_file(wrapper) := wrapper.argv[1] if {
	count(wrapper.argv) > 1
} else := "FILE"

_sources_a_file(wrapper) if {
	wrapper.kind == "builtin"
	data.gavel.catalog.programs.sources[wrapper.executable.name]
}

_why_untrusted(wrapper) := "it was not found" if {
	not wrapper.executable.found == true
} else := "it raises rights, so an allowlist entry has to name it" if {
	not wrapper.kind in data.gavel.catalog.exec.trusted_kinds
} else := "it is not in a trusted directory that only root can write to, and matches no allowlist entry"

_trust_fix(wrapper) := advice.search(wrapper.argv[0]) if {
	not wrapper.executable.found == true
} else := "have a person run it with these rights" if {
	wrapper.kind == "privilege"
} else := sprintf("add %q to %s", [wrapper.executable.real, frozen.result.exec.allowlist])

_login_shell(wrapper) if {
	wrapper.kind == "login"
	programs.only_root_can_replace(wrapper.executable)
}

# The allowlist entry that could accept the hazards of a wrapper, if there is one.
_entry_or_none(wrapper) := found if {
	found := allowlist.entry(wrapper)
	found.found == true
} else := {"args": []}

_wrapper_shown(wrapper) := wrapper.executable.real if {
	wrapper.executable.found == true
} else := wrapper.argv[0]
