# Segments: whether each simple command of a line may run, and why not. A segment is
# satisfied when its program is on the allowlist, its arguments hold no hazard that the
# entry does not accept, and whatever wraps it is trusted (R20, R21).
package gavel.exec

import data.gavel.exec.allowlist
import data.gavel.exec.constructs
import data.gavel.exec.environment
import data.gavel.exec.hazards
import data.gavel.exec.links
import data.gavel.exec.safebins
import data.gavel.reason

# METADATA
# description: what is not permitted by a list, and a person may decide about
miss contains r if {
	_missed != set()
	not allowed_exactly
	some r in _misses
}

# METADATA
# description: a construct, or the file of one, that is left to a person
miss contains r if {
	not quiet
	security == "allowlist"
	some r in constructs.doubtful
}

# METADATA
# description: a variable that is left to a person
miss contains r if {
	not quiet
	security == "allowlist"
	some r in environment.doubtful
}

# METADATA
# description: a segment that no entry satisfies; the ask mode says whether to ask or deny
_misses contains reason.placed(_missing(_miss_kind(segment), segment), segment) if some segment in _missed

# METADATA
# description: a program is on the list, and one that would run it is not trusted
_misses contains reason.placed(_untrusted(wrapper), segment) if {
	some segment in _missed
	some wrapper in segment.wrappers
	not vouched(wrapper)
}

# METADATA
# description: a wrapper that somebody vouches for, with a word of its own that nobody accepts
_misses contains reason.placed(r, segment) if {
	some segment in _missed
	some wrapper in segment.wrappers
	vouched(wrapper)
	some r in hazards.objections(wrapper, object.union({"path": configured.allowlist}, _entry(wrapper)))
}

# METADATA
# description: a segment whose program is on the list, with an argument that its entry does not accept
_misses contains reason.placed(r, segment) if {
	some segment in _missed
	_miss_kind(segment) == "hazard"
	some r in hazards.objections(segment, allowlist.entry(segment))
}

# METADATA
# description: a segment whose program is a safe bin, with words that keep it from being one
_misses contains reason.placed(r, segment) if {
	some segment in _missed
	_miss_kind(segment) == "unsafe bin"
	some r in safebins.objections(segment)
}

_missed contains segment if {
	security == "allowlist"
	input.exec.parsed == true
	some segment in input.exec.segments
	not satisfied(segment)
}

_miss_kind(segment) := "builtin" if {
	_own_command(segment)
} else := "link" if {
	segment.opaque == ""
	not _runs_others(segment)
	_loose_link(segment)
} else := "opaque" if {
	_unread(segment)
} else := "unlisted" if {
	_blanket_script(segment, allowlist.entry(segment))
} else := "directory" if {
	segment.builtin == "cd"
	not _stays(segment)
} else := "dynamic" if {
	found := allowlist.entry(segment)
	found.found == true
	hazards.accepted(segment, found)
	not _literal(segment, found)
} else := "hazard" if {
	allowlist.entry(segment).found == true
} else := "unsafe bin" if {
	segment.executable.found == true
	safebins.listed(segment)
} else := "unlisted" if {
	segment.executable.found == true
	not allowlist.entry(segment).found == true
} else := "not found" if {
	not segment.executable.found == true
}

# METADATA
# title: Program is not on the allowlist
# description: a segment whose program satisfies no entry
# custom:
#   code: exec.allowlist_miss
#   message: '%s is on no allowlist entry'
#   fix: 'add %q to %s'
_missing("unlisted", segment) := reason.fixed(
	rego.metadata.rule(),
	[segment.executable.real],
	[segment.executable.real, configured.allowlist],
	{"path": configured.allowlist},
)

# METADATA
# title: Program was not found
# description: a name that the search path does not have cannot be on a list of paths
# custom:
#   code: exec.not_found
#   message: 'program %q was not found'
#   fix: '%s'
_missing("not found", segment) := reason.fixed(
	rego.metadata.rule(),
	[segment.argv[0]],
	[_search_advice(segment.argv[0])],
	{"path": configured.allowlist},
)

