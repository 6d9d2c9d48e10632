# METADATA
# title: Layers
# description: |
#   The table of layers: which layers exist, in which order, and what each says about a call.
#   The decision, gavel explain and the decision log all read this table and no other.
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
import data.gavel.resources.web
import data.gavel.tools
import data.gavel.verifier

# METADATA
# description: |
#   the layers, in display order. A required layer must permit; any other layer can only
#   object. The last one judges only calls that all others permit.
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
#   each layer's verdict on this call: its denials, its questions, whether it permits, and why
says["agent"] := {"deny": agent.deny, "ask": set(), "permit": agent.permit, "because": set()}

says["guard"] := {"deny": guard.deny, "ask": set(), "permit": false, "because": set()}

says["tools"] := {"deny": tools.deny, "ask": set(), "permit": tools.permit, "because": tools.because}

says["resources"] := {"deny": (((resources.deny | contents.deny) | web.deny) | boundary.deny), "ask": set(), "permit": _all, "because": set()}

says["exec"] := {"deny": exec.deny, "ask": exec.ask, "permit": exec.permit, "because": exec.because} if {
	not commands.process
}

says["exec"] := {"deny": process.deny, "ask": process.ask, "permit": process.permit, "because": process.because} if {
	commands.process
}

says["credentials"] := {"deny": credentials.deny, "ask": credentials.ask, "permit": credentials.permit, "because": credentials.because}

says["approvals"] := {"deny": approvals.deny, "ask": approvals.ask, "permit": approvals.permit, "because": approvals.because}

says["elevated"] := {"deny": elevated.deny, "ask": set(), "permit": elevated.permit, "because": elevated.because}

says["custom"] := {"deny": custom.deny, "ask": custom.ask, "permit": false, "because": set()}

says["verifier"] := {"deny": verifier.deny, "ask": set(), "permit": verifier.permit, "because": verifier.because}

# A tool that opened a file and a URL would need all of them.
default _all := false

_all if {
	resources.permit
	contents.permit
	web.permit
	count(boundary.deny) == 0
}

# METADATA
# scope: document
# description: |
#   layers that do not apply to this call and are not evaluated. A layer applies unless
#   observed facts show that it does not, so a missing fact never skips a layer.
idle contains "elevated" if commands.absent

idle contains "exec" if {
	commands.absent
	not commands.process
}

# An agent outside a sandbox runs on the host anyway (ELEVATED-1).
idle contains "elevated" if frozen.result.exec.sandboxed == false

# Nobody was asked about the call. That is true of nearly every call of other tools.
idle contains "approvals" if {
	commands.absent
	input.approval.looked == false
}

# Layer exec judges what a command does to files.
idle contains "resources" if {
	is_string(input.tool.name)
	not data.gavel.catalog.resources[input.tool.name]
	not data.gavel.catalog.web.lists[input.tool.name]
}

# No list of files is set for this agent, and no limit is about the tool. Some hosts are closed
# without any list.
idle contains "resources" if {
	data.gavel.catalog.resources[input.tool.name]
	frozen.result.files == lists.none
	is_object(frozen.result.limits)
	boundary.limited == false
	not contents.concerns(input.tool.name)
	not data.gavel.catalog.web.lists[input.tool.name]
}

# No outside authority has to agree.
idle contains "verifier" if verifier.absent

# The tool runs nothing with credentials.
idle contains "credentials" if {
	is_string(input.tool.name)
	not _credential
}

# METADATA
# description: the layers that apply to this call
applying := [layer | some layer in table; not layer.name in idle]

# METADATA
# description: the layers that apply, but for the last one
inner := applying if {
	verifier.absent
} else := [layer | some layer in applying; layer.name != "verifier"]

# METADATA
# scope: document
# description: every layer's verdict, for gavel explain and the log; a layer that does not apply has none
verdicts[name] := object.union(layer, says[name]) if {
	some layer in applying
	name := layer.name
}

verdicts[name] := unasked(layer) if {
	some layer in table
	name := layer.name
	name in idle
}

# METADATA
# description: the verdict of a layer that was not asked
unasked(layer) := {
	"name": layer.name,
	"title": layer.title,
	"required": false,
	"permit": false,
	"deny": set(),
	"ask": set(),
	"because": set(),
}

_credential if input.tool.name == "credential"
