# METADATA
# title: Complete facts
# description: Which of the facts that every call has are missing from this input.
package gavel.agent.complete

import data.gavel.exec.commands

# METADATA
# scope: document
# description: |
#   facts that every input must have and that this one lacks, or that are null. The list is
#   made from the structs in Go (make generate). A snapshot builds its input from them, and
#   they always have all of them, so this matters for facts from elsewhere.
missing contains path if {
	not input.snapshot
	some path in data.gavel.catalog.facts.call
	_lacks(input, path)
}

missing contains path if {
	not input.snapshot
	not commands.absent
	some path in data.gavel.catalog.facts.exec
	_lacks(input, path)
}

missing contains path if {
	not input.snapshot
	_credential
	some path in data.gavel.catalog.facts.credential
	_lacks(input, path)
}

missing contains sprintf("%s[%v].%s", [list, i, path]) if {
	not input.snapshot
	some list, paths in data.gavel.catalog.facts.elements
	some i, element in object.get(input, split(list, "."), [])
	some path in paths
	_lacks(element, path)
}

missing contains sprintf("%s[%v].%s[%v].%s", [outer, i, inner, j, path]) if {
	not input.snapshot
	some outer, lists in data.gavel.catalog.facts.nested
	some i, element in object.get(input, split(outer, "."), [])
	some inner, paths in lists
	some j, one in object.get(element, inner, [])
	some path in paths
	_lacks(one, path)
}

# Without a name the call lacks that, and is denied.
_credential if input.tool.name == "credential"

_lacks(value, path) if object.get(value, split(path, "."), null) == null
