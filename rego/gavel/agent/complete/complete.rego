# METADATA
# title: Complete facts
# description: Which of the facts that every call has are missing from this input.
package gavel.agent.complete

import data.gavel.exec.commands

# METADATA
# scope: document
# description: |
#   facts that every input must have, and that are missing or null here. The list is generated
#   from the Go structs (make generate). The input of a snapshot comes from these structs, so only
#   facts from elsewhere can lack one.
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

# A call without a tool name lacks that fact, and is denied anyway.
_credential if input.tool.name == "credential"

_lacks(value, path) if object.get(value, split(path, "."), null) == null
