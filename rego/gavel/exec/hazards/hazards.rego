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
import data.gavel.exec.shown
import data.gavel.frozen
import data.gavel.reason
import data.gavel.resources
import data.gavel.resources.patterns

# METADATA
# description: the entry, {"path", "args"}, accepts every argument of the segment
accepted(segment, entry) if {
	is_array(segment.hazards)
	every hazard in segment.hazards { _accepts(segment, entry, hazard) }
}

# METADATA
# description: a reason for every hazard that the entry does not accept
objections(segment, entry) := {_objection(segment, hazard, entry) | some hazard in unaccepted(segment, entry)}

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
	links.known(segment.after, hazard.real)
	resources.judged("write", hazard.real).verdict == "allowed"
}

# Without a list of what may be read, a path outside the workspace is no hazard. With one,
# the list must have it.
_accepts(_, _, hazard) if {
	hazard.kind == "elsewhere"
	not resources.limited("read")
	not _lost(hazard)
}

_accepts(segment, _, hazard) if {
	hazard.kind == "elsewhere"
	links.known(segment.after, hazard.real)
	resources.judged("read", hazard.real).verdict == "allowed"
}

# The patterns of the lists named the file. The lists judge it by its real path.
_accepts(_, _, hazard) if changes.accepted(hazard)

_accepts(_, _, hazard) if {
	hazard.kind == "reads"
	hazard.option in {"denied", "below", "inside"}
	resources.judged("read", hazard.real).verdict in {"allowed", "unlisted"}
}

# Work in another directory of the workspace is like cd to it. A second such option would be
# relative to the first.
_accepts(segment, _, hazard) if {
	hazard.kind == "directory"
	links.known(segment.after, hazard.real)
	patterns.within(hazard.real, patterns.here)
	count([true | some other in segment.hazards; other.kind == "directory"]) == 1
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

# Nobody knows which file it is, and there is a list of files.
_lost(hazard) if {
	hazard.real == ""
	resources.restricted("read")
}

# These say nothing of the directory itself.
_about_directories := {"bound", "unseen"}

# METADATA
# description: a deny list names the file that the hazard reads or writes
closed(hazard) if {
	access := {"writes": "write", "reads": "read"}[hazard.kind]
	resources.judged(access, hazard.real).verdict == "denied"
}

# METADATA
# description: a file on a deny list stays closed to programs too, even for a person
denied contains reason.placed(_denied(segment, hazard, _judged(hazard).path), segment) if {
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
_denied(segment, hazard, path) := reason.fixed(
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
	_leaves_out(segment, "leaves_out")
} else := "name the files to read"

_left_out(segment, hazard) := sprintf(_leaves_out(segment, table), [_base(hazard.real)]) if {
	table := {"below": "leaves_out", "inside": "leaves_out_directories"}[hazard.option]
}

_leaves_out(segment, table) := [form |
	some name in segment.executable.programs
	form := data.gavel.catalog.programs[table][name]
][0]

_base(path) := regex.replace(path, `^.*/`, "")

# METADATA
# description: a hazard of this kind needs no acceptance
passes(kind) if {
	kind in data.gavel.catalog.exec.hazards.pass
	not kind in data.gavel.catalog.exec.hazards.miss
}

# METADATA
# title: Directory was not looked through
# description: the program reads everything in a directory, and it has more files than are looked at for denied ones
# custom:
#   code: exec.search_bound
#   message: '%s reads everything in a directory, and there are too many files to look for those that are denied'
#   fix: 'search a smaller directory%s'
_objection(segment, hazard, _) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment)],
	[_smaller(segment)],
	{"path": "tools.read.deny"},
) if {
	hazard.kind == "reads"
	hazard.option == "bound"
}

_objection(segment, hazard, _) := changes.objection(segment, hazard) if _of_changes(hazard)

# METADATA
# title: Directory cannot be looked at
# description: the program reads everything in a directory, which Gavel cannot look at, and there may be denied files
# custom:
#   code: exec.search_unseen
#   message: '%s reads everything in a directory that Gavel cannot look at, and files there may be denied'
#   fix: 'name the files to read, or set %s to allow'
_objection(segment, hazard, _) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment)],
	["tools.read.searches"],
	{"path": "tools.read.searches"},
) if {
	hazard.kind == "reads"
	hazard.option == "unseen"
}

