# METADATA
# title: Wrappers
# description: |
#   Whether whatever is around a program, such as env, timeout or a shell, is trusted
#   to run it (R21, R22).
# schemas:
#   - input: schema.facts
package gavel.exec.wrappers

import data.gavel.exec.allowlist
import data.gavel.exec.hazards
import data.gavel.exec.programs

# METADATA
# scope: document
# description: nothing wraps the segment, or everything that does is trusted
carried(segment) if segment.wrappers == []

carried(segment) if {
	is_array(segment.wrappers)
	every wrapper in segment.wrappers { trusted(wrapper) }
}

# METADATA
# description: somebody vouches for the wrapper, and its own words hold no hazard
trusted(wrapper) if {
	vouched(wrapper)
	hazards.accepted(wrapper, allowlist.entry(wrapper))
}

# METADATA
# scope: document
# description: |
#   the wrapper is where only root can put one, or on the list. Of some kinds no
#   directory vouches for one (R22): those that raise rights must be on the list.
vouched(wrapper) if {
	wrapper.kind in data.gavel.catalog.exec.trusted_kinds
	programs.unalterable(wrapper.executable)
}

# No file is behind a command of the shell itself.
vouched(wrapper) if {
	wrapper.kind == "builtin"
	wrapper.executable.found == false
	data.gavel.catalog.programs.shell_wrappers[wrapper.executable.name]
}

vouched(wrapper) if {
	wrapper.executable.found == true
	found := allowlist.entry(wrapper)
	found.found == true
	not _blanket(wrapper, found)
}

# A bare * says nothing about raising rights: that takes an entry that names it.
_blanket(wrapper, found) if {
	not programs.specific(found)
	not wrapper.kind in data.gavel.catalog.exec.trusted_kinds
}
