# METADATA
# title: Changed files
# description: |
#   Files that a program would make, change or remove, and that a list of files to write is about
#   (FILES-1). The facts have a hazard of kind writes for each: denied is a file on a deny list,
#   below and inside are files and directories in a directory that is changed as a whole, unsure is
#   a file that may be changed, unlisted is one that no allow list has, and of bound and unseen
#   directories it is unknown what is in them.
# schemas:
#   - input: schema.facts
package gavel.exec.changes

import data.gavel.exec.shown
import data.gavel.reason
import data.gavel.resources

# METADATA
# scope: document
# description: the hazard is about a list, and the lists do not speak against the file after all
accepted(hazard) if {
	_about_denied(hazard)
	hazard.option in {"denied", "below", "inside", "unsure"}
	_judged(hazard).verdict in {"allowed", "unlisted"}
}

accepted(hazard) if {
	hazard.kind == "writes"
	hazard.option == "unlisted"
	not resources.limited("write")
	_judged(hazard).verdict == "unlisted"
}

# No pattern names a place in the directory. What may be anywhere, such as /**/.env, does not count:
# almost every directory could have it.
accepted(hazard) if {
	_about_denied(hazard)
	hazard.option in {"bound", "unseen"}
	resources.holding("write", hazard.real) == []
}

_about_denied(hazard) if {
	hazard.kind == "writes"
	hazard.real != ""
}

# METADATA
# scope: document
# description: the program certainly changes what a deny list names
certain(hazard) if {
	hazard.kind == "writes"
	hazard.option in {"below", "inside"}
	_judged(hazard).verdict == "denied"
}

# An unknown file may be a denied one.
_file(hazard) := sprintf("%s, in a directory that is unknown here, and a list may deny it", [hazard.argument]) if {
	hazard.real == ""
} else := hazard.real

_judged(hazard) := resources.judged("write", hazard.real)

# METADATA
# description: a directory that is changed with everything in it must have no denied file, even for a person
denied contains reason.placed(_holding(segment, found), segment) if {
	some segment in input.exec.segments
	found := {hazard | some hazard in segment.hazards; certain(hazard)}
	count(found) > 0
}

# METADATA
# title: Directory has files that may not be changed
# description: the program changes a directory with everything in it, and there are files that a deny list names (FILES-1)
# custom:
#   code: exec.change_denied
#   message: '%s would also write %s, which %s denied'
#   fix: 'name the files to change, or change %s'
_holding(segment, found) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), shown.listed(files), _are(files)],
	[path],
	{"path": path},
) if {
	files := sort({hazard.real | some hazard in found})
	path := min({_judged(hazard).path | some hazard in found})
}

_are([_]) := "is"

_are(files) := "are" if count(files) > 1

# METADATA
# scope: document
# description: why a person has to decide about the hazard
objection(segment, hazard) := _unsure(segment, hazard, _judged(hazard).path) if {
	hazard.option == "unsure"
} else := _unlisted(segment, hazard, _judged(hazard).path) if {
	hazard.option == "unlisted"
} else := _unseen(segment, hazard) if {
	hazard.option in {"bound", "unseen"}
}

# METADATA
# title: File that may not be changed could be
# description: the program may change a file that a deny list names; Gavel does not know whether it does
# custom:
#   code: exec.change_unsure
#   message: '%s may write what is denied: %s'
#   fix: 'name other files, use a program whose written files Gavel knows, or change %s'
_unsure(segment, hazard, path) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), _file(hazard)],
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
_unlisted(segment, hazard, path) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), _file(hazard)],
	[_listing(hazard, path)],
	{"path": path},
)

_listing(hazard, path) := sprintf("add %s to %s, or use a file that the list names", [hazard.real, path]) if {
	hazard.real != ""
} else := sprintf("write the whole path of a file that %s lists", [path])

# METADATA
# title: Nobody knows what is in a changed directory
# description: the program changes a directory with everything in it, and not all of it could be looked at
# custom:
#   code: exec.change_unseen
#   message: '%s may change everything in %s, and Gavel cannot look at all of it: files there may be denied'
#   fix: 'name the files to change, or a smaller directory, or change %s'
_unseen(segment, hazard) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), hazard.real],
	[path],
	{"path": path},
) if {
	path := resources.holding("write", hazard.real)[0]
}
