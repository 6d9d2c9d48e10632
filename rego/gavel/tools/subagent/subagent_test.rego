package gavel.tools.subagent_test

import data.gavel.testing

_at(depth, max_depth) := testing.call({"agent": {"depth": depth, "maxDepth": max_depth}, "sender": {"owner": true}})

_subagent := ["subagent", "subagent tools.allow", "tools.subagents.tools.deny", "default"]

_everything_allowed := {"tools": {"alsoAllow": ["*"]}}

_always := {
	"gateway", "agents_list", "whatsapp_login", "session_status",
	"cron", "memory_search", "memory_get", "sessions_send",
}

_leaf := {"subagents", "sessions_list", "sessions_history", "sessions_spawn"}

_lost(facts, settings) := {name |
	some name, why in removed
	why.kind == "subagent"
} if {
	removed := data.gavel.tools.effective.result.removed with input as facts with data.config as settings
}

# TOOLS-8, R9. maxDepth 0 means that the gateway stated none.
test_depth[name] if {
	some name, c in {
		"the orchestrator loses nothing": {"depth": 0, "max": 1, "want": set()},
		"a subagent below the limit loses the first list": {"depth": 1, "max": 2, "want": _always},
		"a leaf loses both": {"depth": 2, "max": 2, "want": (_always | _leaf)},
		"beyond the limit is a leaf": {"depth": 7, "max": 2, "want": (_always | _leaf)},
		"the default limit makes the first subagent a leaf": {"depth": 1, "max": 0, "want": (_always | _leaf)},
		"a negative limit does not count": {"depth": 1, "max": -1, "want": (_always | _leaf)},
		"a negative depth does not make an orchestrator": {"depth": -1, "max": 2, "want": _always},
		"a depth that is a string means a leaf": {"depth": "zero", "max": 2, "want": (_always | _leaf)},
	}
	_lost(_at(c.depth, c.max), _everything_allowed) == c.want
}

test_subagent_below_the_limit_loses_the_first_list if {
	settings := object.union(_everything_allowed, {"agents": {"defaults": {"subagents": {"maxSpawnDepth": 2}}}})
	_lost(_at(1, 2), settings) == _always
}

test_unknown_depth_is_a_leaf if {
	_lost(json.remove(_at(0, 2), ["agent/depth"]), _everything_allowed) == _always | _leaf
}

test_smallest_limit_wins[name] if {
	some name, c in {
		"the configured one": {"max": 5, "agents": {"main": {"subagents": {"maxSpawnDepth": 2}}}, "leaf": true},
		"the gateway's": {"max": 2, "agents": {"main": {"subagents": {"maxSpawnDepth": 5}}}, "leaf": true},
		"of the defaults": {"max": 5, "agents": {"defaults": {"subagents": {"maxSpawnDepth": 2}}}, "leaf": true},
		"both are greater": {"max": 5, "agents": {"main": {"subagents": {"maxSpawnDepth": 3}}}, "leaf": false},
		"a gateway that names none leaves it to the configuration": {
			"max": 0,
			"agents": {"main": {"subagents": {"maxSpawnDepth": 3}}},
			"leaf": false,
		},
	}
	lost := _lost(_at(2, c.max), object.union(_everything_allowed, {"agents": c.agents}))
	is_leaf := "subagents" in lost
	is_leaf == c.leaf
}

_lifting(lists) := {"tools": {"alsoAllow": ["*"]}, "agents": {"main": {"tools": lists}}}

test_restoring_denied_tools[name] if {
	some name, c in {
		"an exact name restores a tool of the first list": {"lists": {"allow": ["memory_get"]}, "tool": "memory_get", "want": "visible"},
		"so does another spelling of it": {"lists": {"allow": [" Memory_Get "]}, "tool": "memory_get", "want": "visible"},
		"a pattern does not": {"lists": {"allow": ["memory_*"]}, "tool": "memory_get", "want": _subagent},
		"a star does not": {"lists": {"allow": ["*"]}, "tool": "memory_get", "want": _subagent},
		"a group does not": {"lists": {"allow": ["group:memory"]}, "tool": "memory_get", "want": _subagent},
		"alsoAllow does not": {"lists": {"alsoAllow": ["memory_get"]}, "tool": "memory_get", "want": _subagent},
		"nothing restores a tool of the second list": {
			"lists": {"allow": ["sessions_spawn"]},
			"tool": "sessions_spawn",
			"want": _subagent,
		},
	}
	testing.fate(_at(2, 2), _lifting(c.lists), c.tool) == c.want
}