# METADATA
# title: Program runs other programs
# description: an entry for a shell, a wrapper or an evaluating builtin would permit everything
# custom:
#   code: exec.opaque_program
#   message: '%s runs other commands, so no allowlist entry can vouch for it'
#   fix: call the program itself
_missing("opaque", segment) := reason.from(
	rego.metadata.rule(),
	[_opaque_shown(segment)],
	{"path": configured.allowlist},
)

# METADATA
# title: Link decides what the program does
# description: the file behind the link does what the name of the link says, and nobody vouches for the link (R45)
# custom:
#   code: exec.link
#   message: '%s is a link by whose name %s decides what it does, and it is not in a trusted directory that only root can change'
#   fix: 'add %q to %s, or call a program that is no such link'
_missing("link", segment) := reason.fixed(
	rego.metadata.rule(),
	[segment.executable.real, segment.executable.link],
	[segment.executable.real, configured.allowlist],
	{"path": configured.allowlist},
)

# METADATA
# title: Command of the shell is not understood
# description: the shell runs this by itself, and it is not known to be harmless with these words
# custom:
#   code: exec.builtin
#   message: '%s is a command of the shell itself, and what it does with these words is not known'
#   fix: leave it out, or use a program for it
_missing("builtin", segment) := reason.from(
	rego.metadata.rule(),
	[segment.opaque],
	{"path": configured.allowlist},
)

# METADATA
# description: names of what a shell runs by itself
shell_commands := {name | some name in data.gavel.catalog.builtins.names}

_search_advice(name) := "the shell itself runs it, and no list can vouch for what that does: run a program instead, and a file of commands as bash FILE" if {
	name in shell_commands
} else := "check the name, the search path and the working directory; a relative path needs a known one"

_own_command(segment) if {
	segment.executable.found == false
	not segment.opaque == ""
	data.gavel.catalog.builtins.commands[segment.executable.name]
}

_unread(segment) if not segment.opaque == ""

_unread(segment) if {
	segment.executable.found == true
	opaque(segment)
}

_opaque_shown(segment) := segment.executable.real if {
	segment.opaque == ""
} else := segment.opaque if {
	segment.executable.real == ""
} else := sprintf("%s (%s)", [segment.executable.real, segment.opaque])

# METADATA
# title: Word is made at run time
# description: the program shows or changes what a word names, and the word is made when it runs (R19)
# custom:
#   code: exec.dynamic
#   message: '%s shows or changes what its arguments name, and %s is made at run time'
#   fix: 'write the word out, or, for a program that only shows it, set %s to segments'
_missing("dynamic", segment) := reason.fixed(
	rego.metadata.rule(),
	[segment.executable.real, _dynamic_shown(segment)],
	[configured.constructs.substitution.path],
	{"path": configured.constructs.substitution.path},
)

# METADATA
# title: Directory is elsewhere
# description: cd leads out of the workspace, or it is not known where to; what runs there may read other settings
# custom:
#   code: exec.directory
#   message: '%s leads out of the workspace, or it is not known where to'
#   fix: 'name files from the workspace instead, run cd before commands that change files, or allow the directory under %s'
_missing("directory", segment) := reason.fixed(
	rego.metadata.rule(),
	[concat(" ", segment.argv)],
	["tools.read.allow"],
	{"path": "tools.read.allow"},
)

_dynamic_shown(segment) := concat(", ", [word |
	some i in segment.dynamic
	word := _word(segment, i)
])

_word(segment, i) := segment.argv[i] if i < count(segment.argv)

_word(segment, i) := "what is added to them" if not i < count(segment.argv)

# METADATA
# title: Shell reads start-up files
# description: a login shell runs ~/.profile and its like first, which an agent may be able to write; no directory vouches for it
# custom:
#   code: exec.login_shell
#   message: '%s runs the start-up files of a login first, and is not on the allowlist'
#   fix: 'leave the option -l out, or add the shell to %s'
_untrusted(wrapper) := reason.fixed(
	rego.metadata.rule(),
	[_wrapper_shown(wrapper)],
	[configured.allowlist],
	{"path": configured.allowlist},
) if {
	_login(wrapper)
}

