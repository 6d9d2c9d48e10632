package gavel.tools.steps_test

import data.gavel.testing
import data.gavel.tools.steps
import data.gavel.tools.subjects

_labels(facts, settings) := [step.label | some step in found] if {
	found := steps.of(subjects.self) with input as facts with data.config as settings
}

# R8: nine steps, in this order, each with a label for the key that it read.
_everything := {
	"tools": {
		"profile": "full",
		"allow": ["*"],
		"byProvider": {"openai": {"profile": "coding", "allow": ["*"]}},
	},
	"agents": {"main": {"tools": {"allow": ["*"], "byProvider": {"openai/gpt-5.2": {"allow": ["*"]}}}}},
	"channels": {"discord": {"groups": {"*": {"tools": {"allow": ["*"]}}}}},
	"sandboxing": {"mode": "all", "workspaceAccess": "ro"},
}

test_steps_are_in_order if {
	_labels(testing.call({"agent": {"depth": 1}}), _everything) == [
		"tools.profile (full)",
		"tools.byProvider.profile (coding)",
		"tools.allow",
		"tools.byProvider.allow",
		"agents.main.tools.allow",
		"agents.main.tools.byProvider.allow",
		"group tools.allow",
		"sandbox tools.allow",
		"sandbox workspaceAccess",
		"subagent tools.allow",
	]
}

test_steps_without_a_policy_are_left_out if {
	_labels(testing.facts, {}) == ["tools.profile (full)", "tools.allow"]
}

# The effect of each step from outside: the tool, the step and the path.
test_each_step_removes[name] if {
	some name, c in {
		"step 1, the profile": {
			"config": {"tools": {"profile": "messaging"}},
			"want": ["not_allowed", "tools.profile (messaging)", "tools.profile", "global"],
		},
		"step 1, the agent's profile": {
			"config": {"tools": {"profile": "full"}, "agents": {"main": {"tools": {"profile": "minimal"}}}},
			"want": ["not_allowed", "tools.profile (minimal)", "agents.main.tools.profile", "agent"],
		},
		"step 1, a profile that nothing defines has nothing": {
			"config": {"tools": {"profile": "codding"}},
			"want": ["not_allowed", "tools.profile (codding)", "tools.profile", "global"],
		},
		"step 2, the provider's profile": {
			"config": {"tools": {"byProvider": {"openai": {"profile": "minimal"}}}},
			"want": ["not_allowed", "tools.byProvider.profile (minimal)", "tools.byProvider.openai.profile", "global"],
		},
		"step 2, the agent's entry for the provider wins": {
			"config": {
				"tools": {"byProvider": {"openai": {"profile": "full"}}},
				"agents": {"main": {"tools": {"byProvider": {"openai": {"profile": "minimal"}}}}},
			},
			"want": [
				"not_allowed",
				"tools.byProvider.profile (minimal)",
				"agents.main.tools.byProvider.openai.profile",
				"agent",
			],
		},
		"step 3, the global allow list": {
			"config": {"tools": {"allow": ["write"]}},
			"want": ["not_allowed", "tools.allow", "tools.allow", "global"],
		},
		"step 3, the global deny list": {
			"config": {"tools": {"deny": ["group:fs"]}},
			"want": ["denied", "tools.allow", "tools.deny", "global"],
		},
		"step 4, the provider's allow list": {
			"config": {"tools": {"byProvider": {"openai": {"allow": ["write"]}}}},
			"want": ["not_allowed", "tools.byProvider.allow", "tools.byProvider.openai.allow", "global"],
		},
		"step 4, the model's deny list": {
			"config": {"tools": {"byProvider": {"openai": {}, "openai/gpt-5.2": {"deny": ["read"]}}}},
			"want": ["denied", "tools.byProvider.allow", "tools.byProvider.openai/gpt-5.2.deny", "global"],
		},
		"step 5, the agent's allow list": {
			"config": {"agents": {"main": {"tools": {"allow": ["write"]}}}},
			"want": ["not_allowed", "agents.main.tools.allow", "agents.main.tools.allow", "agent"],
		},
		"step 5, the agent's deny list": {
			"config": {"agents": {"main": {"tools": {"deny": ["rea*"]}}}},
			"want": ["denied", "agents.main.tools.allow", "agents.main.tools.deny", "agent"],
		},
		"step 6, the agent's list for the provider": {
			"config": {"agents": {"main": {"tools": {"byProvider": {"openai": {"deny": ["read"]}}}}}},
			"want": [
				"denied",
				"agents.main.tools.byProvider.allow",
				"agents.main.tools.byProvider.openai.deny",
				"agent",
			],
		},
		"step 6, the defaults' list for the provider": {
			"config": {"agents": {"defaults": {"tools": {"byProvider": {"openai": {"deny": ["read"]}}}}}},
			"want": [
				"denied",
				"agents.main.tools.byProvider.allow",
				"agents.defaults.tools.byProvider.openai.deny",
				"global",
			],
		},
		"step 7, the list of the group": {
			"config": {"channels": {"discord": {"groups": {"*": {"tools": {"deny": ["read"]}}}}}},
			"want": ["denied", "group tools.allow", "channels.discord.groups.*.tools.deny", "global"],
		},
		"deny wins inside a step": {
			"config": {"tools": {"allow": ["read"], "deny": ["read"]}},
			"want": ["denied", "tools.allow", "tools.deny", "global"],
		},
		"a later allow list restores nothing": {
			"config": {"tools": {"deny": ["read"]}, "agents": {"main": {"tools": {"allow": ["read"]}}}},
			"want": ["denied", "tools.allow", "tools.deny", "global"],
		},
		"an empty allow list filters nothing (R5)": {"config": {"tools": {"allow": []}}, "want": "visible"},
		"another provider's entry has no effect": {
			"config": {"tools": {"byProvider": {"anthropic": {"profile": "minimal", "deny": ["read"]}}}},
			"want": "visible",
		},
		"a group that nothing defines allows nothing": {
			"config": {"tools": {"allow": ["group:file"]}},
			"want": ["not_allowed", "tools.allow", "tools.allow", "global"],
		},
	}
	testing.fate(testing.facts, c.config, "read") == c.want
}

