# METADATA
# title: Sandbox steps
# description: |
#   Step 8: the tools of a sandboxed agent (TOOLS-9, SANDBOX-1). The configuration overrides
#   the catalog's defaults key by key, the agent's before the global one. An allow list never
#   removes a default deny; only a deny list does.
# schemas:
#   - input: schema.facts
package gavel.tools.sandbox

import data.gavel.catalog.edition
import data.gavel.config
import data.gavel.tools.names
import data.gavel.tools.pipeline
import data.gavel.tools.subjects

# METADATA
# description: the sandbox step, or null for an agent that is not sandboxed
step(subject) := pipeline.step("sandbox tools.allow", _sandbox_allow(subject), {
	"tools": names.denied(deny.value),
	"path": deny.path,
	"from": deny.from,
	"kind": "denied",
}) if {
	subjects.in_sandbox(subject)
	deny := _sandbox_list(subject, "deny")
} else := null

# METADATA
# description: a read-only workspace removes the tools that write
workspace_step(subject) := pipeline.step("sandbox workspaceAccess", null, {
	"tools": {tool | some tool in data.gavel.catalog.sandbox.read_only_removes},
	"path": access.path,
	"from": access.from,
	"kind": "read_only",
}) if {
	subjects.in_sandbox(subject)
	access := config.setting(subject.id, ["sandbox", "workspaceAccess"], ["sandboxing", "workspaceAccess"])
	access.value == "ro"
} else := null

_sandbox_allow(subject) := {
	"tools": (names.selected(array.concat(allow.value, also)) | _image(allow, subject)),
	"path": allow.path,
	"from": allow.from,
	"resolution": null,
} if {
	allow := _sandbox_list(subject, "allow")
	count(allow.value) > 0
	also := [entry | some list in _sandbox_also(subject); some entry in list]
} else := null

_sandbox_list(subject, key) := found if {
	keys := ["tools", "sandbox", "tools", key]
	found := config.setting(subject.id, keys, keys)
} else := {
	"value": edition.sandbox[key],
	"path": sprintf("tools.sandbox.tools.%s", [key]),
	"from": "default",
}

# The agent's lists replace the global ones; sandbox.alsoAllow is a short form.
_sandbox_also(subject) := own if {
	own := [found.value |
		some keys in [["tools", "sandbox", "tools", "alsoAllow"], ["sandbox", "alsoAllow"]]
		found := config.agent_setting(subject.id, keys)
	]
	count(own) > 0
} else := [config.section(["tools", "sandbox", "tools", "alsoAllow"])] if {
	is_array(config.section(["tools", "sandbox", "tools", "alsoAllow"]))
} else := []

# A configured allow list also keeps image, as the default list does, unless image is denied.
_image(allow, subject) := {"image"} if {
	allow.from != "default"
	not "image" in names.denied(_sandbox_list(subject, "deny").value)
} else := set()
