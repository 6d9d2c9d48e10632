# METADATA
# title: Settings for a call
# description: |
#   The settings and list entries, other than rules about commands, that would permit a refused
#   call: constructs, files, directories, variables, hosts and tools.
# schemas:
#   - input: schema.facts
package gavel.change.settings

import data.gavel.decision
import data.gavel.exec.constructs
import data.gavel.exec.environment
import data.gavel.exec.system
import data.gavel.frozen
import data.gavel.resources.patterns
import data.gavel.resources.web
import data.gavel.tools.pipeline

# METADATA
# description: a setting for each kind of construct that is closed
edits contains _open_construct(kind) if some kind in _closed_kinds

# METADATA
# description: harmless redirections have a setting of their own
edits contains _set(frozen.result.exec.harmless.path, "allow", "2>&1 and redirections to and from /dev/null, in every command") if {
	_harmless_only
	not frozen.result.exec.harmless.value == "allow"
}

# METADATA
# description: the setting for words that are produced at run time, if a program shows the file that such a word names
edits contains _open_construct("substitution") if {
	"exec.dynamic" in _codes
	not frozen.result.exec.constructs.substitution.value == data.gavel.catalog.exec.constructs.substitution
}

# METADATA
# description: the file of a redirection that no allow list names
edits contains _file_edit(list, access, redirect.real) if {
	"exec.redirect_unlisted" in _codes
	some redirect in input.exec.redirects
	not constructs.harmless(redirect)
	some access in _accesses(redirect)
	some list in _lists(access, redirect.real)
}

# METADATA
# description: the file that a program writes and that no allow list names
edits contains _file_edit(list, "write", hazard.real) if {
	"exec.change_unlisted" in _codes
	some segment in input.exec.segments
	some hazard in segment.hazards
	hazard.kind == "writes"
	hazard.option == "unlisted"
	some list in _lists("write", hazard.real)
}

# METADATA
# description: the file that a tool names
edits contains _file_edit(list, resource.access, resource.real) if {
	"resources.unlisted" in _codes
	some resource in input.resources
	some list in _lists(resource.access, resource.real)
}

# METADATA
# description: the directory in which a command starts
edits contains _tree_edit(list, input.exec.directory) if {
	"exec.workdir" in _codes
	input.exec.place == ""
	some list in _lists("read", input.exec.directory)
}

# METADATA
# description: the directory to which cd leads
edits contains _tree_edit(list, segment.directory) if {
	"exec.directory" in _codes
	some segment in input.exec.segments
	segment.builtin == "cd"
	segment.directory != ""
	some list in _lists("read", segment.directory)
}

# METADATA
# description: a variable, so that it may have any value
edits contains _add(frozen.result.exec.environment.path, assignment.name, admits) if {
	some assignment in environment.unaccepted
	admits := sprintf("any value of the variable %s%s", [assignment.name, _code_note(assignment.name)])
}

# METADATA
# description: a host that an allow list does not name
edits contains _add(unlisted.path, unlisted.host, sprintf("every URL of the host %s", [unlisted.host])) if {
	"resources.web_unlisted" in _codes
	some unlisted in web.missing
	regex.match(`^[A-Za-z0-9.-]+$`, unlisted.host)
}

# METADATA
# description: a tool that is in no allow list or not in the profile
edits contains _add(pipeline.where_to_add(removed), input.tool.name, sprintf("every call of the tool %s", [input.tool.name])) if {
	removed := frozen.result.tools.removed[input.tool.name]
	removed.kind in {"not_allowed", "unlisted"}
}

# METADATA
# description: files that no list should have, each {"code", "why"}
none contains {"code": code, "why": sprintf("%s is a file of the system or of other people, and no change lets an agent write it", [real])} if {
	some [code, real] in _unlisted_writes
	system.file(real)
}

_unlisted_writes contains ["exec.redirect_unlisted", redirect.real] if {
	"exec.redirect_unlisted" in _codes
	some redirect in input.exec.redirects
	redirect.writes == true
	not constructs.harmless(redirect)
	_missing("write", redirect.real)
}

_unlisted_writes contains ["exec.change_unlisted", hazard.real] if {
	"exec.change_unlisted" in _codes
	some segment in input.exec.segments
	some hazard in segment.hazards
	hazard.kind == "writes"
	hazard.option == "unlisted"
	_missing("write", hazard.real)
}

_unlisted_writes contains ["resources.unlisted", resource.real] if {
	"resources.unlisted" in _codes
	some resource in input.resources
	resource.access == "write"
	_missing("write", resource.real)
}

# Some allow list does not name the file, or there is none yet.
_missing(access, real) if count(_lists(access, real)) > 0

_codes := {r.code | some r in decision.reasons}

_set(path, value, admits) := {"op": "set", "path": path, "value": value, "admits": admits, "whom": _whom(path)}

_add(path, value, admits) := {"op": "add", "path": path, "value": value, "admits": admits, "whom": _whom(path)}

_whom(path) := "every agent" if {
	startswith(path, "tools.")
} else := "every agent without a setting of its own" if {
	startswith(path, "agents.defaults.")
} else := ""

_open_construct(kind) := _set(
	frozen.result.exec.constructs[kind].path,
	data.gavel.catalog.exec.constructs[kind],
	sprintf("%s in every command, each judged by what it does", [_kinds[kind]]),
)

_kinds := {
	"compound": "loops, conditions, groups and functions",
	"heredoc": "here-documents",
	"redirect": "redirections to and from files that tools.read and tools.write permit",
	"substitution": "substitutions",
}

_closed_kinds contains construct.kind if {
	some construct in input.exec.constructs
	frozen.result.exec.constructs[construct.kind].value == "deny"
	not _harmless(construct)
}

_harmless(construct) if {
	construct.kind == "redirect"
	_harmless_only
}

_harmless_only if {
	count(_redirects) > 0
	every redirect in _redirects { constructs.harmless(redirect) }
}

_redirects := [redirect | some redirect in input.exec.redirects; not redirect.operator in {"<<", "<<-", "<<<"}]

_accesses(redirect) := {access | some access, does in {"read": redirect.reads, "write": redirect.writes}; does == true}

# The allow lists that do not name the file. If there is none yet, the first entry limits access
# that was unlimited before ("first").
_lists(access, real) := {{"path": list.path, "first": false} |
	some list in frozen.result.files[access].allow
	not _matched(list, real)
} if {
	count(frozen.result.files[access].allow) > 0
} else := {{"path": sprintf("tools.%s.allow", [access]), "first": true}}

_matched(list, real) if {
	some pattern in list.patterns
	patterns.matches(pattern, real, input.environment.home)
}

_file_edit(list, access, real) := _add(list.path, real, sprintf("any tool or command to %s %s%s", [access, real, _limit_note(list, access)])) if {
	_literal(real)
}

_tree_edit(list, real) := _add(list.path, sprintf("%s/**", [real]), sprintf("any tool or command to read below %s%s", [real, _limit_note(list, "read")])) if {
	_literal(real)
}

_limit_note(list, access) := sprintf("; as the first entry of its list, it also limits file tools to %s nothing else", [access]) if {
	list.first
} else := ""

_literal(path) if {
	startswith(path, "/")
	not path == "/"
	not regex.match(`[*?]`, path)
}

_code_note(name) := ", and programs run or load the file that it names" if {
	data.gavel.catalog.environment.names_code[upper(name)]
} else := ""