test_also_allow[name] if {
	some name, c in {
		"without it a profile has no browser": {"config": {"tools": {"profile": "coding"}}, "want": false},
		"it adds to the profile": {"config": {"tools": {"profile": "coding", "alsoAllow": ["browser"]}}, "want": true},
		"the agent's replaces the global one": {
			"config": {
				"tools": {"alsoAllow": ["browser"]},
				"agents": {"main": {"tools": {"alsoAllow": ["tts"]}}},
			},
			"want": false,
		},
		"it adds to an allow list": {
			"config": {"tools": {"alsoAllow": ["browser"], "allow": ["read"]}},
			"want": true,
		},
		"it does not create an allow list": {
			"config": {"agents": {"main": {"tools": {"alsoAllow": ["browser"]}}}},
			"want": true,
		},
		"deny wins over it": {"config": {"tools": {"alsoAllow": ["browser"], "deny": ["browser"]}}, "want": false},
		"a provider's profile does not lift what the first one left out": {
			"config": {"tools": {"byProvider": {"openai": {"profile": "full", "alsoAllow": ["browser"]}}}},
			"want": false,
		},
		"both profiles have to allow": {
			"config": {"tools": {
				"alsoAllow": ["browser"],
				"byProvider": {"openai": {"profile": "full", "alsoAllow": ["browser"]}},
			}},
			"want": true,
		},
	}
	has := "browser" in testing.visible(testing.facts, c.config)
	has == c.want
}

test_also_allow_alone_leaves_the_rest_alone if {
	settings := {"agents": {"main": {"tools": {"alsoAllow": ["browser"]}}}}
	testing.visible(testing.facts, settings) == testing.visible(testing.facts, {}) | {"browser"}
}

# TOOLS-5: a section adds its tools just by being there.
test_sections_imply_tools[name] if {
	some name, c in {
		"nothing": {"config": {}, "want": set()},
		"tools.exec": {"config": {"tools": {"exec": {}}}, "want": {"exec", "process", "apply_patch"}},
		"tools.fs": {"config": {"tools": {"fs": {}}}, "want": {"read", "write", "edit"}},
		"agents.main.exec": {"config": {"agents": {"main": {"exec": {}}}}, "want": {"exec", "process", "apply_patch"}},
		"agents.main.tools.exec": {
			"config": {"agents": {"main": {"tools": {"exec": {}}}}},
			"want": {"exec", "process", "apply_patch"},
		},
		"agents.main.tools.fs": {"config": {"agents": {"main": {"tools": {"fs": {}}}}}, "want": {"read", "write", "edit"}},
		"another agent's section": {"config": {"agents": {"other": {"exec": {}}}}, "want": set()},
	}
	visible := testing.visible(testing.facts, object.union({"tools": {"profile": "minimal"}}, c.config))
	visible == c.want | {"session_status"}
}

