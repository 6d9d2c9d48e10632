# METADATA
# title: Files
# description: |
#   Layer 1 for file tools, and the rules for the files of redirections: globs over the
#   resolved path (FILES-1). Deny wins. If an allow list is set, it must name the file; that
#   goes for the agent's list and for the global list.
# schemas:
#   - input: schema.facts
package gavel.resources

import data.gavel.frozen
import data.gavel.reason
import data.gavel.resources.lists
import data.gavel.resources.patterns

# METADATA
# title: File is denied
# description: a deny list names the file
# custom:
#   code: resources.denied
#   message: '%s is on a deny list for %s access'
#   fix: 'use another file, or change %s'
deny contains reason.fixed(rego.metadata.rule(), [resource.real, resource.access], [verdict.path], {"path": verdict.path}) if {
	some resource in input.resources
	verdict := file_verdict(resource.access, resource.real)
	verdict.verdict == "denied"
}

# METADATA
# title: File is not listed
# description: an allow list is set and does not name the file
# custom:
#   code: resources.unlisted
#   message: 'no allow list permits a %s of %s'
#   fix: '%s'
#   advises: 'add the file to the list, or use a file that it names'
deny contains reason.fixed(
	rego.metadata.rule(),
	[resource.access, _shown(resource)],
	[lists.naming("this one", verdict.path)],
	{"path": verdict.path},
) if {
	some resource in input.resources
	restricted(resource.access)
	verdict := _verdict(resource)
	verdict.verdict == "unlisted"
	limited(resource.access)
}

# METADATA
# title: Directory may contain denied files
# description: the call reads everything below a directory, and a deny list names files that may be there
# custom:
#   code: resources.inside
#   message: 'this reads everything in %s, and files there may be on a deny list for %s access: %s'
#   fix: 'use a directory without such files, or name the files to read, or change %s'
deny contains reason.fixed(
	rego.metadata.rule(),
	[resource.real, resource.access, verdict.pattern],
	[verdict.path], {"path": verdict.path},
) if {
	some resource in input.resources
	verdict := _verdict(resource)
	verdict.verdict == "inside"
}

# METADATA
# title: File is unknown
# description: lists are set, and it is unknown which file the tool would use
# custom:
#   code: resources.unknown
#   message: '%s'
#   fix: '%s'
#   says: 'cannot tell which file it is, or the parameters name none that Gavel can read'
#   advises: 'pass an existing path that is absolute, or below a known working directory; or a patch in the form that the tool describes'
deny contains reason.fixed(rego.metadata.rule(), [_unknown_message(resource)], [_unknown_fix(resource)], {}) if {
	some resource in _unknown_files
}

_unknown_files contains resource if {
	some resource in input.resources
	restricted(resource.access)
	resource.real == ""
}

# No file was observed for a file tool.
_unknown_files contains {"given": ""} if {
	restricted(data.gavel.catalog.resources[input.tool.name])
	not _names_a_file
}

_unknown_message(resource) := sprintf("%s names no file that Gavel can read in its parameters", [input.tool.name]) if {
	resource.given == ""
} else := sprintf("cannot tell which file %q is", [resource.given])

_unknown_fix(resource) := "pass a patch in the format that the tool describes" if {
	resource.given == ""
	input.tool.name == "apply_patch"
} else := "pass a path as text" if {
	resource.given == ""
} else := "give the tool an existing path that is absolute, or below a known working directory"

_names_a_file if count(input.resources) > 0

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: the tool may use every file that it names, in the way it would use it
permit if {
	is_array(input.resources)
	is_object(_files)
	count(deny) == 0
	every resource in input.resources { _may(resource) }
}

_may(resource) if _verdict(resource).verdict == "allowed"

_may(resource) if {
	is_string(resource.access)
	not restricted(resource.access)
}

_may(resource) if {
	not limited(resource.access)
	_verdict(resource).verdict == "unlisted"
}

# A tool may use one file, or everything below a directory. Nothing below it may be denied,
# and an allow list must name all of it.
_verdict(resource) := file_verdict(resource.access, resource.real) if {
	_judged_as_one_file(resource)
} else := inside[0] if {
	not frozen.result.searches == true
	inside := _denied_patterns_below(resource.access, resource.real)
	count(inside) > 0
} else := {"verdict": "unlisted", "path": path} if {
	path := [list.path | some list in _lists(resource.access, "allow"); not _lists_everything_in(list, resource.real)][0]
} else := file_verdict(resource.access, resource.real)

# The patterns of deny lists that may match something below a directory.
_denied_patterns_below(access, directory) := [{"verdict": "inside", "path": list.path, "pattern": pattern} |
	some list in _lists(access, "deny")
	some pattern in list.patterns
	_may_match_below(pattern, directory)
]

# METADATA
# scope: document
# description: |
#   the configuration paths of the deny lists with a pattern for a path below a directory. A
#   pattern that has a wildcard before that, such as /**/.env, does not count.
deny_lists_below(access, directory) := [list.path |
	some list in _lists(access, "deny")
	some pattern in list.patterns
	_names_path_below(pattern, directory)
]

