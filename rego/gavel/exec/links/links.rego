# METADATA
# title: Links
# description: |
#   Paths are resolved before anything runs. After a command that may create, move or remove
#   links, a path may lead elsewhere, unless the configuration says that nobody makes links
#   there (tools.exec.noLinks).
# schemas:
#   - input: schema.facts
package gavel.exec.links

import data.gavel.frozen
import data.gavel.resources.patterns

# METADATA
# scope: document
# description: the path still leads where it led when it was resolved
known(after, real) if {
	after == false
	is_string(real)
}

known(_, real) if {
	some pattern in frozen.result.exec.no_links.value
	patterns.matches(pattern, real, input.environment.home)
}
