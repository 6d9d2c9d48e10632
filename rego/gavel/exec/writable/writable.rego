# METADATA
# title: Where a command may write
# description: |
#   The part of tools.write that a kernel can enforce: the directories and files to which a
#   command may write, for a PEP that confines it. A pattern that is neither a whole directory nor
#   a single file is left out, which is stricter; a deny pattern inside a permitted directory
#   cannot be enforced this way. Both are listed as inexact.
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

# Every list must permit the path, so a path counts only if each list has it or a directory above
# it.
_under contains path if {
	some list in _lists
	some path in _paths(list)
	every other in _lists { _covered(path, _paths(other)) }
	not _closed(path)
}

_closed(path) if {
	some pattern in _denied
	_within(path, _path_of(pattern))
}

_inexact contains pattern if {
	some list in _lists
	some pattern in list.patterns
	not _path_of(pattern)
}

_inexact contains pattern if {
	some pattern in _denied
	not _path_of(pattern)
}

_inexact contains pattern if {
	some pattern in _denied
	_covered(_path_of(pattern), _under)
}

_paths(list) := {_path_of(pattern) | some pattern in list.patterns}

_covered(path, paths) if {
	some outer in paths
	_within(path, outer)
}

_within(path, outer) if patterns.within(path, outer)

_within(_, "/")

# The directory that a pattern permits as a whole, or the file that it names.
_path_of(pattern) := path if {
	plain := trim_suffix(_absolute(pattern), "/**")
	not regex.match(`[*?]`, plain)
	path := _or_root(plain)
}

_or_root("") := "/"

_or_root(path) := path if path != ""

_absolute("**") := "/**"

_absolute(pattern) := pattern if startswith(pattern, "/")

_absolute(pattern) := concat("", [input.environment.home, substring(pattern, 1, -1)]) if {
	startswith(pattern, "~/")
	_directory(input.environment.home)
}

_absolute(pattern) := concat("", [patterns.workspace, substring(pattern, 1, -1)]) if {
	startswith(pattern, "./")
	_directory(patterns.workspace)
}

_directory(path) if {
	startswith(path, "/")
	path != "/"
}
