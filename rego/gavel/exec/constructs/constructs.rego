# METADATA
# title: Shell constructs
# description: |
#   Redirections, here-documents, substitutions and compound commands are denied unless a
#   setting opens their kind; then they are judged by what they do (R19). Commands inside a
#   construct are segments like any other. The file of a redirection is judged as a read or a
#   write.
# schemas:
#   - input: schema.facts
package gavel.exec.constructs

import data.gavel.exec.links
import data.gavel.exec.refusal
import data.gavel.exec.system
import data.gavel.frozen
import data.gavel.reason
import data.gavel.resources
import data.gavel.resources.lists

# METADATA
# description: |
#   a setting opens every construct, and every redirection is harmless, targets a descriptor,
#   or targets a file that may be read or written that way
accepted if {
	is_array(input.exec.constructs)
	is_array(input.exec.redirects)
	count(_redirections) == count(input.exec.redirects)
	every construct in input.exec.constructs { _construct_accepted(construct) }
	every redirect in input.exec.redirects { _redirect_accepted(redirect) }
}

# METADATA
# description: |
#   a person may decide about whatever is not accepted: no construct is forbidden, and none is
#   missing from the facts
answerable if {
	is_array(input.exec.constructs)
	is_array(input.exec.redirects)
	count(_redirections) == count(input.exec.redirects)
	count(closed) == 0
	every construct in input.exec.constructs { _construct_answerable(construct) }
	every redirect in input.exec.redirects { _redirect_answerable(redirect) }
}

_construct_answerable(construct) if _construct_accepted(construct)

_construct_answerable(construct) if _mode(construct.kind) == "ask"

_redirect_answerable(redirect) if _redirect_accepted(redirect)

_redirect_answerable(redirect) if {
	not redirect.operator in _heredoc_operators
	_mode("redirect") == "ask"
}

_redirect_answerable(redirect) if {
	_mode("redirect") == "paths"
	count(_accesses(redirect)) > 0
}

# Every redirection and here-document is a construct too.
_redirections contains i if {
	some i, construct in input.exec.constructs
	construct.kind in {"redirect", "heredoc"}
}

# METADATA
# description: constructs that no setting opens, even for a person
closed contains reason.placed(_closed(construct), construct) if {
	some construct in input.exec.constructs
	not _construct_accepted(construct)
	not _mode(construct.kind) == "ask"
}

# METADATA
# description: a file on a deny list stays closed, even for a person
closed contains reason.placed(_denied_file(redirect, access, verdict.path), redirect) if {
	some redirect in input.exec.redirects
	_judged_by_lists(redirect)
	some access in _accesses(redirect)
	verdict := resources.file_verdict(access, redirect.real)
	verdict.verdict == "denied"
}

# The advice is the setting that opens least.
_closed(construct) := refusal.closed_harmless(construct.construct, construct.start) if {
	_construct_harmless(construct)
} else := refusal.closed(construct.kind, construct.construct, construct.start)

# METADATA
# description: constructs that a person may decide about
misses contains reason.placed(_answer_needed(construct), construct) if {
	some construct in input.exec.constructs
	not _construct_accepted(construct)
	_mode(construct.kind) == "ask"
}

# METADATA
# description: files that no allow list names, which a person may decide about
misses contains reason.placed(_unlisted_file(redirect, access, verdict.path), redirect) if {
	some redirect in input.exec.redirects
	_judged_by_lists(redirect)
	some access in _accesses(redirect)
	verdict := resources.file_verdict(access, _known_path(redirect))
	verdict.verdict in {"unlisted", "unknown"}
}

# METADATA
# title: Construct needs an answer
# description: a setting requires a person's answer for this kind of construct (R19)
# custom:
#   code: exec.construct_ask
#   message: '%s needs a person''s answer (at byte %d)'
#   fix: 'leave it out, or set %s'
_answer_needed(construct) := reason.fixed(
	rego.metadata.rule(),
	[construct.construct, construct.start],
	[_opened_by(construct)],
	_source(_setting(construct.kind)),
)

# The setting that opens least.
_opened_by(construct) := sprintf("%s to allow", [frozen.result.exec.harmless.path]) if {
	_construct_harmless(construct)
} else := _setting(construct.kind).path

