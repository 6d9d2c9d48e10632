# METADATA
# title: Contents of files
# description: |
#   Limits of file tools besides the lists: the size of a file, that a patch stays in the
#   workspace, and that a file which is written has no other names (FILES-4 to FILES-6).
# schemas:
#   - input: schema.facts
package gavel.resources.contents

import data.gavel.frozen
import data.gavel.reason
import data.gavel.resources.boundary
import data.gavel.resources.lists
import data.gavel.resources.patterns

# METADATA
# title: File is too large
# description: the file is larger, or would be after the write, than the configuration permits
# custom:
#   code: resources.too_large
#   message: '%s is %d bytes long, and a %s may have at most %d bytes'
#   fix: '%s, or raise %s'
#   advises: use a smaller file, read a part of it, or write less at a time; or raise maxSizeBytes
deny contains reason.fixed(
	rego.metadata.rule(),
	[_shown(resource), resource.size, resource.access, limit.max],
	[_smaller_fix(resource), limit.path],
	{"path": limit.path},
) if {
	some resource in input.resources
	resource.sized == true
	not _within_size_limit(resource)
	limit := _limits.sizes[resource.access]
}

# METADATA
# title: Size is unknown
# description: sizes are limited, and the size of the file cannot be observed
# custom:
#   code: resources.size_unknown
#   message: 'cannot tell how large %s is, and a %s may have at most %d bytes'
#   fix: 'use a regular file that Gavel can see, or remove %s'
deny contains reason.fixed(rego.metadata.rule(), [_shown(resource), resource.access, limit.max], [limit.path], {"path": limit.path}) if {
	some resource in input.resources
	not resource.sized == true
	not _within_size_limit(resource)
	limit := _limits.sizes[resource.access]
}

# METADATA
# title: Patch leaves the workspace
# description: a file of the patch is outside the workspace, or may be
# custom:
#   code: resources.patch_outside
#   message: 'the patch would write %s, which is not known to be in the workspace'
#   fix: 'patch files in the workspace only, or set %s to false'
deny contains reason.fixed(rego.metadata.rule(), [_shown(resource)], [_limits.patch.path], {"path": _limits.patch.path}) if {
	_patches_confined
	some resource in input.resources
	not _in_workspace(resource)
}

# METADATA
# title: File has other names
# description: lists limit what may be written, and the file has other names, which they may not permit
# custom:
#   code: resources.other_names
#   message: '%s has %s, so a write may change a file somewhere else'
#   fix: replace the file with a copy of its own, or write another file
deny contains reason.from(rego.metadata.rule(), [_shown(resource), _names_shown(resource)], {}) if {
	some resource in input.resources
	not _has_one_name(resource)
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: every file is small enough, has one name, and is where a patch may write
permit if {
	is_boolean(_limits.patch.workspaceOnly)
	is_array(input.resources)
	count(deny) == 0
	every resource in input.resources {
		_within_size_limit(resource)
		_has_one_name(resource)
	}
}

# METADATA
# scope: document
# description: a limit applies to this tool, whatever the lists say
concerns(tool) if _limits.sizes[data.gavel.catalog.resources[tool]]

concerns("apply_patch") if not _limits.patch.workspaceOnly == false

_limits := frozen.result.limits

_within_size_limit(resource) if {
	is_string(resource.access)
	is_object(_limits.sizes)
	not _limits.sizes[resource.access]
}

_within_size_limit(resource) if {
	resource.sized == true
	resource.size <= _limits.sizes[resource.access].max
}

# The limit applies to single files; lists judge a directory that is read as a whole.
_within_size_limit(resource) if {
	resource.access == "read"
	resource.file == false
}

# The default limit does not apply to a file that Gavel cannot see.
_within_size_limit(resource) if {
	_limits.sizes[resource.access].set == false
	resource.sized == false
	resource.real == ""
}

_within_size_limit(resource) if {
	_limits.sizes[resource.access].set == false
	resource.sized == false
	input.environment.claimed == true
}

_patches_confined if {
	not _limits.patch.workspaceOnly == false
	not _other_tool
	not input.tool.parameters == []
}

_other_tool if {
	is_string(input.tool.name)
	input.tool.name != "apply_patch"
}

_in_workspace(resource) if {
	patterns.workspace != ""
	patterns.within(resource.real, patterns.workspace)
}

# The workspace of a sandboxed agent is what the sandbox sees.
_in_workspace(resource) if {
	boundary.limited == true
	boundary.inside(resource)
}

# A patch that names no file is refused for that, or is blank.
_in_workspace(resource) if resource.given == ""

_has_one_name(resource) if resource.access == "read"

_has_one_name(resource) if resource.names == 1

_has_one_name(_) if frozen.result.files.write == lists.none.write

# For files on another machine the number of names is unknown, and for an unknown file, which the
# lists refuse.
_has_one_name(resource) if {
	resource.names == 0
	input.environment.claimed == true
}

_has_one_name(resource) if {
	resource.names == 0
	resource.real == ""
}

_smaller_fix(resource) := "use a smaller file, or read the part that you need with a command such as head or sed -n" if {
	resource.access == "read"
} else := "write less, or split the content into several files"

_names_shown(resource) := sprintf("%d names (hard links)", [resource.names]) if {
	resource.names > 1
} else := "an unknown number of names"

_shown(resource) := resource.real if {
	resource.real != ""
} else := sprintf("%q", [resource.given])
