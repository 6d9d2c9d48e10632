# METADATA
# title: Segments
# description: |
#   Whether each segment of a command may run. A segment is satisfied if its program matches
#   an allowlist entry, the entry accepts its arguments, and its wrappers are trusted (R20,
#   R21).
# schemas:
#   - input: schema.facts
package gavel.exec.segments

import data.gavel.exec.environment
import data.gavel.exec.hazards
import data.gavel.exec.links
import data.gavel.exec.programs
import data.gavel.exec.rules
import data.gavel.exec.safebins
import data.gavel.exec.skills
import data.gavel.exec.workspace
import data.gavel.exec.wrappers
import data.gavel.resources

# METADATA
# scope: document
# description: |
#   the segment may run: its program matches an allowlist entry, it is a safe bin, a skill has
#   registered it, or it is a shell builtin whose words were understood
satisfied(segment) if on_allowlist(segment)

satisfied(segment) if safe(segment)

satisfied(segment) if skills.satisfied(segment)

satisfied(segment) if _harmless_builtin(segment)

# METADATA
# description: |
#   the segment's program matches an entry and does not run others; the entry accepts the
#   arguments, and every wrapper is trusted
on_allowlist(segment) if {
	segment.executable.found == true
	not programs.opaque(segment)
	some entry in rules.entries(segment)
	not script_under_wildcard(segment, entry)
	hazards.accepted(segment, entry)
	accepts_dynamic_words(segment, entry)
	wrappers.all_accepted(segment)
}

# METADATA
# description: the segment is a safe bin, and its wrappers are trusted
safe(segment) if {
	safebins.satisfied(segment)
	not programs.opaque(segment)
	wrappers.all_accepted(segment)
}

# METADATA
# description: a shell builtin whose words were understood; it shows nothing of the files that they name
builtin(segment) if {
	data.gavel.catalog.programs.builtins[segment.builtin]
	segment.opaque == ""
	is_array(segment.hazards)
	every hazard in segment.hazards { hazard.kind == "elsewhere" }
}

# A shell builtin whose words were understood runs no program.
_harmless_builtin(segment) if {
	builtin(segment)
	directory_accepted(segment)
	wrappers.all_accepted(segment)
}

# METADATA
# scope: document
# description: |
#   words produced at run time may be arguments of a program that neither shows nor changes
#   the files that they name, and of one whose entry accepts any argument. Where substitutions
#   are open, a program may print them, and may be given patterns of file names (EXEC-11, R19).
accepts_dynamic_words(segment, _) if segment.dynamic == []

accepts_dynamic_words(segment, _) if {
	count(segment.dynamic) > 0
	not _shows_files(segment)
	not _changes_files(segment)
}

# In such a word only the PID is unknown, so it names a file like any other: the PID cannot
# lead to a file that the rest of the word does not show.
accepts_dynamic_words(segment, _) if {
	count(segment.dynamic) > 0
	every i in segment.dynamic { _known_word(segment, i) }
}

accepts_dynamic_words(segment, entry) if {
	is_array(segment.dynamic)
	"any" in entry.args
}

accepts_dynamic_words(segment, _) if {
	is_array(segment.dynamic)
	environment.substitutions_open
	not _changes_files(segment)
	every i in segment.dynamic { _harmless_word(segment, i) }
}

# Where no list limits what may be read, it does not matter which file a word names.
accepts_dynamic_words(segment, _) if {
	is_array(segment.dynamic)
	environment.substitutions_open
	not resources.restricted("read")
	not _changes_files(segment)
}

# Patterns of file names, in which nothing else is produced at run time.
accepts_dynamic_words(segment, _) if {
	is_array(segment.dynamic)
	environment.substitutions_open
	every i in segment.dynamic { i in segment.patterns }
}

# A program that prints its words may be given any, because what made them has been judged: the
# commands inside substitutions, and the variables that the text uses.
_harmless_word(segment, _) if {
	some name in segment.executable.programs
	data.gavel.catalog.programs.prints_its_words[name]
}

_harmless_word(segment, i) if _known_word(segment, i)

_harmless_word(segment, i) if i in segment.patterns

# Values that the text itself gives to variables were checked where they are assigned.
_known_word(segment, i) if i in segment.numbered

# A path below the home directory, which no text can change.
_known_word(segment, i) if {
	i in segment.homed
	startswith(input.environment.home, "/")
}

_known_word(segment, i) if {
	some word in segment.made
	word.index == i
	word.known == true
}

_shows_files(segment) if {
	some name in segment.executable.programs
	data.gavel.catalog.programs.shows_files[name]
	not _only_prints(segment, name)
}

# The program prints its words and reads no file, and the words are variables of the script.
# Environment variables may hold secrets; their names are in capitals, and a value produced at
# run time may come from them.
_only_prints(segment, name) if {
	data.gavel.catalog.programs.prints_its_words[name]
	every i in segment.dynamic { _only_script_variables(segment, i) }
}

_only_script_variables(segment, i) if _known_word(segment, i)

_only_script_variables(segment, i) if {
	some word in segment.made
	word.index == i
	every variable in word.variables { environment.script_variable(variable) }
}

_changes_files(segment) if {
	some name in segment.executable.programs
	data.gavel.catalog.programs.changes_files[name]
}

# METADATA
# scope: document
# description: cd stays in the workspace, or leads to a directory where files may be read
directory_accepted(segment) if not segment.builtin == "cd"

directory_accepted(segment) if {
	links.unchanged(segment, segment.directory)
	workspace.inside(segment.directory)
}

# Nothing runs after it, and nothing runs repeatedly.
directory_accepted(segment) if {
	every other in input.exec.segments { _ends_before(other, segment) }
	every construct in input.exec.constructs { not construct.kind == "compound" }
}

_ends_before(other, segment) if other == segment

_ends_before(other, segment) if other.end < segment.start

# METADATA
# description: a bare * matches any program that exists, but not a script that a shell is given
script_under_wildcard(segment, entry) if {
	some script in segment.scripts
	not programs.names_a_program(entry)
	not _separate_file(segment, script)
}

# The script is a file other than the program, and the program only reads it.
_separate_file(segment, script) if {
	is_string(script.real)
	not script.real == segment.executable.real
}