# METADATA
# title: Argument is a hazard
# description: with this argument, the program runs, loads or writes something that no entry permits
# custom:
#   code: exec.hazard
#   message: '%s: %s may not be used with %s: it %s'
#   fix: '%s, or %s'
_objection(segment, hazard, entry) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), segment.executable.real, _shown(hazard), _meaning(hazard)],
	[_advice(hazard), _acceptance(segment, hazard, entry)],
	{"path": entry.path},
) if {
	not hazard.option in {"bound", "unseen", "expression"}
	not _of_changes(hazard)
}

# METADATA
# title: Shell may evaluate a word of a test
# description: a word of test or [ is produced at run time, or names a subscript, and some shells run what is in it
# custom:
#   code: exec.expression
#   message: '%s: some shells would run commands that are in %s, a word of this test'
#   fix: 'put the word in double quotes and test one thing at a time, as in [ -n "$NAME" ] or [ "$NAME" = text ]'
_objection(segment, hazard, entry) := reason.from(
	rego.metadata.rule(),
	[shown.command(segment), hazard.argument],
	{"path": entry.path},
) if {
	hazard.option == "expression"
}

_of_changes(hazard) if {
	hazard.kind == "writes"
	hazard.option in {"unsure", "unlisted", "bound", "unseen"}
}

_smaller(segment) := sprintf(", or leave out a large one, such as with %s", [sprintf(_leaves_out(segment, "leaves_out_directories"), ["node_modules"])]) if {
	_leaves_out(segment, "leaves_out_directories")
} else := ""

# A word that is produced at run time is not itself an option.
_advice(hazard) := advice if {
	hazard.option == "dynamic"
	advice := "write the word out, begin it with ./, or put -- before it if the program supports that"
} else := "add an option such as --no-pager, or end the command with | cat" if {
	hazard.option == "pager"
} else := sprintf("leave %q out", [hazard.argument]) if {
	_leaves_word(hazard)
} else := sprintf("leave %s out", [hazard.option])

_leaves_word(hazard) if _about_a_file(hazard)

# What the program is given, such as a script of sed, or an option of many spellings.
_leaves_word(hazard) if {
	not regex.match(`^-[^*]+$`, hazard.option)
	hazard.argument != ""
}

# What kind of file an argument names, where that is the hazard and no option of the program is.
_about_a_file(hazard) if {
	hazard.option in {"secret", "outside", "closed", "denied"}
	hazard.argument != ""
}

# Where a person accepts the hazard, with all others of the command that the entry does not
# accept. A pack is not edited.
_acceptance(segment, hazard, entry) := sprintf("list %s under tools.read.allow", [hazard.real]) if {
	hazard.kind == "elsewhere"
	hazard.real != ""
	resources.limited("read")
} else := sprintf("list %s under args of %s", [hazard.option, entry.path]) if {
	not entry.rule == true
} else := sprintf("add {program: %s, accepts: [%s], effect: allow} to tools.exec.rules", [segment.executable.name, _all(segment, entry)]) if {
	startswith(entry.path, "packs.")
} else := sprintf("list %s under accepts of %s", [hazard.option, entry.path])

_all(segment, entry) := concat(", ", sort({_as_yaml(hazard.option) | some hazard in unaccepted(segment, entry)}))

_as_yaml(text) := text if {
	regex.match(`^[A-Za-z0-9_.+-]+$`, text)
} else := sprintf("%q", [text])

_shown(hazard) := sprintf("%s, which is produced at run time and could be an option", [hazard.argument]) if {
	hazard.option == "dynamic"
	hazard.argument != ""
} else := sprintf("%q", [hazard.argument]) if {
	_about_a_file(hazard)
} else := sprintf("%s %q", [hazard.option, hazard.argument]) if {
	hazard.argument != ""
} else := hazard.option

_meaning(hazard) := "would show a file that may hold secrets" if {
	hazard.option == "secret"
	hazard.kind == "reads"
} else := meaning if {
	meaning := data.gavel.catalog.exec.hazards.meaning[hazard.kind]
} else := "is of an unknown kind"
