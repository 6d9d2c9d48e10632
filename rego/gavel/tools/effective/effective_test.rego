package gavel.tools.effective_test

import data.gavel.testing
import data.gavel.tools.effective
import data.gavel.tools.names

_owner := testing.call({"sender": {"owner": true}})

test_every_tool_is_visible_or_removed if {
	found := effective.result with input as testing.facts with data.config as testing.config
	universe := names.universe with input as testing.facts
	object.keys(found.visible) | object.keys(found.removed) == universe
	object.keys(found.visible) & object.keys(found.removed) == set()
}

test_default_is_the_full_profile if {
	visible := testing.visible(_owner, {})
	visible == {tool | some tool in data.gavel.catalog.profiles.full}
}

# R11: whatever the lists say, the tool is removed because only the owner may use it.
test_owner_only[name] if {
	some tool in ["whatsapp_login", "cron", "gateway", "nodes"]
	some list in ["allow", "alsoAllow"]
	name := sprintf("%s is not restored by %s", [tool, list])
	settings := {"tools": {list: [tool, "*"]}, "agents": {"main": {"tools": {list: [tool, "*"]}}}}
	testing.fate(testing.facts, settings, tool) == ["owner_only", "owner only", "", "default"]
}

test_owner[name] if {
	some name, c in {
		"the owner has cron": {"sender": {"owner": true}, "want": true},
		"not the owner": {"sender": {"owner": false}, "want": false},
		"an owner that is a string does not count": {"sender": {"owner": "true"}, "want": false},
		"an owner that is a number does not count": {"sender": {"owner": 1}, "want": false},
	}
	has := "cron" in testing.visible(testing.call({"sender": c.sender}), {})
	has == c.want
}

test_unknown_sender_has_no_owner_only_tools if {
	not "cron" in testing.visible(json.remove(testing.facts, ["sender/owner"]), {})
	not "cron" in testing.visible(json.remove(testing.facts, ["sender"]), {})
}

_patch(settings) := {"tools": {"exec": {"applyPatch": settings}}}

_patch_off := "tools.exec.applyPatch"

test_apply_patch_may_be_switched_off[name] if {
	some name, c in {
		"enabled: true is the default": {"config": _patch({"enabled": true}), "want": "visible"},
		"enabled: false": {
			"config": _patch({"enabled": false}),
			"want": ["denied", _patch_off, "tools.exec.applyPatch.enabled", "global"],
		},
		"enabled: false of the agent": {
			"config": {"agents": {"main": {"exec": {"applyPatch": {"enabled": false}}}}},
			"want": ["denied", _patch_off, "agents.main.exec.applyPatch.enabled", "agent"],
		},
		"no models means any": {"config": _patch({"allowModels": []}), "want": "visible"},
		"the model by id": {"config": _patch({"allowModels": [" GPT-5.2 "]}), "want": "visible"},
		"the model with its provider": {"config": _patch({"allowModels": ["openai/gpt-5.2"]}), "want": "visible"},
		"another model": {
			"config": _patch({"allowModels": ["gpt-4"]}),
			"want": ["denied", _patch_off, "tools.exec.applyPatch.allowModels", "global"],
		},
	}
	testing.fate(testing.facts, c.config, "apply_patch") == c.want
}

test_apply_patch_for_some_models_needs_a_known_model if {
	facts := testing.call({"model": {"provider": "", "id": ""}})
	testing.fate(facts, _patch({"allowModels": ["gpt-5.2"]}), "apply_patch")[0] == "denied"
}

