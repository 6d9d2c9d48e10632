# METADATA
# title: Boundary of the sandbox
# description: |
#   Which files the tools of a sandboxed agent may name (SANDBOX-2): with workspaceAccess none,
#   those of its sandbox; with ro or rw, those of the workspace as well. Without workspaceAccess,
#   Gavel does not know what the sandbox sees, and limits nothing.
# schemas:
#   - input: schema.facts
package gavel.resources.boundary

import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: File is outside the sandbox
# description: the sandbox does not see the file
# custom:
#   code: resources.outside_sandbox
#   message: '%s is outside what the sandbox sees: workspaceAccess is %s, which means %s'
#   fix: 'use a file in there, or change %s'
deny contains reason.fixed(
	rego.metadata.rule(),
	[_shown(resource), _access.value, _visible_shown],
	[_access.path],
	{"path": _access.path, "from": _access.from},
) if {
	some resource in input.resources
	not inside(resource)
}

# METADATA
# scope: document
# description: the file may be used, because nothing limits the call, no file is named, or the sandbox sees it
inside(_) if not limited

inside(resource) if {
	resource.given == ""
	resource.path == ""
}

inside(resource) if {
	some directory in _visible_directories
	startswith(directory, "/")
	not directory == "/"
	_within(resource.real, directory)
}

# METADATA
# scope: document
# description: the agent runs in a sandbox, or may do so, and the configuration says what the sandbox sees
default limited := true

limited := false if frozen.result.sandbox.confined == false

limited := false if _access.value == ""

_within(real, directory) if real == directory

_within(real, directory) if startswith(real, sprintf("%s/", [directory]))

# What the sandbox sees: its own directory, and the workspace unless that is hidden.
_visible_directories contains root

_visible_directories contains input.environment.workspace if _access.value in {"ro", "rw"}

# METADATA
# description: |
#   the directory of the sandbox, as the gateway states it, or else the documented one of the
#   agent; undefined if neither is known
root := input.environment.sandboxRoot if {
	input.environment.sandboxRoot != ""
} else := sprintf("%s/%s/%s", [input.environment.home, data.gavel.catalog.sandbox.directory, input.agent.id]) if {
	input.environment.sandboxRoot == ""
	input.environment.home != ""
	regex.match(`^[a-z0-9][a-z0-9._-]*$`, input.agent.id)
}

default _visible_shown := "nothing that is known"

_visible_shown := concat(" and ", sort({directory | some directory in _visible_directories; directory != ""})) if {
	count({directory | some directory in _visible_directories; directory != ""}) > 0
}

_shown(resource) := resource.real if {
	resource.real != ""
} else := sprintf("%q", [object.get(resource, "given", "a file")])

_access := frozen.result.sandbox.access
