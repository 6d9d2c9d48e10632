# METADATA
# title: Files
# description: |
#   Layer 1 for tools of files, and what redirections are judged by: globs over the
#   resolved path (FILES-1). Deny wins. An allow list that is set must name
#   the file, of the agent and of everybody alike.
# schemas:
#   - input: schema.facts
package gavel.resources

import data.gavel.frozen
import data.gavel.reason
import data.gavel.resources.lists

# METADATA
# title: File is denied
# description: a deny list names the file
# custom:
#   code: resources.denied
#   message: '%s is on a deny list for %s access'
#   fix: 'use another file, or change %s'
deny contains reason.fixed(rego.metadata.rule(), [resource.real, resource.access], [verdict.path], {"path": verdict.path}) if {
	some resource in input.resources
	verdict := judged(resource.access, resource.real)
	verdict.verdict == "denied"
}

# METADATA
# title: File is not listed
# description: an allow list is set and does not name the file
# custom:
#   code: resources.unlisted
#   message: 'no allow list permits a %s of %s'
#   fix: 'add the file to %s'
deny contains reason.fixed(rego.metadata.rule(), [resource.access, resource.real], [verdict.path], {"path": verdict.path}) if {
	some resource in input.resources
	_restricted(resource.access)
	verdict := judged(resource.access, resource.real)
	verdict.verdict == "unlisted"
	_limited(resource.access)
}

# METADATA
# title: File is not known
# description: lists are set, and it cannot be said which file the tool would use
# custom:
#   code: resources.unknown
#   message: 'cannot tell which file %q is'
#   fix: give the tool an existing path, absolute or below a known working directory
deny contains reason.from(rego.metadata.rule(), [resource.given], {}) if {
	some resource in input.resources
	_restricted(resource.access)
	resource.real == ""
}

# METADATA
# title: Tool names no file
# description: lists are set, and the call of a tool of files does not say which
# custom:
#   code: resources.missing
#   message: '%s names no file'
#   fix: give the tool a path
deny contains reason.from(rego.metadata.rule(), [input.tool.name], {}) if {
	_restricted(data.gavel.catalog.resources[input.tool.name])
	not _named
}

_named if count(input.resources) > 0

# METADATA
# description: nothing permits unless a rule below says so
default permit := false

# METADATA
# description: every file that the tool names may be used as it would use it
permit if {
	is_array(input.resources)
	is_object(_files)
	count(deny) == 0
	every resource in input.resources { _may(resource) }
}

_may(resource) if judged(resource.access, resource.real).verdict == "allowed"

_may(resource) if {
	is_string(resource.access)
	not _restricted(resource.access)
}

_may(resource) if {
	not _limited(resource.access)
	judged(resource.access, resource.real).verdict == "unlisted"
}

# METADATA
# description: |
#   what the lists say of reading or writing a file, by its real path: {"verdict",
#   "path"}, with the configuration path that decided. The verdict is denied, allowed,
#   unlisted, or unknown for a file that is not known.
judged(access, real) := {"verdict": "unknown", "path": _allow_path(access)} if {
	real == ""
} else := {"verdict": "denied", "path": denying[0]} if {
	denying := [list.path | some list in _lists(access, "deny"); _denies(list, real)]
	count(denying) > 0
} else := {"verdict": "allowed", "path": _allow_path(access)} if {
	is_string(real)
	_limited(access)
	every list in _lists(access, "allow") { _listed(list, real) }
} else := {"verdict": "unlisted", "path": _allow_path(access)}

_listed(list, real) if {
	some pattern in list.patterns
	matches(pattern, real, input.environment.home)
}

_denies(list, real) if _listed(list, real)

# Where file systems mostly know a file by its name in any case, a deny list does as well.
# An allow list does not: the other spelling may be another file.
_denies(list, real) if {
	not input.environment.platform == "linux"
	some pattern in list.patterns
	matches(lower(pattern), lower(real), lower(input.environment.home))
}

# Lists say anything about this access, or an allow list does.
_restricted(access) if not _files[access] == lists.none[access]

_limited(access) if count(_lists(access, "allow")) > 0

_lists(access, kind) := _files[access][kind]

_files := frozen.result.files

_allow_path(access) := sprintf("tools.%s.allow", [access])

# METADATA
# scope: document
# description: |
#   the path satisfies the pattern: * and ? stay inside a directory, ** crosses them, ~ is
#   the home directory, a leading ./ the workspace. A pattern for all that is in
#   a directory is one for the directory too.
matches(pattern, path, home) if {
	[literal, subject] := _rooted(pattern, path, home)
	_glob(literal, subject)
}

matches(pattern, path, home) if {
	[literal, subject] := _rooted(pattern, path, home)
	endswith(literal, "/**")
	_glob(trim_suffix(literal, "/**"), subject)
}

_glob(literal, subject) if glob.match(regex.replace(literal, `[\[\]{}\\!]`, `\$0`), ["/"], subject)

# A directory is compared as text, so that nothing in its name is a pattern.
_rooted(pattern, path, home) := [substring(pattern, 1, -1), substring(path, count(home), -1)] if {
	startswith(pattern, "~/")
	_within(path, home)
}

_rooted(pattern, path, _) := [substring(pattern, 1, -1), substring(path, count(_here), -1)] if {
	startswith(pattern, "./")
	_within(path, _here)
}

_rooted(pattern, path, _) := [pattern, path] if {
	startswith(pattern, "/")
	path != ""
}

_rooted("**", path, _) := ["**", path] if path != ""

_within(path, directory) if {
	startswith(directory, "/")
	directory != "/"
	startswith(path, sprintf("%s/", [directory]))
}

_within(path, directory) if {
	directory != ""
	path == directory
}

# "Here" is the workspace, which no agent chooses.
default _here := ""

_here := input.environment.workspace