# EXEC-8: an id alone is that of a model for which the tool was made.
test_apply_patch_for_models_of_other_providers[name] if {
	some name, c in {
		"OpenAI Codex": {"provider": "openai-codex", "id": "gpt-5.2", "list": ["gpt-5.2"], "want": "visible"},
		"another provider with a model of this name": {"provider": "other", "id": "gpt-5.2", "list": ["gpt-5.2"], "want": "denied"},
		"another provider, written out": {"provider": "other", "id": "gpt-5.2", "list": ["other/gpt-5.2"], "want": "visible"},
		"a router": {"provider": "openrouter", "id": "openai/gpt-5.2", "list": ["openai/gpt-5.2"], "want": "denied"},
		"a router, written out": {"provider": "openrouter", "id": "openai/gpt-5.2", "list": ["openrouter/openai/gpt-5.2"], "want": "visible"},
		"no provider": {"provider": "", "id": "gpt-5.2", "list": ["gpt-5.2", "/gpt-5.2"], "want": "denied"},
	}
	facts := testing.call({"model": {"provider": c.provider, "id": c.id}})
	_fate(testing.fate(facts, _patch({"allowModels": c.list}), "apply_patch")) == c.want
}

_fate(fate) := fate if is_string(fate)

_fate(fate) := fate[0] if is_array(fate)

# R10: a child never has more rights than its ancestors.
test_parents_restrict_a_child[name] if {
	child := testing.call({"agent": {"id": "child", "depth": 2, "maxDepth": 3, "parents": [
		{"id": "near", "depth": 1},
		{"id": "far", "depth": 0},
	]}})
	some name, c in {
		"nobody denies": {"agents": {}, "want": "visible"},
		"the parent denies": {
			"agents": {"near": {"tools": {"deny": ["web_fetch"]}}},
			"want": ["denied", "agents.near.tools.allow", "agents.near.tools.deny", "agent"],
		},
		"the parent's parent denies": {
			"agents": {"far": {"tools": {"deny": ["web_fetch"]}}},
			"want": ["denied", "agents.far.tools.allow", "agents.far.tools.deny", "agent"],
		},
		"the parent's profile is narrower": {
			"agents": {"near": {"tools": {"profile": "minimal"}}},
			"want": ["not_allowed", "tools.profile (minimal)", "agents.near.tools.profile", "agent"],
		},
		"the child's own list restores nothing": {
			"agents": {
				"child": {"tools": {"allow": ["web_fetch"]}},
				"near": {"tools": {"deny": ["web_fetch"]}},
			},
			"want": ["denied", "agents.near.tools.allow", "agents.near.tools.deny", "agent"],
		},
		"the parent is sandboxed": {
			"agents": {"near": {"sandbox": {"mode": "all"}}},
			"want": ["not_allowed", "sandbox tools.allow", "tools.sandbox.tools.allow", "default"],
		},
	}
	testing.fate(child, {"agents": object.union({"child": {}, "near": {}, "far": {}}, c.agents)}, "web_fetch") == c.want
}

test_a_parent_that_is_a_subagent_restricts_its_child if {
	facts := testing.call({"agent": {"id": "child", "depth": 0, "parents": [{"id": "near", "depth": 1}]}})
	testing.fate(facts, {}, "memory_get")[0] == "subagent"
}

test_grant_is_the_last_list_that_filtered[name] if {
	some name, c in {
		"the profile": {"config": {}, "want": {"step": "tools.profile (full)", "path": "tools.profile", "from": "default"}},
		"the global list": {
			"config": {"tools": {"profile": "coding", "allow": ["read"]}},
			"want": {"step": "tools.allow", "path": "tools.allow", "from": "global"},
		},
		"the agent's list": {
			"config": {"tools": {"allow": ["read"]}, "agents": {"main": {"tools": {"allow": ["read"]}}}},
			"want": {"step": "agents.main.tools.allow", "path": "agents.main.tools.allow", "from": "agent"},
		},
		"a deny list grants nothing": {
			"config": {"agents": {"main": {"tools": {"deny": ["write"]}}}},
			"want": {"step": "tools.profile (full)", "path": "tools.profile", "from": "default"},
		},
	}
	grant := effective.result.grant with input as testing.facts with data.config as c.config
	grant == c.want
}

test_the_earliest_removal_is_the_reason if {
	settings := {"tools": {"profile": "messaging", "deny": ["exec"]}}
	testing.fate(testing.facts, settings, "exec") == ["not_allowed", "tools.profile (messaging)", "tools.profile", "global"]
}

