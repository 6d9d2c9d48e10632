# METADATA
# title: Calls that cannot be bound
# description: |
#   Why it is unclear what a person's answer would cover (R29), and how to make it clear.
# schemas:
#   - input: schema.facts
package gavel.approvals.unclear

import data.gavel.exec.bound
import data.gavel.exec.programs

# METADATA
# scope: document
# description: |
#   why: a program was not found (often a shell builtin), or the working directory is unknown;
#   otherwise a file changed or cannot be read
default cause := "a program or a code file of the command was replaced, or cannot be read"

cause := concat("; ", sort(_causes)) if {
	count(_causes) > 0
} else := sprintf("%s was replaced in the meantime, or cannot be read", [concat(" or ", sort(_identified_files))]) if {
	count(_identified_files) > 0
}

# The programs and code files of the command, at least one of which could not be identified.
_identified_files := ({segment.executable.real |
	some segment in input.exec.segments
	segment.executable.found == true
} | {wrapper.executable.real |
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	wrapper.executable.found == true
}) | {bound.code_file(segment, script) |
	some segment in input.exec.segments
	some script in segment.scripts
}

_causes := (_not_found | _directory_unknown) | _unreadable_files

_not_found := {sprintf("the program %q was not found", [name]) |
	some name in (_missing_programs - programs.shell_builtins)
} | {sprintf("%s is a shell builtin, so there is no file to show", [name]) |
	some name in (_missing_programs & programs.shell_builtins)
}

_missing_programs := {segment.argv[0] |
	some segment in input.exec.segments
	segment.builtin == ""
	not segment.executable.found == true
}

_directory_unknown := {"the working directory is unknown" | input.exec.workdir == ""}

_unreadable_files := {sprintf("the file %q was not found or could not be read", [bound.code_file(segment, script)]) |
	some segment in input.exec.segments
	some script in segment.scripts
	not script.found == true
}

# METADATA
# scope: document
# description: how to write the command so that an answer can cover it
default fix := "use programs and files that exist and can be read, and state a working directory"

fix := "run a script as its own program (bash FILE), and use no other shell builtins" if {
	count(_missing_programs & programs.shell_builtins) > 0
}
