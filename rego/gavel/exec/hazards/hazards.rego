# METADATA
# title: Argument hazards
# description: |
#   Arguments can let an allowlisted program run other programs or write files (EXEC-10).
#   Which arguments do is a fact, read as gavel/catalog/programs says. Which kinds of hazard
#   cause a miss is data: exec.hazards in the catalog. An allowlist entry accepts hazards by
#   name, or any (EXEC-10).
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

# A rule accepts kinds as well. Which word is produced at run time nobody can tell, and a file
# that a list closes stays closed.
_accepts(_, entry, hazard) if {
	hazard.kind in entry.kinds
	not hazard.option in {"dynamic", "unsure"}
	not closed(hazard)
}

_accepts(_, _, hazard) if passes(hazard.kind)

# A hazard that writes a file is accepted if the lists permit writing that file (FILES-1); no
# entry is needed. After a command that may change where paths lead, it is unknown which file
# that is.
_accepts(segment, _, hazard) if {
	hazard.kind == "writes"
	not hazard.option in _about_directories
	links.known(segment, hazard.real)
	resources.judged("write", hazard.real).verdict == "allowed"
}

# Without a list of what may be read, a path outside the workspace is not a hazard. With one,
# the list must have it.
_accepts(_, _, hazard) if {
	hazard.kind == "elsewhere"
	not resources.limited("read")
	not _lost(hazard)
}

_accepts(segment, _, hazard) if {
	hazard.kind == "elsewhere"
	links.known(segment, hazard.real)
	resources.judged("read", hazard.real).verdict == "allowed"
}

# The patterns of the lists named the file. The lists judge it by its real path.
_accepts(_, _, hazard) if changes.accepted(hazard)

_accepts(_, _, hazard) if {
	hazard.kind == "reads"
	hazard.option in {"denied", "below", "inside"}
	resources.judged("read", hazard.real).verdict in {"allowed", "unlisted"}
}

# A file that code opens by its name is like one that a redirection opens.
_accepts(segment, _, hazard) if {
	_opened(hazard)
	links.known(segment, hazard.real)
	resources.judged("read", hazard.real).verdict == "allowed"
}

_accepts(segment, _, hazard) if {
	_opened(hazard)
	links.known(segment, hazard.real)
	patterns.within(hazard.real, patterns.here)
	not resources.limited("read")
	resources.judged("read", hazard.real).verdict == "unlisted"
}

# Work in another directory of the workspace is like cd to it. A second such option would be
# relative to the first.
_accepts(segment, _, hazard) if {
	hazard.kind == "directory"
	links.known(segment, hazard.real)
	patterns.within(hazard.real, patterns.here)
	count([true | some other in segment.hazards; other.kind == "directory"]) == 1
}

# An earlier command may have made a link there, and a setting says that nobody makes links.
_accepts(_, _, hazard) if {
	hazard.kind == "reads"
	hazard.option == "linked"
	links.known(true, hazard.real)
}

# Nobody could look at what is in a directory, and a setting says that it may be searched.
_accepts(_, _, hazard) if {
	hazard.kind == "reads"
	hazard.option == "unseen"
	frozen.result.searches == true
}

# A file that is written is judged as that.
_accepts(segment, _, hazard) if {
	hazard.kind == "elsewhere"
	some other in segment.hazards
	other.kind == "writes"
	other.index == hazard.index
}

_opened(hazard) if {
	hazard.kind == "reads"
	hazard.option == "opened"
}

# Nobody knows which file it is, and there is a list of files.
_lost(hazard) if {
	hazard.real == ""
	resources.restricted("read")
}

# These say nothing about the directory itself.
_about_directories := {"bound", "unseen"}

# METADATA
# description: a deny list names the file that the hazard reads or writes
closed(hazard) if {
	access := {"writes": "write", "reads": "read"}[hazard.kind]
	resources.judged(access, hazard.real).verdict == "denied"
}

# METADATA
# description: a hazard of this kind needs no acceptance
passes(kind) if {
	kind in data.gavel.catalog.exec.hazards.pass
	not kind in data.gavel.catalog.exec.hazards.miss
}
