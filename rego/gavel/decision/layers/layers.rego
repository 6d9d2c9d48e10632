# METADATA
# title: Layers
# description: |
#   The table of layers, in three parts: which layers exist and which of them must permit a call
#   (table), each layer's verdict on the call (verdict), and the calls to which a layer does not
#   apply (skipped). The decision, gavel explain and the decision log read nothing else.
# schemas:
#   - input: schema.facts
package gavel.decision.layers

import data.gavel.agent
import data.gavel.approvals
import data.gavel.credentials
import data.gavel.custom
import data.gavel.elevated
import data.gavel.exec
import data.gavel.exec.commands
import data.gavel.exec.process
import data.gavel.frozen
import data.gavel.guard
import data.gavel.resources
import data.gavel.resources.boundary
import data.gavel.resources.contents
import data.gavel.resources.lists
import data.gavel.resources.named
import data.gavel.resources.web
import data.gavel.tools
import data.gavel.verifier

# METADATA
# description: |
#   the layers, in display order. A required layer must permit the call; any other layer can only
#   object. The verifiers come last: they judge only calls that all other layers permit.
table := [
	{"name": "agent", "title": "configuration, facts and agent", "required": true},
	{"name": "guard", "title": "self-protection and limits", "required": false},
	{"name": "tools", "title": "tool policy", "required": true},
	{"name": "resources", "title": "files and hosts", "required": true},
	{"name": "exec", "title": "exec security", "required": true},
	{"name": "credentials", "title": "tools with credentials", "required": true},
	{"name": "approvals", "title": "exec approvals", "required": true},
	{"name": "elevated", "title": "elevated mode", "required": true},
	{"name": "custom", "title": "custom rules", "required": false},
	{"name": "verifier", "title": "outside verifiers", "required": true},
]

# METADATA
# scope: document
# description: |
#   each layer's verdict on this call: the reasons to deny it, the questions for a person, whether
#   the layer permits it, and why
verdict["agent"] := {"deny": agent.deny, "ask": set(), "permit": agent.permit, "because": set()}

verdict["guard"] := {"deny": guard.deny, "ask": set(), "permit": false, "because": set()}

verdict["tools"] := {"deny": tools.deny, "ask": set(), "permit": tools.permit, "because": tools.because}

verdict["resources"] := {"deny": _resource_denials, "ask": set(), "permit": _resources_permitted, "because": set()}

verdict["exec"] := {"deny": exec.deny, "ask": exec.ask, "permit": exec.permit, "because": exec.because} if {
	not commands.process
}

verdict["exec"] := {"deny": process.deny, "ask": process.ask, "permit": process.permit, "because": process.because} if {
	commands.process
}

verdict["credentials"] := {"deny": credentials.deny, "ask": credentials.ask, "permit": credentials.permit, "because": credentials.because}

verdict["approvals"] := {"deny": approvals.deny, "ask": approvals.ask, "permit": approvals.permit, "because": approvals.because}

verdict["elevated"] := {"deny": elevated.deny, "ask": set(), "permit": elevated.permit, "because": elevated.because}

verdict["custom"] := {"deny": custom.deny, "ask": custom.ask, "permit": false, "because": set()}

verdict["verifier"] := {"deny": verifier.deny, "ask": set(), "permit": verifier.permit, "because": verifier.because}

# Layer resources has five parts, and each of them must permit: lists of files, files that other
# tools name, sizes and patches, URLs, and what a sandbox sees.
_resource_denials := (((resources.deny | named.deny) | contents.deny) | web.deny) | boundary.deny

default _resources_permitted := false

_resources_permitted if {
	resources.permit
	named.permit
	contents.permit
	web.permit
	count(boundary.deny) == 0
}

# METADATA
# scope: document
# description: |
#   the layers that do not apply to this call, and are not evaluated. A layer is skipped only if
#   observed facts show that it does not apply; a missing fact skips nothing.
skipped contains "resources" if {
	# The tool uses neither files nor the web. What a command does to files, layer exec judges.
	is_string(input.tool.name)
	not named.concerns
	not data.gavel.catalog.resources[input.tool.name]
	not data.gavel.catalog.web.lists[input.tool.name]
}

skipped contains "resources" if {
	# A file tool, and the agent has no list of files, no limit for this tool and no known sandbox.
	# Web tools are always judged: some hosts are closed without any list.
	data.gavel.catalog.resources[input.tool.name]
	not named.concerns
	frozen.result.files == lists.none
	is_object(frozen.result.limits)
	boundary.limited == false
	not contents.concerns(input.tool.name)
	not data.gavel.catalog.web.lists[input.tool.name]
}

# The call runs no command, and is not for the tool process.
skipped contains "exec" if {
	commands.absent
	not commands.process
}

# The tool runs nothing with credentials.
skipped contains "credentials" if {
	is_string(input.tool.name)
	not _credential
}

# The call runs no command, and no person was asked about it.
skipped contains "approvals" if {
	commands.absent
	input.approval.looked == false
}

# The call runs no command.
skipped contains "elevated" if commands.absent

# The agent runs outside a sandbox anyway (ELEVATED-1).
skipped contains "elevated" if frozen.result.exec.sandboxed == false

# No outside authority has to agree.
skipped contains "verifier" if verifier.absent

_credential if input.tool.name == "credential"

# METADATA
# description: the layers that apply to this call
applicable := [layer | some layer in table; not layer.name in skipped]

# METADATA
# description: the layers that apply, without the verifiers
before_verifiers := applicable if {
	verifier.absent
} else := [layer | some layer in applicable; layer.name != "verifier"]

# METADATA
# scope: document
# description: every layer's row and verdict, for gavel explain and the log; a layer that does not apply has an empty verdict
explained[name] := object.union(layer, verdict[name]) if {
	some layer in applicable
	name := layer.name
}

explained[name] := without_verdict(layer) if {
	some layer in table
	name := layer.name
	name in skipped
}

# METADATA
# description: the row of a layer that does not apply or was not reached, with an empty verdict
without_verdict(layer) := {
	"name": layer.name,
	"title": layer.title,
	"required": false,
	"permit": false,
	"deny": set(),
	"ask": set(),
	"because": set(),
}
