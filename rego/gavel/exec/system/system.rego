# METADATA
# title: Files of the system
# description: |
#   Which commands would change files of the system or of other people. A person may agree to one
#   of them, and no advice is given that would permit it. This is advice: no decision depends on it.
# schemas:
#   - input: schema.facts
package gavel.exec.system

import data.gavel.catalog
import data.gavel.resources.patterns

# METADATA
# scope: document
# description: one of these hazards says that the segment or wrapper would change such a file, or it may
changed(_, found) if {
	some hazard in found
	hazard.kind == "writes"
	file(hazard.real)
}

# The path is closed, and something is written: to that path, as far as Gavel can tell.
changed(_, found) if {
	_closed(found)
	some hazard in found
	hazard.kind == "writes"
}

# It is unknown what the program does with its words.
changed(part, found) if {
	_closed(found)
	not part.optionsKnown == "exact"
}

_closed(found) if {
	some hazard in found
	hazard.kind == "reads"
	hazard.option == "closed"
}

# METADATA
# scope: document
# description: |
#   the path is in a directory of the system or of other people, or contains one, or contains the
#   home directory or the workspace
file(real) if {
	some directory in catalog.exec.system.kept
	patterns.within(real, directory)
	not _own(real)
	not real in catalog.exec.system.devices
}

file("/")

file(real) if {
	some directory in _kept
	patterns.within(directory, real)
}

_kept contains directory if some directory in catalog.exec.system.kept

_kept contains directory if some directory in _own_directories

_own(real) if {
	some directory in _own_directories
	patterns.within(real, directory)
}

_own_directories contains input.environment.home if startswith(input.environment.home, "/")

_own_directories contains patterns.workspace if startswith(patterns.workspace, "/")
