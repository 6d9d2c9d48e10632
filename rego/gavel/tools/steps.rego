# The pipeline (document 000 §05, R8): nine steps in a fixed order, each with a
# label and the configuration paths that it read. A step keeps what its allow
# list names (null: no filter) and removes what its deny list names; deny wins
# inside a step, and no later step restores what an earlier one removed.
package gavel.tools

import data.gavel.config

# METADATA
# description: the steps for one agent of the chain, in order; see subject.rego for its shape
steps(subject) := [_with_patches(step, subject) | some step in _steps(subject)]

_steps(subject) := _joined([
	_present([_profile_step(subject)]),
	_present([_provider_profile_step(subject, model) | some model in models(subject)]),
	[_list_step("tools.allow", {"path": "tools", "from": "global", "value": config.section(["tools"])})],
	_present([_provider_step(model) | some model in models(subject)]),
	_agent_steps(subject),
	_present([_agent_provider_step(subject, model) | some model in models(subject)]),
	group_steps,
	_present([
		sandbox_step(subject),
		workspace_step(subject),
		unlisted_step(subject),
		subagent_step(subject),
		subagent_list_step("agent", subject),
		subagent_list_step("global", subject),
	]),
])

_present(candidates) := [step | some step in candidates; step != null]

_joined(lists) := [step | some list in lists; some step in list]

# METADATA
# description: a step that keeps an allow list and removes a deny list
step(label, allow, deny) := {
	"label": label,
	"allow": allow,
	"deny": object.union(deny, {"tools": with_others(deny.tools)}),
}

# METADATA
# description: nothing is denied by this part of a step
denies_nothing := {"tools": set(), "path": "", "from": "default", "kind": "denied"}

# METADATA
# description: what a deny list takes away, with the tools that would do the same under another name (R7)
with_others(denied) := denied | {other |
	some name, others in data.gavel.catalog.denied_with
	name in denied
	some other in others
}

# Who may run commands may apply patches, unless configured otherwise (R7). A list
# that admits apply_patch on account of exec only says so.
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

# Step 1: the profile, with what alsoAllow and the presence of a section add to it.
_profile_step(subject) := step(_named("tools.profile", chosen.value), allow, denies_nothing) if {
	chosen := _profile(subject)
	entries := array.concat(_profile_tools(chosen.value), _also_allow(subject))
	allow := {
		"tools": (selected(entries) | (_implied(subject) & universe)),
		"path": chosen.path,
		"from": chosen.from,
		"resolution": null,
	}
}

_profile(subject) := found if {
	found := config.setting(subject.id, ["tools", "profile"], ["tools", "profile"])
} else := {"value": data.gavel.catalog.default_profile, "path": "tools.profile", "from": "default"}

_profile_tools(name) := tools if {
	tools := config.profile(name)
} else := []

_named(label, profile) := sprintf("%s (%s)", [label, profile])

_also_allow(subject) := entries if {
	entries := config.setting(subject.id, ["tools", "alsoAllow"], ["tools", "alsoAllow"]).value
} else := []

_implied(subject) := {tool |
	some key, tools in data.gavel.catalog.implied
	_has_section(subject, key)
	some tool in tools
}

_has_section(_, key) if is_object(config.section(["tools"])[key])

_has_section(subject, "exec") if is_object(config.agent_setting(subject.id, ["exec"]).value)

_has_section(subject, key) if is_object(config.agent_setting(subject.id, ["tools", key]).value)

# Step 2: the profile of the provider, when the agent's or the global entry names one.
_provider_profile_step(subject, model) := step(_named("tools.byProvider.profile", chosen.value), allow, denies_nothing) if {
	known := [entry | some entry in [_agent_provider(subject, model), _global_provider(model)]; entry != null]
	with_profile := [entry | some entry in known; entry.value.profile]
	entry := with_profile[0]
	chosen := {"value": entry.value.profile, "path": sprintf("%s.profile", [entry.path]), "from": entry.from}
	also := array.concat([list | some e in known; list := e.value.alsoAllow], [[]])
	entries := array.concat(_profile_tools(chosen.value), also[0])
	allow := {
		"tools": selected(entries),
		"path": chosen.path,
		"from": chosen.from,
		"resolution": null,
	}
} else := null

# Step 4 and 6: the entry for the model's provider.
_provider_step(model) := _list_step("tools.byProvider.allow", entry) if {
	entry := _global_provider(model)
	entry != null
} else := null

_agent_provider_step(subject, model) := _list_step(_agent_label(subject, "tools.byProvider.allow"), entry) if {
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

# Step 5: the lists of the agent's own entry and of agents.defaults, each under its own
# path. Deny lists add up; of the allow lists the agent's own is in force.
_agent_steps(subject) := [_list_step(_agent_label(subject, "tools.allow"), section) |
	scopes := config.scopes(subject.id)
	some i, scope in scopes
	is_object(scope.value.tools)
	section := {
		"path": sprintf("%s.tools", [scope.path]),
		"from": scope.from,
		"value": json.remove(scope.value.tools, _overruled(scopes, i)),
	}
]

_overruled(scopes, i) := ["allow", "alsoAllow"] if {
	some before in array.slice(scopes, 0, i)
	is_array(before.value.tools.allow)
} else := []

_agent_label(subject, rest) := sprintf("agents.%s.%s", [subject.id, rest])

# METADATA
# description: the step that a section with allow, alsoAllow and deny makes (document 000 §04)
_list_step(label, section) := step(label, _allow(label, section), {
	"tools": selected(object.get(section.value, "deny", [])),
	"path": sprintf("%s.deny", [section.path]),
	"from": section.from,
	"kind": "denied",
})

_allow(label, section) := {
	"tools": tools,
	"path": path,
	"from": section.from,
	"resolution": {
		"step": label,
		"path": path,
		"policy": sort(policy),
		"unknownAllowlist": sort({entry | some entry in entries; entry_kind(entry) == "unknown"}),
		"strippedAllowlist": stripped,
	},
} if {
	entries := {normal(entry) | some entry in object.get(section.value, "allow", [])}
	count(entries) > 0
	stripped := _plugin_only(entries)
	also := {normal(entry) | some entry in object.get(section.value, "alsoAllow", [])}
	policy := _in_force(entries | also, stripped)
	tools := _kept(policy, stripped)
	path := sprintf("%s.allow", [section.path])
} else := null

# A list of plugin entries only is dropped: it would remove every core tool (R6).
_plugin_only(entries) if {
	every entry in entries { entry_kind(entry) == "plugin" }
	object.get(config.section(["tools"]), "pluginOnlyAllowlist", "strip") == "strip"
} else := false

_in_force(_, true) := set()

_in_force(entries, false) := entries

_kept(_, true) := null

_kept(policy, false) := selected(policy)
