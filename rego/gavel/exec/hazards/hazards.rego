# METADATA
# title: Argument hazards
# description: |
#   Arguments can let an allowlisted program run other programs or write files (EXEC-10). Which
#   arguments do is a fact, observed with the entries of gavel/catalog/programs. Which kinds of
#   hazard cause a miss is data: exec.hazards in the catalog. An allowlist entry accepts hazards
#   by name, or any (EXEC-10).
# schemas:
#   - input: schema.facts
package gavel.exec.hazards

import data.gavel.exec.changes
import data.gavel.exec.links
import data.gavel.frozen
import data.gavel.resources
import data.gavel.resources.patterns

# METADATA
# description: the entry, {"path", "args"}, accepts every argument of the segment
accepted(segment, entry) if {
	is_array(segment.hazards)
	every hazard in segment.hazards { _accepts(segment, entry, hazard) }
}

# METADATA
# description: the hazards that the entry does not accept
unaccepted(segment, entry) := {hazard |
	some hazard in segment.hazards
	not _accepts(segment, entry, hazard)
}

_accepts(_, entry, _) if "any" in entry.args

_accepts(_, entry, hazard) if hazard.option in entry.args

# A rule accepts kinds as well, but neither a word that is produced at run time nor a file on a
# deny list.
_accepts(_, entry, hazard) if {
	hazard.kind in entry.kinds
	not hazard.option in {"dynamic", "unsure"}
	not names_denied_file(hazard)
}

_accepts(_, _, hazard) if always_accepted(hazard.kind)

# A hazard that writes a file is accepted if the lists permit writing that file (FILES-1); no
# entry is needed. After a command that may change where paths lead, it is unknown which file
# that is.
_accepts(segment, _, hazard) if {
	hazard.kind == "writes"
	not hazard.option in _directory_options
	links.unchanged(segment, hazard.real)
	resources.file_verdict("write", hazard.real).verdict == "allowed"
}

# Without a list of what may be read, a path outside the workspace is not a hazard. With one,
# the list must have it.
_accepts(_, _, hazard) if {
	hazard.kind == "elsewhere"
	not resources.limited("read")
	not _unknown_file(hazard)
}

_accepts(segment, _, hazard) if {
	hazard.kind == "elsewhere"
	links.unchanged(segment, hazard.real)
	resources.file_verdict("read", hazard.real).verdict == "allowed"
}

# The hazard was reported because patterns of the lists match the path as written. The lists judge
# the real path.
_accepts(_, _, hazard) if changes.accepted(hazard)

_accepts(_, _, hazard) if {
	hazard.kind == "reads"
	hazard.option in {"denied", "below", "inside"}
	resources.file_verdict("read", hazard.real).verdict in {"allowed", "unlisted"}
}

# A file that inline code opens is judged like a file that a redirection opens.
_accepts(segment, _, hazard) if {
	_opened_by_code(hazard)
	links.unchanged(segment, hazard.real)
	resources.file_verdict("read", hazard.real).verdict == "allowed"
}

_accepts(segment, _, hazard) if {
	_opened_by_code(hazard)
	links.unchanged(segment, hazard.real)
	patterns.within(hazard.real, patterns.workspace)
	not resources.limited("read")
	resources.file_verdict("read", hazard.real).verdict == "unlisted"
}

# An option such as git -C, with a directory of the workspace, is like cd. There must be only one:
# a second would be relative to the first.
_accepts(segment, _, hazard) if {
	hazard.kind == "directory"
	links.unchanged(segment, hazard.real)
	patterns.within(hazard.real, patterns.workspace)
	count([true | some other in segment.hazards; other.kind == "directory"]) == 1
}

# An earlier command may have made a link there, but tools.exec.noLinks says that there are none.
_accepts(_, _, hazard) if {
	hazard.kind == "reads"
	hazard.option == "linked"
	links.unchanged(true, hazard.real)
}

# Gavel could not look into the directory, and tools.read.searches permits searching it anyway.
_accepts(_, _, hazard) if {
	hazard.kind == "reads"
	hazard.option == "unseen"
	frozen.result.searches == true
}

# A file that is written as well is judged as a write.
_accepts(segment, _, hazard) if {
	hazard.kind == "elsewhere"
	some other in segment.hazards
	other.kind == "writes"
	other.index == hazard.index
}

_opened_by_code(hazard) if {
	hazard.kind == "reads"
	hazard.option == "opened"
}

# It is unknown which file it is, and there is a list of files.
_unknown_file(hazard) if {
	hazard.real == ""
	resources.restricted("read")
}

# These options are about what is in a directory, not about the directory itself.
_directory_options := {"bound", "unseen"}

# METADATA
# description: a deny list names the file that the hazard reads or writes
names_denied_file(hazard) if {
	access := {"writes": "write", "reads": "read"}[hazard.kind]
	resources.file_verdict(access, hazard.real).verdict == "denied"
}

# METADATA
# description: a hazard of this kind needs no acceptance
always_accepted(kind) if {
	kind in data.gavel.catalog.exec.hazards.pass
	not kind in data.gavel.catalog.exec.hazards.miss
}