_names_path_below(pattern, directory) if {
	[root, rest] := _rooted_at(pattern)
	_leads_below(root, _names(rest), directory)
}

_names_path_below(pattern, directory) if {
	not input.environment.platform == "linux"
	[root, rest] := _rooted_at(pattern)
	_leads_below(lower(root), _names(lower(rest)), lower(directory))
}

_leads_below(root, _, _) if not startswith(root, "/")

_leads_below(root, names, directory) if {
	literal := min({count(names)} | {i | some i, name in names; regex.match(`[*?]`, name)})
	place := sprintf("/%s", [concat("/", array.concat(_names(root), array.slice(names, 0, literal)))])
	patterns.within(place, directory)
	place != directory
}

_leads_below(root, names, "/") if {
	startswith(root, "/")
	first := names[0]
	not regex.match(`[*?]`, first)
}

_judged_as_one_file(resource) if resource.file == true

# A directory that is itself denied, or unknown, is judged like a file.
_judged_as_one_file(resource) if file_verdict(resource.access, resource.real).verdict in {"denied", "unknown"}

_lists_everything_in(list, directory) if {
	some pattern in list.patterns
	endswith(pattern, "**")
	patterns.matches(pattern, directory, input.environment.home)
}

_shown(resource) := resource.real if {
	resource.file == true
} else := sprintf("everything in %s", [resource.real])

# A pattern may match something below a directory.
_may_match_below(pattern, directory) if {
	[root, rest] := _rooted_at(pattern)
	_reaches(root, rest, directory)
}

_may_match_below(pattern, directory) if {
	not input.environment.platform == "linux"
	[root, rest] := _rooted_at(pattern)
	_reaches(lower(root), lower(rest), lower(directory))
}

_rooted_at(pattern) := [object.get(input, ["environment", "home"], ""), substring(pattern, 1, -1)] if {
	startswith(pattern, "~/")
} else := [patterns.workspace, substring(pattern, 1, -1)] if {
	startswith(pattern, "./")
} else := ["/", "**"] if {
	pattern == "**"
} else := ["/", pattern]

# The root of the pattern is unknown, or is below the directory.
_reaches(root, _, _) if not startswith(root, "/")

_reaches(_, _, "/")

_reaches(root, _, directory) if patterns.within(root, directory)

_reaches(root, rest, directory) if {
	below := _names_below(root, directory)
	parts := _names(rest)
	literal := min({count(parts)} | {i | some i, part in parts; contains(part, "**")})
	every i, part in array.slice(parts, 0, min([literal, count(below)])) { patterns.glob_matches(part, below[i]) }
	_reaches_deeper(count(parts), literal, count(below))
}

# A pattern with ** may match at any depth; any other must have more parts than the directory.
_reaches_deeper(parts, literal, _) if literal < parts

_reaches_deeper(parts, _, below) if parts > below

_names_below("/", directory) := _names(directory)

_names_below(root, directory) := _names(substring(directory, count(root), -1)) if patterns.within(directory, root)

_names(path) := [name | some name in split(path, "/"); name != ""]

# METADATA
# description: |
#   the verdict of the lists on reading or writing a file, by its real path: {"verdict",
#   "path"}, with the configuration path that decided. The verdict is denied, allowed,
#   unlisted, or unknown for an unknown file.
file_verdict(access, real) := {"verdict": "unknown", "path": _allow_path(access)} if {
	real == ""
} else := {"verdict": "denied", "path": denying[0]} if {
	denying := [list.path | some list in _lists(access, "deny"); _denies(list, real)]
	count(denying) > 0
} else := {"verdict": "allowed", "path": _allow_path(access)} if {
	is_string(real)
	limited(access)
	every list in _lists(access, "allow") { _listed(list, real) }
} else := {"verdict": "unlisted", "path": path} if {
	path := [list.path | some list in _lists(access, "allow"); not _listed(list, real)][0]
} else := {"verdict": "unlisted", "path": _allow_path(access)}

_listed(list, real) if {
	some pattern in list.patterns
	patterns.matches(pattern, real, input.environment.home)
}

_denies(list, real) if _listed(list, real)

# Where the home directory or the workspace is unknown, it may be any.
_denies(list, real) if {
	some pattern in list.patterns
	patterns.may_match(pattern, real)
}

# On file systems that usually ignore case, a deny list ignores case too. An allow list does
# not, because another spelling may be another file.
_denies(list, real) if {
	not input.environment.platform == "linux"
	some pattern in list.patterns
	patterns.matches_folded(pattern, real, input.environment.home)
}

# METADATA
# scope: document
# description: any list is set for this access
restricted(access) if not _files[access] == lists.none[access]

# METADATA
# scope: document
# description: an allow list is set for this access
limited(access) if count(_lists(access, "allow")) > 0

_lists(access, kind) := _files[access][kind]

_files := frozen.result.files

_allow_path(access) := sprintf("tools.%s.allow", [access])
