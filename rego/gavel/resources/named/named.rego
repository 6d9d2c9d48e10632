# METADATA
# title: Files that other tools name
# description: |
#   The lists of files, for files in the parameters of tools that are not file tools: the
#   attachment of a message, the path for a tool of an MCP server. A deny list holds for every
#   such tool; an allow list, for those that are known to read files of this machine (FILES-1).
# schemas:
#   - input: schema.facts
package gavel.resources.named

import data.gavel.frozen
import data.gavel.reason
import data.gavel.resources.lists

# METADATA
# title: Tool names a denied file
# description: a deny list names a file in the parameters of a tool that is not a file tool
# custom:
#   code: resources.named_denied
#   message: '%s would use %s, which is on a deny list for %s access'
#   fix: 'use another file, or change %s'
deny contains reason.fixed(rego.metadata.rule(), [input.tool.name, file.given, access], [verdict.path], {"path": verdict.path}) if {
	some file in input.namedFiles
	some access in _accesses(file)
	some verdict in _verdicts(access, file)
	verdict.verdict == "denied"
}

# METADATA
# title: Tool names an unlisted file
# description: an allow list is set, and does not name a file that the tool would read
# custom:
#   code: resources.named_unlisted
#   message: '%s would read %s, which no allow list permits'
#   fix: 'use a file that the list names, or add this one to %s'
deny contains reason.fixed(rego.metadata.rule(), [input.tool.name, file.given], [_allow_path], {"path": _allow_path}) if {
	some file in input.namedFiles
	_attached(file)
	data.gavel.resources.limited("read")
	data.gavel.resources.file_verdict("read", file.real).verdict in {"unlisted", "unknown"}
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: no list denies a file that the tool names
permit if {
	is_array(input.namedFiles)
	count(deny) == 0
	every file in input.namedFiles {
		is_string(file.real)
		is_string(file.path)
		is_boolean(file.absolute)
		file.access in {"read", "write"}
	}
}

# METADATA
# scope: document
# description: lists of files may concern the call, or it is unknown whether they do
default concerns := true

concerns := false if input.namedFiles == []

concerns := false if frozen.result.files == lists.none

# What a tool does to the file is unknown, unless it only reads.
_accesses(file) := {"read"} if {
	file.access == "read"
} else := {"read", "write"}

# The verdicts on the file as it is named, and where links lead.
_verdicts(access, file) := {data.gavel.resources.file_verdict(access, place) | some place in {file.path, file.real}; place != ""}

_attached(file) if {
	input.tool.name in data.gavel.catalog.attaching
	not file.absolute == false
}

_allow_path := "tools.read.allow"
