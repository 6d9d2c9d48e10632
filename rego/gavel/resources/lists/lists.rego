# METADATA
# title: Lists of files
# description: |
#   The configuration's lists of files to read and write. They depend on the agent only and
#   belong to the frozen part.
# schemas:
#   - input: schema.facts
package gavel.resources.lists

import data.gavel.config

# METADATA
# description: |
#   every list that is set for this agent, by access and kind, as [{"path", "patterns"}]
configured := {access: {kind: _set(access, kind) | some kind in ["allow", "deny"]} | some access in ["read", "write"]}

_set(access, "allow") := array.concat(_listed(access, "allow"), _workspace_only)

_set(access, "deny") := _listed(access, "deny")

# workspaceOnly is an allow list of the workspace (FILES-3).
_workspace_only := [{"path": sprintf("%s.fs.workspaceOnly", [scope.path]), "patterns": ["./**"]} |
	some scope in _scopes
	object.get(scope.tools, ["fs", "workspaceOnly"], false) != false
]

_listed(access, kind) := [{"path": sprintf("%s.%s.%s", [scope.path, access, kind]), "patterns": patterns} |
	some scope in _scopes
	patterns := object.get(scope.tools, [access, kind], [])
	count(patterns) > 0
]

_scopes := config.tool_scopes(input.agent.id)

# METADATA
# description: the result when no list is set
none := {"read": {"allow": [], "deny": []}, "write": {"allow": [], "deny": []}}

# METADATA
# scope: document
# description: a tool may read whole directories, though a deny list names files that may be in them
default searches := false

searches if config.setting(input.agent.id, ["tools", "read", "searches"], ["tools", "read", "searches"]).value == "allow"

# METADATA
# description: what to do about a file that the list at this path of the configuration does not name
naming(file, path) := sprintf("use a file of the workspace, or set %s to false", [path]) if {
	endswith(path, ".workspaceOnly")
} else := sprintf("add %s to %s, or use a file that the list names", [file, path])
