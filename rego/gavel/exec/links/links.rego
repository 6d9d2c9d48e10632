# METADATA
# title: Links
# description: |
#   Where a path leads was looked up before anything ran. After a command that may make,
#   move or remove links it may lead elsewhere, unless the configuration says that nobody
#   makes links there (tools.exec.noLinks).
# schemas:
#   - input: schema.facts
package gavel.exec.links

import data.gavel.frozen
import data.gavel.resources

# METADATA
# scope: document
# description: the path still leads where it led when it was looked up
known(after, real) if {
	after == false
	is_string(real)
}

known(_, real) if {
	some pattern in frozen.result.exec.no_links.value
	resources.matches(pattern, real, input.environment.home)
}