# METADATA
# title: Wrapper is not trusted
# description: what would run an allowed program is itself a program that somebody must vouch for (R21)
# custom:
#   code: exec.wrapper_untrusted
#   message: '%s would run the command, and is neither in a trusted directory that only root can write, nor on the allowlist'
#   fix: 'call the program itself, or add the wrapper to %s'
_untrusted(wrapper) := reason.fixed(
	rego.metadata.rule(),
	[_wrapper_shown(wrapper)],
	[configured.allowlist],
	{"path": configured.allowlist},
) if {
	not _login(wrapper)
}

_login(wrapper) if {
	wrapper.kind == "login"
	unalterable(wrapper.executable)
}

# The entry that could accept the hazards of a wrapper, if there is one.
_entry(wrapper) := found if {
	found := allowlist.entry(wrapper)
	found.found == true
} else := {"args": []}

_wrapper_shown(wrapper) := wrapper.executable.real if {
	wrapper.executable.found == true
} else := wrapper.argv[0]

# METADATA
# description: the segment is on the allowlist, or a safe bin
satisfied(segment) if on_allowlist(segment)

satisfied(segment) if safe(segment)

# METADATA
# description: the segment is a safe bin, and whatever wraps it is trusted
safe(segment) if {
	safebins.satisfied(segment)
	not opaque(segment)
	_carried(segment)
}

# Nothing wraps it, or everything that does is trusted.
_carried(segment) if segment.wrappers == []

_carried(segment) if {
	is_array(segment.wrappers)
	every wrapper in segment.wrappers { trusted(wrapper) }
}

# METADATA
# description: |
#   the segment's program is on the list, and is none that runs others; its entry accepts
#   the arguments, and every wrapper around it is trusted
on_allowlist(segment) if {
	segment.executable.found == true
	not opaque(segment)
	found := allowlist.entry(segment)
	found.found == true
	not _blanket_script(segment, found)
	hazards.accepted(segment, found)
	_literal(segment, found)
	_carried(segment)
}

# A command of the shell whose words were understood runs no program by itself.
satisfied(segment) if {
	data.gavel.catalog.builtins.commands[segment.builtin]
	segment.opaque == ""
	segment.hazards == []
	_stays(segment)
	_carried(segment)
}

# Words that are made at run time may be arguments of a program that neither shows nor
# changes what they name, and of one whose entry takes any argument. Where substitutions
# are opened one that only shows it takes them as well (DESIGN §6, R19).
_literal(segment, _) if segment.dynamic == []

_literal(segment, _) if {
	count(segment.dynamic) > 0
	not _reads(segment)
	not _changes(segment)
}

# A word that is written but for the number of a process names a file like any other:
# which number it is chooses none that the word as it is written does not show.
_literal(segment, _) if {
	count(segment.dynamic) > 0
	every i in segment.dynamic { _written(segment, i) }
}

# What the text itself gives a variable was looked at in its place.
_written(segment, i) if i in segment.numbered

_written(segment, i) if {
	some word in segment.made
	word.index == i
	word.known == true
}

_literal(segment, entry) if {
	is_array(segment.dynamic)
	"any" in entry.args
}

_literal(segment, _) if {
	is_array(segment.dynamic)
	configured.constructs.substitution.value == data.gavel.catalog.exec.constructs.substitution
	not _changes(segment)
}

_reads(segment) if {
	some name in segment.executable.programs
	name in data.gavel.catalog.exec.readers
	not _only_prints(segment, name)
}

# It prints its words and reads no file, and they are variables of the script. Those of the
# environment may be secrets: their names are capitals, and what a variable is given at run
# time may come from there.
_only_prints(segment, name) if {
	name in data.gavel.catalog.exec.printers
	every i in segment.dynamic { _own_words(segment, i) }
}

_own_words(segment, i) if _written(segment, i)

_own_words(segment, i) if {
	some word in segment.made
	word.index == i
	every variable in word.variables { environment.own_variable(variable) }
}

_changes(segment) if {
	some name in segment.executable.programs
	name in data.gavel.catalog.exec.changers
}

# cd stays in the workspace, or leads where files may be read.
_stays(segment) if not segment.builtin == "cd"

