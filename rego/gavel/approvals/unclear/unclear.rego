# METADATA
# title: Calls that cannot be bound
# description: |
#   Why it is unclear what a person's answer would cover (R29), and what makes it clear.
# schemas:
#   - input: schema.facts
package gavel.approvals.unclear

import data.gavel.exec.programs

# METADATA
# scope: document
# description: |
#   why: a program was not found (often a shell builtin), or the working directory is unknown;
#   otherwise a file changed or cannot be read
default said := "a program or a code file of the command was replaced, or cannot be read"

said := concat("; ", sort(_causes)) if {
	count(_causes) > 0
} else := sprintf("%s was replaced in the meantime, or cannot be read", [concat(" or ", sort(_run))]) if {
	count(_run) > 0
}

# What runs, one of which could not be identified.
_run := ({segment.executable.real |
	some segment in input.exec.segments
	segment.executable.found == true
} | {wrapper.executable.real |
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	wrapper.executable.found == true
}) | {script.path |
	some segment in input.exec.segments
	some script in segment.scripts
}

_causes := (_unfound | _unplaced) | _unread_files

_unfound := {sprintf("the program %q was not found", [name]) |
	some name in (_missing_programs - programs.shell_commands)
} | {sprintf("%s is a shell builtin, so there is no file to show", [name]) |
	some name in (_missing_programs & programs.shell_commands)
}

_missing_programs := {segment.argv[0] |
	some segment in input.exec.segments
	segment.builtin == ""
	not segment.executable.found == true
}

_unplaced := {"the working directory is unknown" | input.exec.workdir == ""}

_unread_files := {sprintf("the file %q was not found or could not be read", [script.path]) |
	some segment in input.exec.segments
	some script in segment.scripts
	not script.found == true
}

# METADATA
# scope: document
# description: how to write the command so that an answer can cover it
default fix := "use programs and files that exist and can be read, and state a working directory"

fix := "run a script as its own program (bash FILE), and use no other shell builtins" if {
	count(_missing_programs & programs.shell_commands) > 0
}
