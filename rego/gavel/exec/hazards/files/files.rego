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
denied contains reason.placed(_named(segment, hazard, _judged(hazard).path), segment) if {
	some segment in input.exec.segments
	some hazard in _of_segment(segment)
	not hazard.option in {"below", "inside", "unsure", "bound", "unseen"}
	_closed(hazard)
}

# METADATA
# description: and a directory that a program reads with everything in it must have none
denied contains reason.placed(_found_below(segment, found), segment) if {
	some segment in input.exec.segments
	found := {hazard |
		some hazard in segment.hazards
		hazard.kind == "reads"
		hazard.option in {"below", "inside"}
		_closed(hazard)
	}
	count(found) > 0
}

# METADATA
# description: and one that it changes with everything in it
denied contains r if some r in changes.denied

# METADATA
# description: |
#   and a script, which the shell that runs it reads and may print (bash -v), as may its messages
denied contains reason.placed(_named(segment, read, _judged(read).path), segment) if {
	some segment in input.exec.segments
	some script in segment.scripts
	script.role == "script"
	read := {"kind": "reads", "real": script.real}
	_closed(read)
}

_of_segment(segment) := {hazard | some hazard in segment.hazards} | {hazard |
	some wrapper in segment.wrappers
	some hazard in wrapper.hazards
}

_closed(hazard) if _judged(hazard).verdict == "denied"

_judged(hazard) := resources.judged(_access(hazard), hazard.real)

_access(hazard) := {"writes": "write", "reads": "read", "elsewhere": "read"}[hazard.kind]

# METADATA
# title: Argument names a denied file
# description: the program would read or write a file that a deny list names (FILES-1)
# custom:
#   code: exec.file_denied
#   message: '%s would %s %s, which is denied'
#   fix: 'use another file, or change %s'
_named(segment, hazard, path) := reason.fixed(
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
#   fix: '%s; or search a directory without it'
_found_below(segment, found) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), concat(", ", sort({hazard.real | some hazard in found}))],
	[_without(segment, found)],
	{"path": _judged(_first(found)).path},
)

_first(found) := [hazard | some hazard in found][0]

_without(segment, found) := sprintf("leave it out: add %s", [concat(" ", sort({_left_out(segment, hazard) | some hazard in found}))]) if {
	programs.leaves_out(segment.executable, "leaves_out")
} else := "name the files to read"

_left_out(segment, hazard) := sprintf(programs.leaves_out(segment.executable, table), [_base(hazard.real)]) if {
	table := {"below": "leaves_out", "inside": "leaves_out_directories"}[hazard.option]
}

_base(path) := regex.replace(path, `^.*/`, "")
