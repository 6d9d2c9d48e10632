# METADATA
# title: Changed files
# description: |
#   Files that a program would create, change or remove, judged by the lists of files to write
#   (FILES-1). The facts have a hazard of kind writes for each of them, and its option says why.
#   denied: a file on a deny list. below, inside: a file or directory in a directory that is
#   changed as a whole. unsure: the program may change the file. unlisted: no allow list names it.
#   bound, unseen: a directory that has too many files, or that Gavel cannot look into.
# schemas:
#   - input: schema.facts
package gavel.exec.changes

import data.gavel.exec.shown
import data.gavel.exec.system
import data.gavel.reason
import data.gavel.resources
import data.gavel.resources.lists

# METADATA
# scope: document
# description: the hazard was reported because of a list, and the lists do not object to the file's real path
accepted(hazard) if {
	_writes_known_file(hazard)
	hazard.option in {"denied", "below", "inside", "unsure"}
	_file_verdict(hazard).verdict in {"allowed", "unlisted"}
}

accepted(hazard) if {
	hazard.kind == "writes"
	hazard.option == "unlisted"
	not resources.limited("write")
	_file_verdict(hazard).verdict == "unlisted"
}

# No deny pattern names a path in the directory. A pattern that may match anywhere, such as
# /**/.env, does not count: almost every directory could have such a file.
accepted(hazard) if {
	_writes_known_file(hazard)
	hazard.option in {"bound", "unseen"}
	resources.deny_lists_below("write", hazard.real) == []
}

_writes_known_file(hazard) if {
	hazard.kind == "writes"
	hazard.real != ""
}

# METADATA
# scope: document
# description: the program certainly changes a file or directory that a deny list names
certainly_denied(hazard) if {
	hazard.kind == "writes"
	hazard.option in {"below", "inside"}
	_file_verdict(hazard).verdict == "denied"
}

# An unknown file may be a denied one.
_file_shown(hazard) := sprintf("%s, in a directory that is unknown here, and a list may deny it", [hazard.argument]) if {
	hazard.real == ""
} else := hazard.real

_file_verdict(hazard) := resources.file_verdict("write", hazard.real)

# METADATA
# description: a directory that is changed with everything in it and has a denied file; a person cannot permit that
denied contains reason.placed(_denied_reason(segment, found), segment) if {
	some segment in input.exec.segments
	found := {hazard | some hazard in segment.hazards; certainly_denied(hazard)}
	count(found) > 0
}

# METADATA
# title: Directory has files that may not be changed
# description: the program changes a directory with everything in it, and there are files that a deny list names (FILES-1)
# custom:
#   code: exec.change_denied
#   message: '%s would also write %s, which %s denied'
#   fix: 'name the files to change, or change %s'
_denied_reason(segment, found) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), shown.listed(files), _are(files)],
	[path],
	{"path": path},
) if {
	files := sort({hazard.real | some hazard in found})
	path := min({_file_verdict(hazard).path | some hazard in found})
}

_are([_]) := "is"

_are(files) := "are" if count(files) > 1

# METADATA
# scope: document
# description: why a person has to decide about the hazard
objection(segment, hazard) := _unsure_reason(segment, hazard, _file_verdict(hazard).path) if {
	hazard.option == "unsure"
} else := _unlisted_reason(segment, hazard, _file_verdict(hazard).path) if {
	hazard.option == "unlisted"
} else := _unseen_reason(segment, hazard) if {
	hazard.option in {"bound", "unseen"}
}

# METADATA
# title: File that may not be changed could be
# description: the program may change a file that a deny list names; Gavel does not know whether it does
# custom:
#   code: exec.change_unsure
#   message: '%s may write what is denied: %s'
#   fix: 'name other files, use a program whose written files Gavel knows, or change %s'
_unsure_reason(segment, hazard, path) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), _file_shown(hazard)],
	[path],
	{"path": path},
)

# METADATA
# title: Changed file is not listed
# description: the program writes a file that no allow list names, or it is unknown which file it is (FILES-1)
# custom:
#   code: exec.change_unlisted
#   message: '%s would write %s, which no allow list permits'
#   fix: '%s'
#   advises: 'add the file to tools.write.allow, use a file that the list names, or write the whole path'
_unlisted_reason(segment, hazard, path) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), _file_shown(hazard)],
	[_unlisted_fix(hazard, path)],
	{"path": path},
)

_unlisted_fix(hazard, path) := sprintf("use a file that %s names; this one belongs to the system or to other people", [path]) if {
	system.file(hazard.real)
} else := lists.naming(hazard.real, path) if {
	hazard.real != ""
} else := sprintf("write the whole path of a file that %s lists", [path])

# METADATA
# title: Nobody knows what is in a changed directory
# description: the program changes a directory with everything in it, and not all of it could be looked at
# custom:
#   code: exec.change_unseen
#   message: '%s may change everything in %s, and Gavel cannot look at all of it: files there may be denied'
#   fix: 'name the files to change, or a smaller directory, or change %s'
_unseen_reason(segment, hazard) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), hazard.real],
	[path],
	{"path": path},
) if {
	path := resources.deny_lists_below("write", hazard.real)[0]
}
