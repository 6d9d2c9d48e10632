# METADATA
# title: Tool policy
# description: |
#   Layer 1: may this agent see and call this tool at all? The frozen part says, for every
#   tool, which step of the pipeline removed it and which setting that step read.
# schemas:
#   - input: schema.facts
package gavel.tools

import data.gavel.frozen
import data.gavel.reason
import data.gavel.tools.pipeline
import data.gavel.tools.spawn

# METADATA
# title: Tool has no name
# description: a call that names no tool cannot be judged
# custom:
#   code: tools.unnamed
#   message: the call names no tool
#   fix: name the tool that the agent wants to call
deny contains reason.from(rego.metadata.rule(), [], {}) if {
	not _name
}

# METADATA
# title: Tool in an unknown shape
# description: a host sent parameters that Gavel does not know for this tool, or a name that two tools could have
# custom:
#   code: tools.unknown_shape
#   message: "Gavel cannot tell what this call of tool %s would do: %s"
#   fix: call the tool as its host describes it, in a simpler form; if it is right, the host is newer than this version of Gavel
deny contains reason.from(rego.metadata.rule(), [_shown, object.get(input, ["tool", "unread"], "not observed")], {}) if {
	not _parameters_read
}

# METADATA
# description: the agent may not start the agent that the call names
deny contains objection if some objection in spawn.deny

# METADATA
# description: a step of the pipeline removed the tool
deny contains _objection(_removal.kind)

# METADATA
# title: Tool is for the owner only
# description: owner-only tools are removed unless the sender is known to be the owner (R11)
# custom:
#   code: tools.owner_only
#   message: tool %s is for the owner only, and the sender is not known to be the owner
#   fix: have a trusted gateway set sender.owner for the owner; no list restores the tool
_objection("owner_only") := reason.from(rego.metadata.rule(), [_shown], _source)

# METADATA
# title: Tool is denied
# description: a deny list names the tool; deny wins within a step (TOOLS-3)
# custom:
#   code: tools.denied
#   message: tool %s is denied by %s
#   fix: use another tool, or change %s
_objection("denied") := reason.fixed(rego.metadata.rule(), [_shown, _removal.path], [_removal.path], _source)

# METADATA
# title: Tool matches no allow list
# description: a step has an allow list that does not name the tool (TOOLS-4)
# custom:
#   code: tools.not_allowed
#   message: tool %s is not listed in %s
#   fix: use another tool, or add it to %s
_objection("not_allowed") := reason.fixed(rego.metadata.rule(), [_shown, _removal.step], [pipeline.where_to_add(_removal)], _source)

# METADATA
# title: Tool is not for subagents
# description: spawned agents lose the tools for control, memory and spawning (TOOLS-8, R9)
# custom:
#   code: tools.subagent
#   message: subagents at this depth may not use tool %s
#   fix: >-
#     call it from the main agent, or list its exact name in the agent's own tools.allow, beside all
#     other tools of the agent; agents at the maximum depth cannot spawn
_objection("subagent") := reason.from(rego.metadata.rule(), [_shown], _source)

# METADATA
# title: Tool is unknown and not listed
# description: neither the catalog nor a loaded plugin has the tool, and no allow list names it
# custom:
#   code: tools.unlisted
#   message: "Gavel does not know tool %s, and no list names it: only the owner may call it, and subagents may not"
#   fix: name the tool in tools.allow or tools.alsoAllow; a pattern must begin with a namespace, as in mcp:github/*
_objection("unlisted") := reason.from(rego.metadata.rule(), [_shown], _source)

# METADATA
# title: Workspace is read-only
# description: a sandbox with a read-only workspace has no tools that write (SANDBOX-1)
# custom:
#   code: tools.read_only
#   message: tool %s changes files, and the sandbox of the agent sees its workspace read-only
#   fix: use only tools that read, or set %s to rw
_objection("read_only") := reason.fixed(rego.metadata.rule(), [_shown], [_removal.path], _source)

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: |
#   no step of the pipeline removed the tool, its parameters were read, and the agent that it
#   starts may be started
permit if {
	frozen.result.tools.visible[_name]
	_parameters_read
	spawn.permit
}

# METADATA
# title: Tool is allowed
# description: every step of the pipeline keeps the tool
# custom:
#   code: tools.allowed
#   message: tool %s passes every step; step "%s" lists it
#   fix: ""
because contains reason.from(rego.metadata.rule(), [_name, grant.step], {"path": grant.path, "from": grant.from}) if {
	permit
	grant := frozen.result.tools.grant
}

_name := input.tool.name if {
	is_string(input.tool.name)
	input.tool.name != ""
}

_parameters_read if input.tool.unread == ""

# A name with unusual characters is quoted, because the caller chooses it.
_shown := _name if {
	regex.match(`^[\w:./@*-]+$`, _name)
} else := sprintf("%q", [_name])

_removal := frozen.result.tools.removed[_name]

_source := {"path": _removal.path, "from": _removal.from}
