# METADATA
# title: Limits of files
# description: |
#   The configuration's limits on the size of files, and on where patches apply (FILES-4,
#   EXEC-8). They depend on the agent only and belong to the frozen part.
# schemas:
#   - input: schema.facts
package gavel.resources.limits

import data.gavel.config

# METADATA
# description: |
#   sizes: for each access with a limit, the largest size in bytes, the path of the setting, and
#   whether the configuration sets it. patch: whether patches stay in the workspace, and the path
#   of that setting.
configured := {
	"sizes": {access: found | some access in ["read", "write"]; found := _size(access)},
	"patch": _patch,
}

_size(access) := {"max": set[0][0], "path": set[0][1], "set": true} if {
	set := sort([[_bytes(limit), sprintf("%s.%s.maxSizeBytes", [scope.path, access])] |
		some scope in config.tool_scopes(input.agent.id)
		limit := object.get(scope.tools, [access, "maxSizeBytes"], null)
		limit != null
	])
	count(set) > 0
} else := {"max": data.gavel.catalog.file_sizes[access], "path": sprintf("tools.%s.maxSizeBytes", [access]), "set": false}

default _patch := {"workspaceOnly": true, "path": "tools.exec.applyPatch.workspaceOnly"}

_patch := {"workspaceOnly": found.value != false, "path": found.path} if {
	keys := ["exec", "applyPatch", "workspaceOnly"]
	found := config.setting(input.agent.id, keys, array.concat(["tools"], keys))
}

# A limit that is not a number is a configuration error, and permits no bytes.
_bytes(limit) := limit if {
	is_number(limit)
} else := 0