# R7.
test_apply_patch[name] if {
	some name, c in {
		"exec implies it": {"tools": {"allow": ["exec"]}, "want": "visible"},
		"the alias implies it": {"tools": {"allow": ["BASH"]}, "want": "visible"},
		"a group with exec implies it": {"tools": {"allow": ["group:runtime"]}, "want": "visible"},
		"a pattern for exec implies it": {"tools": {"allow": ["ex*"]}, "want": "visible"},
		"write does not": {"tools": {"allow": ["write"]}, "want": ["not_allowed", "tools.allow", "tools.allow", "global"]},
		"denying write denies it": {"tools": {"deny": ["write"]}, "want": ["denied", "tools.allow", "tools.deny", "global"]},
		"a pattern that denies write denies it": {
			"tools": {"deny": ["wr*"]},
			"want": ["denied", "tools.allow", "tools.deny", "global"],
		},
		"denying edit does not": {"tools": {"deny": ["edit"]}, "want": "visible"},
		"denying exec does not": {"tools": {"deny": ["exec"]}, "want": "visible"},
		"denying it denies it": {
			"tools": {"allow": ["exec"], "deny": ["apply-patch"]},
			"want": ["denied", "tools.allow", "tools.deny", "global"],
		},
		"exec implies it only where that is configured": {
			"tools": {"allow": ["exec"], "exec": {"applyPatch": {"impliedBy": "none"}}},
			"want": ["not_allowed", "tools.allow", "tools.allow", "global"],
		},
		"named, it needs no exec": {
			"tools": {"allow": ["apply_patch"], "exec": {"applyPatch": {"impliedBy": "none"}}},
			"want": "visible",
		},
	}
	testing.fate(testing.facts, {"tools": c.tools}, "apply_patch") == c.want
}

test_exec_implies_apply_patch_and_nothing_else if {
	testing.visible(testing.facts, {"tools": {"allow": ["exec"]}}) == {"exec", "apply_patch"}
}

# Step 5: the agent's own allow list replaces that of agents.defaults; deny lists add up.
test_agent_and_defaults[name] if {
	some name, c in {
		"the defaults' list holds for an agent without one": {
			"agents": {"defaults": {"tools": {"allow": ["read"]}}, "main": {}},
			"want": {"read"},
		},
		"the agent's list replaces it": {
			"agents": {"defaults": {"tools": {"allow": ["read"]}}, "main": {"tools": {"allow": ["write"]}}},
			"want": {"write"},
		},
		"deny lists add up": {
			"agents": {
				"defaults": {"tools": {"deny": ["read"]}},
				"main": {"tools": {"allow": ["read", "write", "edit"], "deny": ["edit"]}},
			},
			"want": {"write"},
		},
		"an inherited deny of write denies apply_patch": {
			"agents": {
				"defaults": {"tools": {"deny": ["write"]}},
				"main": {"tools": {"allow": ["read", "apply_patch"], "deny": ["edit"]}},
			},
			"want": {"read"},
		},
	}
	testing.visible(testing.facts, {"agents": c.agents}) == c.want
}

# A reason names the list that decided, not another one.
test_inherited_lists_keep_their_path[name] if {
	agents := {
		"defaults": {"tools": {"deny": ["process"], "allow": ["read", "write", "edit", "process"]}},
		"main": {"tools": {"deny": ["edit"]}},
	}
	step := "agents.main.tools.allow"
	some name, c in {
		"the defaults' deny list": {"tool": "process", "want": ["denied", step, "agents.defaults.tools.deny", "global"]},
		"the agent's deny list": {"tool": "edit", "want": ["denied", step, "agents.main.tools.deny", "agent"]},
		"the defaults' allow list": {"tool": "exec", "want": ["not_allowed", step, "agents.defaults.tools.allow", "global"]},
	}
	testing.fate(testing.facts, {"agents": agents}, c.tool) == c.want
}
