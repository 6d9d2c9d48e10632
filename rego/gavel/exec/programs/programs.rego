# METADATA
# title: Programs
# description: |
#   Properties of a program that do not depend on a list: whether anybody but root could
#   replace it, and whether it runs other programs.
# schemas:
#   - input: schema.facts
package gavel.exec.programs

import data.gavel.exec.allowlist
import data.gavel.frozen
import data.gavel.resources.patterns

# METADATA
# description: |
#   the program's real path is in a trusted directory, and only root can replace it (R21,
#   R28). If a gateway claimed the program, nothing is known that contradicts this.
unalterable(executable) if {
	executable.found == true
	executable.writable == []
	some directory in data.gavel.catalog.exec.trusted_directories
	within := sprintf("%s/", [directory])
	startswith(executable.real, within)
	not contains(trim_prefix(executable.real, within), "/")
}

# METADATA
# scope: document
# description: |
#   the program was found by its name in a directory that the configuration trusts. What is in the
#   workspace an agent may write, so that it counts only where the configuration says so, and where
#   the workspace is has to be known
in_trusted_directory(executable) if {
	_in(executable, "")
	every path in [executable.path, executable.real] { _outside(path) }
}

in_trusted_directory(executable) if _in(executable, "./")

_in(executable, root) if {
	executable.found == true
	_base(executable.path) == executable.name
	some directory in frozen.result.exec.trusted_dirs
	startswith(directory, root)
	patterns.matches(sprintf("%s/*", [directory]), executable.path, input.environment.home)
}

_outside(path) if {
	startswith(patterns.here, "/")
	not patterns.within(path, patterns.here)
}

_base(path) := parts[count(parts) - 1] if parts := split(path, "/")

# METADATA
# scope: document
# description: |
#   the program runs other programs, or changes what the next command means. A wrapper whose
#   words were understood is not a segment; a wrapper that is a segment was not unwrapped.
opaque(segment) if not segment.opaque == ""

opaque(segment) if runs_others(segment)

opaque(segment) if loose_link(segment)

# METADATA
# scope: document
# description: the program runs other programs, or nobody observed which program it is
runs_others(segment) if {
	some name in segment.executable.programs
	_opaque(name)
	not _query(segment)
}

runs_others(segment) if not _named(segment.executable)

# METADATA
# description: |
#   for a link whose name decides what the program does, either a trusted directory or an
#   entry that names the link (R45); a bare * is neither
loose_link(segment) if {
	not segment.executable.link == ""
	not unalterable(segment.executable)
	not in_trusted_directory(segment.executable)
	not _named_by(allowlist.entry(segment))
}

_named(executable) if is_array(executable.programs)

_named_by(found) if {
	found.found == true
	specific(found)
}

# command -v says what a name is, and sh -n FILE whether a script can be read. They run nothing.
_query(segment) if {
	not 1 in segment.dynamic
	_by_its_name(segment.executable)
	segment.argv[1] in data.gavel.catalog.programs.wrappers[segment.executable.name].queries
}

_by_its_name(executable) if executable.realName == executable.name

_by_its_name(executable) if executable.realName in data.gavel.catalog.programs.wrappers[executable.name].real_names

_opaque(name) if _carries(name)

# A name that begins like one of these counts as one, whatever follows: sudo-rs, and
# ld-2.31.so.
_opaque(name) if {
	regex.match(`[0-9._-]`, name)
	_carries(regex.find_n(`^[a-z]+`, name, 1)[0])
}

_carries(name) if data.gavel.catalog.programs.wrappers[name]

_carries(name) if data.gavel.catalog.programs.opaque[name]

# METADATA
# description: the entry names the program; a bare * matches any program that exists
specific(found) if {
	is_string(found.pattern)
	not found.pattern == "*"
}

# METADATA
# description: the program runs code that it is given; python3.12 and node20 count as python and node
interpreter(executable) if {
	some name in executable.programs
	data.gavel.catalog.programs.interpreters[name]
}

# METADATA
# description: names of shell builtins
shell_commands := object.keys(data.gavel.catalog.programs.shell_words)

# METADATA
# description: |
#   how the program leaves files out of a search, a form for sprintf: leaves_out is the table
#   for files, leaves_out_directories the one for directories
leaves_out(executable, table) := [form |
	some name in executable.programs
	form := data.gavel.catalog.programs[table][name]
][0]
