# METADATA
# title: Steps of the pipeline
# description: |
#   The pipeline (TOOLS-4, R8): nine steps in a fixed order, each with a label and the
#   configuration paths that it read. A step keeps what its allow list names (null: no filter)
#   and removes what its deny list names. Deny wins within a step, and no later step restores
#   what an earlier one removed.
# schemas:
#   - input: schema.facts
package gavel.tools.steps

import data.gavel.catalog.edition
import data.gavel.config
import data.gavel.tools.group
import data.gavel.tools.models
import data.gavel.tools.names
import data.gavel.tools.pipeline
import data.gavel.tools.profiles
import data.gavel.tools.sandbox
import data.gavel.tools.senders
import data.gavel.tools.subagent
import data.gavel.tools.unlisted

# METADATA
# description: the steps for one agent of the chain, in order; gavel.tools.subjects describes a subject
of(subject) := [_with_patches(step, subject) | some step in _steps(subject)]

_steps(subject) := _concatenated([
	_without_null([_profile_step(subject)]),
	_without_null([_provider_profile_step(subject, model) | some model in models.restricting(subject)]),
	[pipeline.section_step("tools.allow", {"path": "tools", "from": "global", "value": _global_section})],
	_without_null([_provider_step(model) | some model in models.restricting(subject)]),
	_agent_steps(subject),
	_without_null([_agent_provider_step(subject, model) | some model in models.restricting(subject)]),
	senders.steps(subject),
	group.steps,
	_without_null([
		sandbox.step(subject),
		sandbox.workspace_step(subject),
		unlisted.step(subject),
		subagent.step(subject),
		subagent.configured_step("agent", subject),
		subagent.configured_step("global", subject),
	]),
])

_without_null(candidates) := [step | some step in candidates; step != null]

_concatenated(lists) := [step | some list in lists; some step in list]

# An agent that may run commands may apply patches, unless configured otherwise (R7). "implied"
# marks an allow list that has apply_patch only because of exec.
_with_patches(step, subject) := object.union(step, {"allow": {"tools": ({"apply_patch"} | step.allow.tools), "implied": true}}) if {
	"exec" in step.allow.tools
	not "apply_patch" in step.allow.tools
	_exec_implies_apply_patch(subject)
} else := step

_exec_implies_apply_patch(subject) if not _apply_patch_alone(subject)

_apply_patch_alone(subject) if {
	keys := ["exec", "applyPatch", "impliedBy"]
	config.setting(subject.id, keys, array.concat(["tools"], keys)).value == "none"
}

# Step 1: the profile, plus alsoAllow and the tools that a section implies.
_profile_step(subject) := pipeline.step(_with_profile("tools.profile", chosen.value), allow, pipeline.denies_nothing) if {
	chosen := profiles.of(subject)
	entries := array.concat(profiles.tools(chosen.value), array.concat(_also_allow(subject), _flag_tools))
	allow := {
		"tools": (names.selected(entries) | (_implied(subject) & names.universe)),
		"path": chosen.path,
		"from": chosen.from,
		"resolution": null,
	}
}

# --allow-tool adds to the profile, and to the global allow list if there is one.
_flag_tools := [tool.value | some tool in config.overriding_tools("allow")]

_global_section := object.union(tools, {"allow": array.concat(tools.allow, _flag_tools)}) if {
	tools := config.section(["tools"])
	count(tools.allow) > 0
} else := config.section(["tools"])

_with_profile(label, profile) := sprintf("%s (%s)", [label, profile])

_also_allow(subject) := entries if {
	entries := config.setting(subject.id, ["tools", "alsoAllow"], ["tools", "alsoAllow"]).value
} else := []

_implied(subject) := {tool |
	some key, tools in edition.implied
	_has_section(subject, key)
	some tool in tools
}

_has_section(_, key) if is_object(config.section(["tools"])[key])

_has_section(subject, "exec") if is_object(config.agent_setting(subject.id, ["exec"]).value)

_has_section(subject, key) if is_object(config.agent_setting(subject.id, ["tools", key]).value)

# Step 2: the profile for the provider, if the agent's or the global entry names one.
_provider_profile_step(subject, model) := pipeline.step(_with_profile("tools.byProvider.profile", chosen.value), allow, pipeline.denies_nothing) if {
	known := [entry | some entry in [_agent_provider(subject, model), _global_provider(model)]; entry != null]
	with_profile := [entry | some entry in known; entry.value.profile]
	entry := with_profile[0]
	chosen := {"value": entry.value.profile, "path": sprintf("%s.profile", [entry.path]), "from": entry.from}
	also := array.concat([list | some e in known; list := e.value.alsoAllow], [[]])
	entries := array.concat(profiles.tools(chosen.value), also[0])
	allow := {
		"tools": names.selected(entries),
		"path": chosen.path,
		"from": chosen.from,
		"resolution": null,
	}
} else := null

# Steps 4 and 6: the entry for the model's provider.
_provider_step(model) := pipeline.section_step("tools.byProvider.allow", entry) if {
	entry := _global_provider(model)
	entry != null
} else := null

_agent_provider_step(subject, model) := pipeline.section_step(_agent_label(subject, "tools.byProvider.allow"), entry) if {
	entry := _agent_provider(subject, model)
	entry != null
} else := null

_global_provider(model) := _provider_entry("tools.byProvider", "global", config.section(["tools", "byProvider"]), model)

_agent_provider(subject, model) := found[0] if {
	found := [entry |
		some scope in config.scopes(subject.id)
		path := sprintf("%s.tools.byProvider", [scope.path])
		entry := _provider_entry(path, scope.from, object.get(scope.value, ["tools", "byProvider"], {}), model)
		entry != null
	]
	count(found) > 0
} else := null

_provider_entry(path, from, entries, model) := {
	"path": sprintf("%s.%s", [path, found.key]),
	"from": from,
	"value": found.value,
} if {
	found := config.provider_entry(entries, model.provider, model.id)
} else := null

# Step 5: the lists of the agent's own entry and of agents.defaults, each with its own path.
# Deny lists add up; of the allow lists, the agent's own applies.
_agent_steps(subject) := [pipeline.section_step(_agent_label(subject, "tools.allow"), section) |
	scopes := config.scopes(subject.id)
	some i, scope in scopes
	is_object(scope.value.tools)
	section := {
		"path": sprintf("%s.tools", [scope.path]),
		"from": scope.from,
		"value": json.remove(scope.value.tools, _overridden_keys(scopes, i)),
	}
]

_overridden_keys(scopes, i) := ["allow", "alsoAllow"] if {
	some before in array.slice(scopes, 0, i)
	is_array(before.value.tools.allow)
} else := []

_agent_label(subject, rest) := sprintf("agents.%s.%s", [subject.id, rest])
