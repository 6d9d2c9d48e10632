# METADATA
# title: What to write instead
# description: |
#   Advice for commands that run a text or a command which Gavel cannot read. Which it is depends
#   on what the command is, so that the advice can be followed.
package gavel.exec.advice

# METADATA
# description: what to write instead of an opaque command, the first that applies
instead(segment) := "use printenv NAME to see one variable: all of them together may show secrets" if {
	segment.executable.name == "env"
	_lacks_a_command(segment)
} else := sprintf("write the command that %s should run behind it", [segment.executable.name]) if {
	_lacks_a_command(segment)
} else := sprintf(
	"save the script to a file, read it, and run it with %[1]s FILE; or write the commands as %[1]s -c 'COMMANDS'",
	[segment.executable.name],
) if {
	_shell(segment)
} else := "write the commands themselves, or put them into a script and run it with bash FILE" if {
	segment.executable.name in {"eval", "source", "."}
} else := "leave it out: it changes the shell for the commands after it" if {
	data.gavel.catalog.programs.shell_words[segment.executable.name]
} else := "call the program itself"

_lacks_a_command(segment) if endswith(segment.opaque, "without a command")

_shell(segment) if {
	some name in segment.executable.programs
	data.gavel.catalog.programs.wrappers[name].kind == "shell"
}
