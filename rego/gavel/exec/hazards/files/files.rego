# METADATA
# title: Denied files of arguments
# description: |
#   A file that a deny list names is closed to programs too (FILES-1): one that an argument
#   names, and one in a directory that a program reads or changes with everything in it.
# schemas:
#   - input: schema.facts
package gavel.exec.hazards.files

import data.gavel.exec.changes
import data.gavel.exec.programs
import data.gavel.exec.shown
import data.gavel.reason
import data.gavel.resources

# METADATA
# description: a file on a deny list stays closed to programs too, even for a person
denied contains reason.placed(_file_reason(segment, hazard, _file_verdict(hazard).path), segment) if {
	some segment in input.exec.segments
	some hazard in _hazards_of(segment)
	not hazard.option in {"below", "inside", "unsure", "bound", "unseen"}
	_on_deny_list(hazard)
}

# METADATA
# description: a directory that a program reads with everything in it, and that has such a file
denied contains reason.placed(_directory_reason(segment, found), segment) if {
	some segment in input.exec.segments
	found := {hazard |
		some hazard in segment.hazards
		hazard.kind == "reads"
		hazard.option in {"below", "inside"}
		_on_deny_list(hazard)
	}
	count(found) > 0
}

# METADATA
# description: a directory that a program changes with everything in it, and that has such a file
denied contains r if some r in changes.denied

# METADATA
# description: |
#   a script: the shell that runs it reads it, and may print it (bash -v, error messages)
denied contains reason.placed(_file_reason(segment, read, _file_verdict(read).path), segment) if {
	some segment in input.exec.segments
	some script in segment.scripts
	script.role == "script"
	read := {"kind": "reads", "real": script.real}
	_on_deny_list(read)
}

_hazards_of(segment) := {hazard | some hazard in segment.hazards} | {hazard |
	some wrapper in segment.wrappers
	some hazard in wrapper.hazards
}

_on_deny_list(hazard) if _file_verdict(hazard).verdict == "denied"

_file_verdict(hazard) := resources.file_verdict(_access(hazard), hazard.real)

_access(hazard) := {"writes": "write", "reads": "read", "elsewhere": "read"}[hazard.kind]

# METADATA
# title: Argument names a denied file
# description: the program would read or write a file that a deny list names (FILES-1)
# custom:
#   code: exec.file_denied
#   message: '%s would %s %s, which is denied'
#   fix: 'use another file, or change %s'
_file_reason(segment, hazard, path) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), _access(hazard), hazard.real],
	[path],
	{"path": path},
)

# METADATA
# title: Directory has denied files
# description: the program reads everything in a directory, and there are files that a deny list names (FILES-1)
# custom:
#   code: exec.search_denied
#   message: '%s would also read what is denied: %s'
#   fix: '%s'
#   advises: leave the files out, name those to read, or search a directory without them; list them in .gitignore or .git/info/exclude if git would take them in
_directory_reason(segment, found) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), concat(", ", sort({hazard.real | some hazard in found}))],
	[_exclude_fix(segment, found)],
	{"path": _file_verdict(_any(found)).path},
)

_any(found) := [hazard | some hazard in found][0]

# Gavel reads .gitignore and .git/info/exclude. Settings of the machine, of the user and of the process that runs
# git name the other files of ignore rules.
_exclude_fix(segment, found) := concat("; ", [
	"list it in .gitignore or .git/info/exclude in a call before this one, or name the files",
	"ignore rules of the user (core.excludesFile) do not count, because Gavel does not read the settings that name their file",
	"with -f or --all git takes in ignored files, too",
]) if {
	programs.takes_in(segment)
} else := sprintf("leave it out: add %s; or search a directory without it", [concat(" ", sort({_exclude_option(segment, hazard) | some hazard in found}))]) if {
	programs.exclude_option(segment.executable, "leaves_out")
} else := "name the files to read; or search a directory without it"

_exclude_option(segment, hazard) := sprintf(programs.exclude_option(segment.executable, table), [_base_name(hazard.real)]) if {
	table := {"below": "leaves_out", "inside": "leaves_out_directories"}[hazard.option]
}

_base_name(path) := regex.replace(path, `^.*/`, "")
