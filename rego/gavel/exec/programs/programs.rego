# METADATA
# title: Programs
# description: |
#   Properties of a program that do not depend on a list: whether only root can replace it, and
#   whether it runs other programs.
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
only_root_can_replace(executable) if {
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
#   the program was found by its name in a directory that the configuration trusts. Agents may
#   write to the workspace, so a directory in it counts only if the configuration names it with
#   ./, and the workspace must be known
in_trusted_directory(executable) if {
	_in_configured_directory(executable, "")
	every path in [executable.path, executable.real] { _outside_workspace(path) }
}

in_trusted_directory(executable) if _in_configured_directory(executable, "./")

_in_configured_directory(executable, root) if {
	executable.found == true
	_base_name(executable.path) == executable.name
	some directory in frozen.result.exec.trusted_dirs
	startswith(directory, root)
	patterns.matches(sprintf("%s/*", [directory]), executable.path, input.environment.home)
}

_outside_workspace(path) if {
	startswith(patterns.workspace, "/")
	not patterns.within(path, patterns.workspace)
}

_base_name(path) := parts[count(parts) - 1] if parts := split(path, "/")

# METADATA
# scope: document
# description: |
#   the program runs other programs, or changes what the next command means. A wrapper whose
#   words were understood is not a segment; a wrapper that is a segment was not unwrapped.
opaque(segment) if not segment.opaque == ""

opaque(segment) if runs_other_programs(segment)

opaque(segment) if untrusted_link(segment)

# METADATA
# scope: document
# description: the program runs other programs, or it was not observed which program it is
runs_other_programs(segment) if {
	some name in segment.executable.programs
	_opaque(name)
	not _only_queries(segment)
}

runs_other_programs(segment) if not _identified(segment.executable)

# METADATA
# description: |
#   the program was called by a link whose name decides what it does, the link is not in a trusted
#   directory, and no entry names it (R45); a bare * names nothing
untrusted_link(segment) if {
	not segment.executable.link == ""
	not only_root_can_replace(segment.executable)
	not in_trusted_directory(segment.executable)
	not _named_by_entry(allowlist.entry(segment))
}

_identified(executable) if is_array(executable.programs)

_named_by_entry(entry) if {
	entry.found == true
	names_a_program(entry)
}

# command -v shows what a name stands for, and sh -n FILE whether a script can be parsed. They run
# nothing.
_only_queries(segment) if {
	not 1 in segment.dynamic
	_called_by_its_own_name(segment.executable)
	segment.argv[1] in data.gavel.catalog.programs.wrappers[segment.executable.name].queries
}

_called_by_its_own_name(executable) if executable.realName == executable.name

_called_by_its_own_name(executable) if executable.realName in data.gavel.catalog.programs.wrappers[executable.name].real_names

_opaque(name) if _runs_commands(name)

# A name with a suffix counts as the program that it begins with: sudo-rs, and ld-2.31.so.
_opaque(name) if {
	regex.match(`[0-9._-]`, name)
	_runs_commands(regex.find_n(`^[a-z]+`, name, 1)[0])
}

_runs_commands(name) if data.gavel.catalog.programs.wrappers[name]

_runs_commands(name) if data.gavel.catalog.programs.opaque[name]

# METADATA
# description: the entry names the program; a bare * matches any program that exists
names_a_program(entry) if {
	is_string(entry.pattern)
	not entry.pattern == "*"
}

# METADATA
# description: the program runs code that it is given; python3.12 and node20 count as python and node
interpreter(executable) if {
	some name in executable.programs
	data.gavel.catalog.programs.interpreters[name]
}

# METADATA
# description: names of shell builtins
shell_builtins := object.keys(data.gavel.catalog.programs.shell_words)

# METADATA
# description: |
#   the option that leaves a file out of a search, as a format for sprintf; table is leaves_out
#   for files and leaves_out_directories for directories
exclude_option(executable, table) := [form |
	some name in executable.programs
	form := data.gavel.catalog.programs[table][name]
][0]

# METADATA
# description: the command takes files into a repository that git does not ignore, as git add does
takes_in(segment) if {
	some name in segment.executable.programs
	segment.subCommand in data.gavel.catalog.programs.takes_in[name]
}