# METADATA
# title: Redirected file is denied
# description: a deny list names the file (FILES-1)
# custom:
#   code: exec.redirect_denied
#   message: 'the redirection %s would %s %s, which is denied (at byte %d)'
#   fix: 'use another file, or change %s'
_denied_file(redirect, access, path) := reason.fixed(
	rego.metadata.rule(),
	[redirect.operator, access, redirect.real, redirect.start],
	[path],
	{"path": path},
)

# METADATA
# title: Redirected file is not listed
# description: no allow list names the file, or it is unknown which file it is
# custom:
#   code: exec.redirect_unlisted
#   message: 'the redirection %s would %s %s, which no allow list permits (at byte %d)'
#   fix: '%s'
#   advises: 'add the file to the list, use a file that it names, or write the whole path'
_unlisted_file(redirect, access, path) := reason.fixed(
	rego.metadata.rule(),
	[redirect.operator, access, _file_shown(redirect), redirect.start],
	[_unlisted_fix(redirect, path)],
	{"path": path},
)

# A list has files, and no words that only the shell can read.
_unlisted_fix(redirect, path) := sprintf("use a file that %s names; this one belongs to the system or to other people", [path]) if {
	redirect.writes == true
	system.file(_known_path(redirect))
} else := lists.naming(redirect.real, path) if {
	_known_path(redirect) != ""
} else := sprintf("write the whole path of a file that %s lists, without .. and variables", [path]) if {
	redirect.real == ""
} else := sprintf("do the redirection in a command before those, to a file that %s lists", [path])

_file_shown(redirect) := redirect.real if {
	_known_path(redirect) != ""
} else := sprintf("%s, after commands that may replace it with a link", [redirect.target]) if {
	redirect.real != ""
} else := redirect.target

# After a command that may change where paths lead, cannot tell which file it is.
_known_path(redirect) := redirect.real if {
	links.unchanged(redirect, redirect.real)
} else := ""

# A construct is accepted when its kind is open. Harmless redirections have a setting of their
# own; they are recognised by their position.
_construct_accepted(construct) if _mode(construct.kind) == data.gavel.catalog.exec.constructs[construct.kind]

_construct_accepted(construct) if {
	frozen.result.exec.harmless.value == "allow"
	_construct_harmless(construct)
}

_construct_harmless(construct) if {
	construct.kind == "redirect"
	[construct.start, construct.end] in _harmless_positions
	not construct.start in _harmful_starts
}

# Where the redirections are that harmlessRedirects opens.
_harmless_positions := {[redirect.start, redirect.end] |
	some redirect in input.exec.redirects
	harmless(redirect)
}

# Inside a wrapper, all redirections have the position of the wrapper.
_harmful_starts := {redirect.start |
	some redirect in input.exec.redirects
	not harmless(redirect)
}

_redirect_accepted(redirect) if redirect.operator in _heredoc_operators

_redirect_accepted(redirect) if _accepted_as_harmless(redirect)

_redirect_accepted(redirect) if {
	_mode("redirect") == "paths"
	redirect.reads == false
	redirect.writes == false
}

_redirect_accepted(redirect) if {
	_mode("redirect") == "paths"
	count(_accesses(redirect)) > 0
	every access in _accesses(redirect) {
		resources.file_verdict(access, _known_path(redirect)).verdict == "allowed"
	}
}

# The file matters where its kind is open and nothing else accepts the redirection.
_judged_by_lists(redirect) if {
	_mode("redirect") == "paths"
	not _accepted_as_harmless(redirect)
}

_accepted_as_harmless(redirect) if {
	frozen.result.exec.harmless.value == "allow"
	harmless(redirect)
}

# METADATA
# description: the redirection is one of those that harmlessRedirects opens
harmless(redirect) if {
	some known in data.gavel.catalog.exec.harmless_redirects
	redirect.operator == known.operator
	redirect.descriptor in known.descriptors
	redirect.target == known.target
	redirect.dynamic == false
}

_heredoc_operators := {"<<", "<<-", "<<<"}

_accesses(redirect) := {access |
	some access, does in {"read": redirect.reads, "write": redirect.writes}
	does == true
}

_mode(kind) := _setting(kind).value

_setting(kind) := frozen.result.exec.constructs[kind]

_source(setting) := {"path": setting.path, "from": setting.from}
