# METADATA
# title: Wrappers
# description: |
#   Whether the wrappers of a program, such as env, timeout or a shell, are trusted to run it
#   (R21, R22).
# schemas:
#   - input: schema.facts
package gavel.exec.wrappers

import data.gavel.exec.allowlist
import data.gavel.exec.hazards
import data.gavel.exec.programs
import data.gavel.exec.rules

# METADATA
# scope: document
# description: the segment has no wrapper, or all its wrappers are trusted
all_accepted(segment) if segment.wrappers == []

all_accepted(segment) if {
	is_array(segment.wrappers)
	every wrapper in segment.wrappers { accepted(wrapper) }
}

# METADATA
# description: the wrapper is trusted, and its own words contain no hazard
accepted(wrapper) if {
	trusted(wrapper)
	some found in (rules.entries(wrapper) | {allowlist.entry(wrapper)})
	hazards.accepted(wrapper, found)
}

# METADATA
# scope: document
# description: |
#   the wrapper is in a directory that only root can change or that the configuration trusts, or
#   it matches an allowlist entry.
#   Wrappers that raise rights always need an entry (R22).
trusted(wrapper) if {
	wrapper.kind in data.gavel.catalog.exec.trusted_kinds
	programs.only_root_can_replace(wrapper.executable)
}

trusted(wrapper) if {
	wrapper.kind in data.gavel.catalog.exec.trusted_kinds
	programs.in_trusted_directory(wrapper.executable)
}

# A shell builtin has no file.
trusted(wrapper) if {
	wrapper.kind == "builtin"
	wrapper.executable.found == false
	data.gavel.catalog.programs.shell_wrappers[wrapper.executable.name]
}

# That the shell reads a file itself takes a rule.
trusted(wrapper) if {
	wrapper.kind == "builtin"
	wrapper.executable.found == false
	count(rules.permitting(wrapper)) > 0
}

trusted(wrapper) if {
	wrapper.executable.found == true
	some found in rules.entries(wrapper)
	not _blanket(wrapper, found)
}

# A bare * does not cover raising rights; that takes an entry that names the program.
_blanket(wrapper, found) if {
	not programs.names_a_program(found)
	not wrapper.kind in data.gavel.catalog.exec.trusted_kinds
}
