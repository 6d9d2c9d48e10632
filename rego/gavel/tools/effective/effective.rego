# METADATA
# title: Effective tools
# description: |
#   Every tool, visible or removed, and by which step and configuration path (TOOLS-4). This
#   depends only on the agent, its parents, model, group, sender, sandbox and plugins, never
#   on the call's parameters, so a snapshot evaluates it once for each such context.
# schemas:
#   - input: schema.facts
package gavel.tools.effective

import data.gavel.catalog
import data.gavel.catalog.edition
import data.gavel.config
import data.gavel.tools.names
import data.gavel.tools.pipeline
import data.gavel.tools.steps
import data.gavel.tools.subjects

# METADATA
# description: the tools that the agent of this call may see, and why not the others
result := {
	"visible": {name: true | some name in names.universe; not _removed[name]},
	"removed": _removed,
	"grant": _grant,
	"resolutions": [resolution |
		some step in _own_steps
		resolution := step.allow.resolution
		resolution != null
	],
}

_own_steps := steps.of(subjects.self)

_chain := array.concat(
	array.concat([_owner_step, _apply_patch_step], _flag_steps),
	array.concat(_own_steps, [step | some parent in subjects.parents; some step in steps.of(parent)]),
)

_removed := object.union_n([_useless_without_another, _removed_by_steps, _removed_with_exec])

# If a tool is removed, tools that are useless without it are removed for the same reason.
_useless_without_another[name] := _removed_by_steps[other] if some name, other in catalog.nothing_without

# If exec is removed, so is apply_patch, if only exec brought it in (R7).
default _removed_with_exec := {}

_removed_with_exec := {"apply_patch": _removed_by_steps.exec} if {
	some step in _chain
	step.allow.implied
}

_removed_by_steps[name] := removals[0] if {
	some name in names.universe
	removals := [removal | some step in _chain; removal := _removal(step, name)]
	count(removals) > 0
}

_removal(step, name) := {
	"kind": step.deny.kind,
	"step": step.label,
	"path": step.deny.path,
	"from": step.deny.from,
} if {
	name in step.deny.tools
} else := {
	"kind": "not_allowed",
	"step": step.label,
	"path": step.allow.path,
	"from": step.allow.from,
} if {
	is_set(step.allow.tools)
	not name in step.allow.tools
}

# The last allow list, which names every visible tool.
_grant := {"step": last.label, "path": last.allow.path, "from": last.allow.from} if {
	filters := [step | some step in _own_steps; is_set(step.allow.tools)]
	last := filters[count(filters) - 1]
}

# The tools that --deny-tool removes.
_flag_steps := [pipeline.step(tool.path, null, {
	"tools": names.denied([tool.value]),
	"path": tool.path,
	"from": tool.from,
	"kind": "denied",
}) |
	some tool in config.overriding_tools("deny")
]

# Owner-only tools are removed first, and nothing restores them (R11).
_owner_step := pipeline.step("owner only", null, {
	"tools": _owner_denied,
	"path": "",
	"from": "default",
	"kind": "owner_only",
})

_owner_denied := set() if {
	input.sender.owner == true
} else := edition.owner_only

# apply_patch can be switched off, or limited to some models (EXEC-8).
_apply_patch_step := pipeline.step("tools.exec.applyPatch", null, object.union(pipeline.denies_nothing, _apply_patch_off)) if {
	_apply_patch_off
} else := pipeline.step("tools.exec.applyPatch", null, pipeline.denies_nothing)

_apply_patch_off := {"tools": {"apply_patch"}, "path": found.path, "from": found.from, "kind": "denied"} if {
	found := _apply_patch_setting("enabled")
	found.value == false
} else := {"tools": {"apply_patch"}, "path": found.path, "from": found.from, "kind": "denied"} if {
	found := _apply_patch_setting("allowModels")
	count(found.value) > 0
	count({lower(trim_space(model)) | some model in found.value} & _model_names) == 0
}

_apply_patch_setting(key) := config.setting(
	subjects.self.id,
	["exec", "applyPatch", key],
	["tools", "exec", "applyPatch", key],
)

# For the providers for whose models the tool was made, the id alone names the model, too.
_model_names contains sprintf("%s/%s", [input.model.provider, input.model.id]) if input.model.provider != ""

_model_names contains input.model.id if input.model.provider in catalog.patch_providers