_stays(segment) if {
	links.known(segment.after, segment.directory)
	_inside(segment.directory)
}

# Nothing runs behind it, and nothing runs again.
_stays(segment) if {
	every other in input.exec.segments { _before(other, segment) }
	every construct in input.exec.constructs { not construct.kind == "compound" }
}

_before(other, segment) if other == segment

_before(other, segment) if other.end < segment.start

_within(path, directory) if {
	startswith(directory, "/")
	path == directory
}

_within(path, directory) if {
	startswith(directory, "/")
	startswith(path, sprintf("%s/", [directory]))
}

# METADATA
# description: somebody vouches for the wrapper, and its own words hold no hazard
trusted(wrapper) if {
	vouched(wrapper)
	hazards.accepted(wrapper, allowlist.entry(wrapper))
}

# METADATA
# description: |
#   the wrapper is where only root can put one, or on the list. Of some kinds no
#   directory vouches for one (R22): those that raise rights must be on the list.
vouched(wrapper) if {
	wrapper.kind in data.gavel.catalog.exec.trusted_kinds
	unalterable(wrapper.executable)
}

# No file stands behind a command of the shell itself.
vouched(wrapper) if {
	wrapper.kind == "builtin"
	wrapper.executable.found == false
	wrapper.executable.name in data.gavel.catalog.exec.own_wrappers
}

vouched(wrapper) if {
	wrapper.executable.found == true
	found := allowlist.entry(wrapper)
	found.found == true
	not _blanket(wrapper, found)
}

# A bare * is any program that exists; a file of commands that a shell is given is none.
_blanket_script(segment, found) if {
	some script in segment.scripts
	not _specific(found)
	not _elsewhere(segment, script)
}

# The file is another one than the program, which only reads it.
_elsewhere(segment, script) if {
	is_string(script.real)
	not script.real == segment.executable.real
}

_specific(found) if {
	is_string(found.pattern)
	not found.pattern == "*"
}

# A bare * says nothing about raising rights: that takes an entry that names it.
_blanket(wrapper, found) if {
	not _specific(found)
	not wrapper.kind in data.gavel.catalog.exec.trusted_kinds
}

# METADATA
# description: |
#   the program's real path is in a trusted directory, and nobody but root can put
#   another one there (R21, R28). Of a program that a gateway claimed nothing is known
#   that speaks against it.
unalterable(executable) if {
	executable.found == true
	executable.writable == []
	some directory in data.gavel.catalog.exec.trusted_directories
	within := sprintf("%s/", [directory])
	startswith(executable.real, within)
	not contains(trim_prefix(executable.real, within), "/")
}

# METADATA
# description: |
#   the program runs other programs, or changes what the next command means. A wrapper
#   whose words were understood is no segment; one that is a segment was not peeled.
opaque(segment) if not segment.opaque == ""

opaque(segment) if _runs_others(segment)

opaque(segment) if _loose_link(segment)

_runs_others(segment) if {
	some name in segment.executable.programs
	_opaque(name)
	not _query(segment)
}

# Of a program whose names nobody observed nothing is known.
_runs_others(segment) if not _named(segment.executable)

_named(executable) if is_array(executable.programs)

# A link by whose name a program acts is as good as the directory that it stands in, or
# an entry that names it (R45): a bare * is neither.
_loose_link(segment) if {
	not segment.executable.link == ""
	not unalterable(segment.executable)
	not _named_by(allowlist.entry(segment))
}

_named_by(found) if {
	found.found == true
	_specific(found)
}

# command -v says what a name is, and runs nothing.
_query(segment) if {
	not 1 in segment.dynamic
	segment.executable.realName == segment.executable.name
	segment.argv[1] in data.gavel.catalog.wrappers.programs[segment.executable.name].queries
}

_opaque(name) if _carries(name)

# bash-5.2, ksh93, busybox.static and ld-linux-x86-64.so.2 are what they begin with.
_opaque(name) if {
	regex.match(`[0-9._-]`, name)
	_carries(regex.find_n(`^[a-z]+`, name, 1)[0])
}

_carries(name) if data.gavel.catalog.wrappers.programs[name]

_carries(name) if data.gavel.catalog.exec.opaque[name]
