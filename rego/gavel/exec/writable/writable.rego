# METADATA
# title: Where a command may write
# description: |
#   What of tools.write a kernel can hold: the directories and files to which a command may write,
#   for a PEP that limits it. A pattern that is not a whole directory and no single file is left out,
#   which is stricter; a deny pattern inside a permitted directory is not held. Both are named.
# schemas:
#   - input: schema.facts
package gavel.exec.writable

import data.gavel.frozen
import data.gavel.resources.patterns

# METADATA
# scope: document
# description: undefined if no allow list of tools.write is set for the agent
result := {"under": sort(_under), "inexact": sort(_inexact)} if count(_lists) > 0

_lists := frozen.result.files.write.allow

_denied contains pattern if {
	some list in frozen.result.files.write.deny
	some pattern in list.patterns
}

# Every list must permit, so that a place counts that lies in one place of each.
_under contains place if {
	some list in _lists
	some place in _places(list)
	every other in _lists { _covered(place, _places(other)) }
	not _closed(place)
}

_closed(place) if {
	some pattern in _denied
	_within(place, _place(pattern))
}

_inexact contains pattern if {
	some list in _lists
	some pattern in list.patterns
	not _place(pattern)
}

_inexact contains pattern if {
	some pattern in _denied
	not _place(pattern)
}

_inexact contains pattern if {
	some pattern in _denied
	_covered(_place(pattern), _under)
}

_places(list) := {_place(pattern) | some pattern in list.patterns}

_covered(place, places) if {
	some outer in places
	_within(place, outer)
}

_within(place, outer) if patterns.within(place, outer)

_within(_, "/")

# The directory that a pattern permits as a whole, or the file that it names.
_place(pattern) := place if {
	plain := trim_suffix(_rooted(pattern), "/**")
	not regex.match(`[*?]`, plain)
	place := _root(plain)
}

_root("") := "/"

_root(path) := path if path != ""

_rooted("**") := "/**"

_rooted(pattern) := pattern if startswith(pattern, "/")

_rooted(pattern) := concat("", [input.environment.home, substring(pattern, 1, -1)]) if {
	startswith(pattern, "~/")
	_directory(input.environment.home)
}

_rooted(pattern) := concat("", [patterns.here, substring(pattern, 1, -1)]) if {
	startswith(pattern, "./")
	_directory(patterns.here)
}

_directory(path) if {
	startswith(path, "/")
	path != "/"
}
