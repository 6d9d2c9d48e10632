# METADATA
# title: Segments
# description: |
#   Whether each simple command of a line may run. A segment is satisfied when its program is
#   on the allowlist, its arguments hold no hazard that the entry does not accept, and
#   whatever wraps it is trusted (R20, R21).
# schemas:
#   - input: schema.facts
package gavel.exec.segments

import data.gavel.exec.allowlist
import data.gavel.exec.environment
import data.gavel.exec.hazards
import data.gavel.exec.links
import data.gavel.exec.programs
import data.gavel.exec.safebins
import data.gavel.exec.workspace
import data.gavel.exec.wrappers
import data.gavel.frozen

# METADATA
# scope: document
# description: |
#   the segment may run: its program is on the allowlist, or it is a safe bin, or a command
#   of the shell itself whose words were understood
satisfied(segment) if on_allowlist(segment)

satisfied(segment) if safe(segment)

satisfied(segment) if _own_command(segment)

# METADATA
# description: |
#   the segment's program is on the list, and is none that runs others; its entry accepts
#   the arguments, and every wrapper around it is trusted
on_allowlist(segment) if {
	segment.executable.found == true
	not programs.opaque(segment)
	found := allowlist.entry(segment)
	found.found == true
	not blanket_script(segment, found)
	hazards.accepted(segment, found)
	literal(segment, found)
	wrappers.carried(segment)
}

# METADATA
# description: the segment is a safe bin, and whatever wraps it is trusted
safe(segment) if {
	safebins.satisfied(segment)
	not programs.opaque(segment)
	wrappers.carried(segment)
}

# METADATA
# description: the shell does it by itself, and its words were understood
builtin(segment) if {
	data.gavel.catalog.programs.builtins[segment.builtin]
	segment.opaque == ""
	segment.hazards == []
}

# A command of the shell whose words were understood runs no program by itself.
_own_command(segment) if {
	builtin(segment)
	stays(segment)
	wrappers.carried(segment)
}

# METADATA
# scope: document
# description: |
#   words that are made at run time may be arguments of a program that neither shows nor
#   changes what they name, and of one whose entry takes any argument. Where substitutions
#   are opened one that only shows it takes them as well (EXEC-11, R19)
literal(segment, _) if segment.dynamic == []

literal(segment, _) if {
	count(segment.dynamic) > 0
	not _reads(segment)
	not _changes(segment)
}

# A word that is written but for the number of a process names a file like any other:
# which number it is chooses none that the word as it is written does not show.
literal(segment, _) if {
	count(segment.dynamic) > 0
	every i in segment.dynamic { _written(segment, i) }
}

literal(segment, entry) if {
	is_array(segment.dynamic)
	"any" in entry.args
}

literal(segment, _) if {
	is_array(segment.dynamic)
	frozen.result.exec.constructs.substitution.value == data.gavel.catalog.exec.constructs.substitution
	not _changes(segment)
}

# What the text itself gives a variable was looked at in its place.
_written(segment, i) if i in segment.numbered

_written(segment, i) if {
	some word in segment.made
	word.index == i
	word.known == true
}

_reads(segment) if {
	some name in segment.executable.programs
	data.gavel.catalog.programs.shows_files[name]
	not _only_prints(segment, name)
}

# It prints its words and reads no file, and they are variables of the script. Those of the
# environment may be secrets: their names are capitals, and what a variable is given at run
# time may come from there.
_only_prints(segment, name) if {
	data.gavel.catalog.programs.prints_its_words[name]
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
	data.gavel.catalog.programs.changes_files[name]
}

# METADATA
# scope: document
# description: cd stays in the workspace, or leads where files may be read
stays(segment) if not segment.builtin == "cd"

stays(segment) if {
	links.known(segment.after, segment.directory)
	workspace.inside(segment.directory)
}

# Nothing runs behind it, and nothing runs again.
stays(segment) if {
	every other in input.exec.segments { _before(other, segment) }
	every construct in input.exec.constructs { not construct.kind == "compound" }
}

_before(other, segment) if other == segment

_before(other, segment) if other.end < segment.start

# METADATA
# description: a bare * is any program that exists; a file of commands that a shell is given is none
blanket_script(segment, found) if {
	some script in segment.scripts
	not programs.specific(found)
	not _elsewhere(segment, script)
}

# The file is another one than the program, which only reads it.
_elsewhere(segment, script) if {
	is_string(script.real)
	not script.real == segment.executable.real
}
