package gavel.tools.sandbox_test

import data.gavel.testing

_boxed := testing.call({"agent": {"sandboxed": true}})

_boxed_global(lists) := {"tools": {"sandbox": {"tools": lists}}}

_boxed_agent(lists) := {"agents": {"main": {"tools": {"sandbox": {"tools": lists}}}}}

_box := "sandbox tools.allow"

test_sandbox_defaults_match_the_documentation if {
	testing.visible(_boxed, {}) == {
		"exec", "process", "read", "write", "edit", "apply_patch", "image", "sessions_list",
		"sessions_history", "sessions_send", "sessions_spawn", "sessions_yield", "subagents", "session_status",
	}
}

# Each removal names its source: agent, global or default (TOOLS-9).
test_sandbox_sources[name] if {
	some name, c in {
		"the default allow list": {
			"config": {},
			"tool": "web_fetch",
			"want": ["not_allowed", _box, "tools.sandbox.tools.allow", "default"],
		},
		"the default deny list": {
			"config": {"tools": {"alsoAllow": ["browser"]}},
			"tool": "browser",
			"want": ["denied", _box, "tools.sandbox.tools.deny", "default"],
		},
		"the global allow list": {
			"config": _boxed_global({"allow": ["write"]}),
			"tool": "read",
			"want": ["not_allowed", _box, "tools.sandbox.tools.allow", "global"],
		},
		"the global deny list": {
			"config": _boxed_global({"deny": ["read"]}),
			"tool": "read",
			"want": ["denied", _box, "tools.sandbox.tools.deny", "global"],
		},
		"the agent's allow list": {
			"config": object.union(_boxed_global({"allow": ["read"]}), _boxed_agent({"allow": ["write"]})),
			"tool": "read",
			"want": ["not_allowed", _box, "agents.main.tools.sandbox.tools.allow", "agent"],
		},
		"the agent's deny list": {
			"config": object.union(_boxed_global({"deny": []}), _boxed_agent({"deny": ["read"]})),
			"tool": "read",
			"want": ["denied", _box, "agents.main.tools.sandbox.tools.deny", "agent"],
		},
		"the lists are chosen one by one": {
			"config": object.union(_boxed_global({"deny": ["read"]}), _boxed_agent({"allow": ["read"]})),
			"tool": "read",
			"want": ["denied", _box, "tools.sandbox.tools.deny", "global"],
		},
		"the agent's list replaces the global one": {
			"config": object.union(_boxed_global({"deny": ["read"]}), _boxed_agent({"deny": []})),
			"tool": "read",
			"want": "visible",
		},
		"an allow list restores no default deny": {
			"config": object.union(_boxed_global({"allow": ["browser"]}), {"tools": {"alsoAllow": ["browser"]}}),
			"tool": "browser",
			"want": ["denied", _box, "tools.sandbox.tools.deny", "default"],
		},
		"an empty allow list filters nothing (R5)": {
			"config": _boxed_global({"allow": []}),
			"tool": "web_fetch",
			"want": "visible",
		},
		"a channel is denied": {
			"config": {"tools": {"alsoAllow": ["discord"]}},
			"tool": "discord",
			"want": ["denied", _box, "tools.sandbox.tools.deny", "default"],
		},
	}
	testing.fate(object.union(_boxed, {"plugins": {"chat": ["discord"]}}), c.config, c.tool) == c.want
}

test_sandbox_also_allow[name] if {
	some name, c in {
		"the documents' short form": {"config": {"agents": {"main": {"sandbox": {"alsoAllow": ["web_fetch"]}}}}, "want": true},
		"the agent's list": {"config": _boxed_agent({"alsoAllow": ["web_fetch"]}), "want": true},
		"both of them": {
			"config": object.union(
				_boxed_agent({"alsoAllow": ["web_search"]}),
				{"agents": {"main": {"sandbox": {"alsoAllow": ["web_fetch"]}}}},
			),
			"want": true,
		},
		"the global list": {"config": _boxed_global({"alsoAllow": ["group:web"]}), "want": true},
		"the agent's replaces the global one": {
			"config": object.union(_boxed_global({"alsoAllow": ["web_fetch"]}), _boxed_agent({"alsoAllow": ["tts"]})),
			"want": false,
		},
		"what the profile removed stays removed": {
			"config": object.union(_boxed_agent({"alsoAllow": ["web_fetch"]}), {"tools": {"profile": "minimal"}}),
			"want": false,
		},
		"deny wins over it": {
			"config": _boxed_agent({"alsoAllow": ["web_fetch"], "deny": ["web_fetch"]}),
			"want": false,
		},
	}
	has := "web_fetch" in testing.visible(_boxed, c.config)
	has == c.want
}

test_a_configured_list_keeps_image[name] if {
	some name, c in {
		"it is added": {"config": _boxed_global({"allow": ["read"]}), "want": {"read", "image"}},
		"it is added once": {"config": _boxed_global({"allow": ["read", "image"]}), "want": {"read", "image"}},
		"denied, it is not": {"config": _boxed_global({"allow": ["read"], "deny": ["image"]}), "want": {"read"}},
		"denied by a pattern, it is not": {"config": _boxed_global({"allow": ["read"], "deny": ["im*"]}), "want": {"read"}},
	}
	testing.visible(_boxed, c.config) == c.want
}

test_exec_in_a_sandbox_implies_apply_patch if {
	testing.visible(_boxed, _boxed_global({"allow": ["exec"]})) == {"exec", "apply_patch", "image"}
}

test_sandbox_lists_are_for_sandboxes_only if {
	testing.fate(testing.facts, _boxed_global({"deny": ["read"]}), "read") == "visible"
}

# SANDBOX-1.
test_workspace_access[name] if {
	some name, c in {
		"read-only takes the writing tools away": {
			"facts": _boxed,
			"config": {"sandboxing": {"workspaceAccess": "ro"}},
			"want": ["read_only", "sandbox workspaceAccess", "sandboxing.workspaceAccess", "global"],
		},
		"of one agent": {
			"facts": _boxed,
			"config": {"agents": {"main": {"sandbox": {"workspaceAccess": "ro"}}}},
			"want": ["read_only", "sandbox workspaceAccess", "agents.main.sandbox.workspaceAccess", "agent"],
		},
		"the agent's wins": {
			"facts": _boxed,
			"config": {
				"sandboxing": {"workspaceAccess": "ro"},
				"agents": {"main": {"sandbox": {"workspaceAccess": "rw"}}},
			},
			"want": "visible",
		},
		"read and write": {"facts": _boxed, "config": {"sandboxing": {"workspaceAccess": "rw"}}, "want": "visible"},
		"none keeps the tools": {"facts": _boxed, "config": {"sandboxing": {"workspaceAccess": "none"}}, "want": "visible"},
		"outside a sandbox it has no effect": {
			"facts": testing.facts,
			"config": {"sandboxing": {"workspaceAccess": "ro"}},
			"want": "visible",
		},
	}
	every tool in ["write", "edit", "apply_patch"] { testing.fate(c.facts, c.config, tool) == c.want }
}

test_read_only_workspace_can_be_read if {
	testing.fate(_boxed, {"sandboxing": {"workspaceAccess": "ro"}}, "read") == "visible"
}
