# METADATA
# title: What to write instead
# description: |
#   Advice about commands that run a text or a command which Gavel cannot read. It depends on the
#   kind of command, so that it can be followed.
package gavel.exec.advice

import data.gavel.exec.hazards
import data.gavel.exec.links
import data.gavel.exec.programs
import data.gavel.exec.rules
import data.gavel.exec.system
import data.gavel.frozen

# METADATA
# description: why no list can permit an opaque command, the first that applies
because(segment) := "it shows every variable of the environment" if {
	segment.executable.name == "env"
	_lacks_a_command(segment)
} else := "it has no command to run" if {
	_lacks_a_command(segment)
} else := sprintf("Gavel cannot see the commands that %s reads%s", [_name(segment), _detail(segment)]) if {
	_shell(segment)
} else := sprintf("Gavel cannot see the commands that %s runs", [_name(segment)]) if {
	_evaluates(segment)
} else := "it changes what the commands after it mean" if {
	data.gavel.catalog.programs.shell_words[segment.executable.name]
} else := sprintf("Gavel cannot tell what %s runs%s", [_name(segment), _detail(segment)])

_detail(segment) := sprintf(" (%s)", [segment.opaque]) if {
	is_string(segment.opaque)
	segment.opaque != ""
} else := ""

# METADATA
# description: what to write instead of an opaque command, the first that applies
instead(segment) := "use printenv NAME to see one variable: all of them together may show secrets" if {
	segment.executable.name == "env"
	_lacks_a_command(segment)
} else := sprintf("write the command that %s should run behind it", [_name(segment)]) if {
	_lacks_a_command(segment)
} else := sprintf(
	"write the name of the script in the command, without a variable, as %[1]s FILE; or write the commands as %[1]s -c 'COMMANDS'",
	[_name(segment)],
) if {
	_shell(segment)
	_lacks_a_name(segment)
} else := sprintf(
	"save the script to a file, read it, and run it with %[1]s FILE; or write the commands as %[1]s -c 'COMMANDS'",
	[_name(segment)],
) if {
	_shell(segment)
} else := "write the commands themselves, or put them into a script and run it with bash FILE" if {
	_evaluates(segment)
} else := "leave it out: it changes the shell for the commands after it" if {
	data.gavel.catalog.programs.shell_words[segment.executable.name]
} else := "have a person do it" if {
	every i, word in segment.argv { _no_program(i, word) }
} else := sprintf("run the program itself, without %s", [_name(segment)])

# Without an operand, as in crontab -l, there is no other program to run.
_no_program(0, _)

_no_program(i, word) if {
	i > 0
	startswith(word, "-")
}

_name(segment) := segment.executable.name if {
	is_string(segment.executable.name)
} else := "the program"

_lacks_a_command(segment) if endswith(segment.opaque, "without a command")

# What the shell is given comes from a variable, and bash -n was given no file that is known.
_lacks_a_name(segment) if endswith(segment.opaque, "with words produced at run time")

_lacks_a_name(segment) if endswith(segment.opaque, " -n")

_evaluates(segment) if segment.executable.name in {"eval", "source", "."}

_shell(segment) if {
	some name in segment.executable.programs
	data.gavel.catalog.programs.wrappers[name].kind == "shell"
}

# METADATA
# description: what to add about a name that is not a program, if the shell has a builtin of that name
builtin(name) := ", and the shell builtin of that name is not permitted with these words" if {
	name == "cd"
} else := "; the shell has a builtin of that name, which no list can permit" if {
	name in programs.shell_builtins
	not name in {".", "source"}
} else := ""

# METADATA
# description: what to do about a name that is not a program
search(name) := "it is a shell builtin, and no list can permit what it does: run a script as bash FILE" if {
	name in {".", "source"}
} else := "write the commands themselves, or put them into a script and run it with bash FILE" if {
	name == "eval"
} else := "write the whole path of the directory, or a path below the current one" if {
	name == "cd"
} else := "leave it out, or do the same with a program" if {
	name in programs.shell_builtins
} else := "check the name, the search path and the working directory; a relative path needs a known working directory"

# METADATA
# description: what to do for the command; add an entry with the arguments that it has to accept, or a person
entry(segment) := _by_a_person if {
	system.changed(segment, _hazards(segment))
} else := sprintf("add %q to %s", [segment.executable.real, frozen.result.exec.allowlist]) if {
	count(_to_accept(segment)) == 0
} else := sprintf("add {pattern: %q, args: [%s]} to %s", [
	segment.executable.real,
	concat(", ", sort({sprintf("%q", [name]) | some name in _to_accept(segment)})),
	frozen.result.exec.allowlist,
])

_to_accept(segment) := {hazard.option | some hazard in _hazards(segment)}

_hazards(segment) := hazards.unaccepted(segment, {"args": [], "kinds": []})

_by_a_person := "have a person do it, because it would change files of the system or of other people"

# METADATA
# description: |
#   what to do: add the rule that permits the sub-command, where that is enough, or else who knows one
rule(segment) := _by_a_person if {
	system.changed(segment, _hazards(segment))
} else := sprintf("add {program: %s, commands: [%s], effect: allow} to tools.exec.rules", [_name_of(segment), concat(" ", segment.commands)]) if {
	segment.commandsKnown == "exact"
	count(segment.commands) > 0
	count(_to_accept(segment)) == 0
} else := sprintf("add {program: %s, operands: [%s], effect: allow} to tools.exec.rules", [_name_of(segment), concat(", ", _quoted_operands(segment))]) if {
	segment.commandsKnown == "none"
	segment.optionsKnown == "exact"
	segment.options == []
	segment.dynamic == []
	count(segment.operands) > 0
	count(_to_accept(segment)) == 0
} else := "add a rule that does: gavel fix shows one, unless it would permit too much"

_quoted_operands(segment) := [sprintf("%q", [operand.text]) | some operand in segment.operands]

_name_of(segment) := segment.executable.name if {
	some rule in rules.allowing_program(segment)
	rule.program == segment.executable.name
} else := segment.executable.real

# METADATA
# description: where the setting is still closed, it may help
opening := "" if {
	frozen.result.exec.constructs.substitution.value == data.gavel.catalog.exec.constructs.substitution
} else := sprintf("; if the program only shows files, setting %s to segments helps too", [frozen.result.exec.constructs.substitution.path])

# METADATA
# description: where cd leads
leads(segment) := "out of the workspace" if {
	_known_directory(segment)
} else := "to a directory that Gavel does not know, or that an earlier command may have changed"

# METADATA
# description: what to do where cd may not lead
directory(segment) := "use paths in the workspace instead, or list the directory under tools.read.allow" if {
	_known_directory(segment)
} else := "write the path of the directory, run cd before commands that change files, or use paths in the workspace instead"

_known_directory(segment) if {
	is_string(segment.directory)
	segment.directory != ""
	links.unchanged(segment, segment.directory)
}