# R7: exec implies apply_patch, and apply_patch goes when exec goes.
test_apply_patch_goes_when_exec_does[name] if {
	some name, c in {
		"a later step removes exec": {"tools": {"allow": ["exec", "read"]}, "main": {"deny": ["exec"]}, "want": {"read"}},
		"the list itself has apply_patch": {
			"tools": {"allow": ["exec", "read", "apply_patch"]},
			"main": {"deny": ["exec"]},
			"want": {"read", "apply_patch"},
		},
		"exec stays": {"tools": {"allow": ["exec", "read"]}, "main": {}, "want": {"read", "exec", "apply_patch"}},
	}
	testing.visible(testing.facts, {"tools": c.tools, "agents": {"main": {"tools": c.main}}}) == c.want
}

# process types into running commands, and code_execution runs code; denying exec would mean
# little if either stayed.
test_denying_exec_denies_other_tools_that_run_code[name] if {
	some name, c in {
		"deny exec": {"tools": {"deny": ["exec"]}, "gone": {"exec", "process", "code_execution"}},
		"the alias": {"tools": {"deny": ["BASH"]}, "gone": {"exec", "process", "code_execution"}},
		"a pattern": {"tools": {"deny": ["ex*"]}, "gone": {"exec", "process", "code_execution"}},
		"deny exec, and name process": {
			"tools": {"allow": ["process", "read"], "deny": ["exec"]},
			"gone": {"exec", "process", "code_execution"},
		},
		"exec is not allowed": {"tools": {"allow": ["process", "read", "code_execution"]}, "gone": {"exec", "process"}},
		"deny process leaves exec": {"tools": {"deny": ["process"]}, "gone": {"process"}},
		"nothing is denied": {"tools": {}, "gone": set()},
	}
	visible := testing.visible(testing.facts, {"tools": object.union(c.tools, {"alsoAllow": ["code_execution"]})})
	{"exec", "process", "code_execution"} - visible == c.gone
}

test_process_is_removed_for_the_same_reason_as_exec if {
	testing.fate(testing.facts, {"tools": {"deny": ["exec"]}}, "process") == ["denied", "tools.allow", "tools.deny", "global"]
	testing.fate(testing.facts, {"tools": {"allow": ["process"]}}, "process") == ["not_allowed", "tools.allow", "tools.allow", "global"]
}

# --allow-tool and --deny-tool.
test_tools_set_by_flags[name] if {
	some name, c in {
		"a denied tool": {"tool": "read", "config": {}, "given": {"deny": ["read"]}, "want": ["denied", "--tool", "--tool", "global"]},
		"a denied group": {"tool": "read", "config": {}, "given": {"deny": ["group:fs"]}, "want": ["denied", "--tool", "--tool", "global"]},
		"deny wins over allow": {"tool": "tts", "config": {}, "given": {"allow": ["tts"], "deny": ["tts"]}, "want": ["denied", "--tool", "--tool", "global"]},
		"a tool that the profile has not": {"tool": "tts", "config": {}, "given": {"allow": ["tts"]}, "want": "visible"},
		"a tool that the list for everyone has not": {"tool": "tts", "config": {"allow": ["read"]}, "given": {"allow": ["tts"]}, "want": "visible"},
		"an empty list still restricts nothing": {"tool": "write", "config": {"allow": []}, "given": {"allow": ["tts"]}, "want": "visible"},
		"a deny list holds": {"tool": "tts", "config": {"deny": ["tts"]}, "given": {"allow": ["tts"]}, "want": ["denied", "tools.allow", "tools.deny", "global"]},
		"nothing is for the owner no longer": {"tool": "gateway", "config": {}, "given": {"allow": ["gateway"]}, "want": ["owner_only", "owner only", "", "default"]},
		"an unknown tool by name": {"tool": "deploy", "config": {}, "given": {"allow": ["deploy"]}, "want": "visible"},
	}
	given := {key: [{"value": value, "path": "--tool"} | some value in values] | some key, values in c.given}
	fate := testing.fate(testing.tool(c.tool), {"tools": c.config}, c.tool) with data.gavel.overrides as given
	fate == c.want
}