test_a_global_list_restores_nothing[name] if {
	some name, settings in {
		"the global list": {"tools": {"allow": ["memory_get", "read"]}},
		"the list of agents.defaults": {"agents": {"defaults": {"tools": {"allow": ["memory_get"]}}}},
		"the list of subagents": {"tools": {"subagents": {"tools": {"allow": ["memory_get"]}}}},
		"another agent's list": {"agents": {"other": {"tools": {"allow": ["memory_get"]}}}},
	}
	testing.fate(_at(2, 2), settings, "memory_get") == _subagent
}

test_owner_only_tools_stay_with_the_owner if {
	facts := testing.call({"agent": {"depth": 1, "maxDepth": 2}})
	testing.fate(facts, _lifting({"allow": ["cron"]}), "cron")[0] == "owner_only"
	testing.fate(_at(1, 2), _lifting({"allow": ["cron"]}), "cron") == "visible"
}

_subagents(lists) := {"tools": {"subagents": {"tools": lists}}}

test_configured_lists[name] if {
	some name, c in {
		"a deny list adds to the built-in ones": {
			"lists": {"deny": ["read"]},
			"tool": "read",
			"want": ["denied", "subagent tools.allow", "tools.subagents.tools.deny", "global"],
		},
		"it denies a tool that an agent would restore": {
			"lists": {"deny": ["memory_get"]},
			"tool": "memory_get",
			"want": ["denied", "subagent tools.allow", "tools.subagents.tools.deny", "global"],
		},
		"an allow list removes the rest": {
			"lists": {"allow": ["write"]},
			"tool": "read",
			"want": ["not_allowed", "subagent tools.allow", "tools.subagents.tools.allow", "global"],
		},
		"alsoAllow adds to the allow list": {"lists": {"allow": ["write"], "alsoAllow": ["read"]}, "tool": "read", "want": "visible"},
		"alsoAllow alone makes no list": {"lists": {"alsoAllow": ["write"]}, "tool": "read", "want": "visible"},
		"an empty allow list filters nothing (R5)": {"lists": {"allow": []}, "tool": "read", "want": "visible"},
	}
	settings := object.union(_subagents(c.lists), {"agents": {"main": {"tools": {"allow": ["read", "write", "memory_get"]}}}})
	testing.fate(_at(2, 2), settings, c.tool) == c.want
}

# The agent's own lists: deny lists add up; allow and alsoAllow replace the global ones.
test_lists_of_the_agent[name] if {
	step := "subagent tools.allow"
	own := "agents.main.tools.subagents.tools"
	some name, c in {
		"its deny list": {"all": {}, "own": {"deny": ["read"]}, "want": ["denied", step, sprintf("%s.deny", [own]), "agent"]},
		"everybody's deny list holds as well": {
			"all": {"deny": ["read"]},
			"own": {"deny": ["write"]},
			"want": ["denied", step, "tools.subagents.tools.deny", "global"],
		},
		"its allow list": {
			"all": {"allow": ["read"]},
			"own": {"allow": ["write"]},
			"want": ["not_allowed", step, sprintf("%s.allow", [own]), "agent"],
		},
		"its alsoAllow": {"all": {"allow": ["write"]}, "own": {"alsoAllow": ["read"]}, "want": "visible"},
		"its alsoAllow replaces everybody's": {
			"all": {"allow": ["write"], "alsoAllow": ["read"]},
			"own": {"alsoAllow": ["edit"]},
			"want": ["not_allowed", step, "tools.subagents.tools.allow", "global"],
		},
	}
	settings := object.union(_subagents(c.all), {"agents": {"main": {"tools": {"subagents": {"tools": c.own}}}}})
	testing.fate(_at(2, 2), settings, "read") == c.want
}

test_lists_of_subagents_are_not_for_the_orchestrator if {
	testing.fate(_at(0, 2), _subagents({"deny": ["read"]}), "read") == "visible"
}
