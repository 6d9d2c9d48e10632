package gavel.tools.unlisted_test

import data.gavel.testing

_star := {"tools": {"allow": ["*"]}}

_of_owner(name) := testing.call({"tool": {"name": name}, "sender": {"owner": true}})

_of_anybody(name) := testing.call({"tool": {"name": name}})

_of_subagent(name) := testing.call({"tool": {"name": name}, "sender": {"owner": true}, "agent": {"depth": 1, "maxDepth": 3}})

_unlisted := ["unlisted", "unlisted tools", "tools.allow", "default"]

test_an_unknown_tool_that_a_star_admits[name] if {
	some name, c in {
		"is not for a sender who is not known to be the owner": {"facts": _of_anybody("agents_wait"), "want": _unlisted},
		"is for the owner": {"facts": _of_owner("agents_wait"), "want": "visible"},
		"is for no subagent, not even the owner's": {"facts": _of_subagent("agents_wait"), "want": _unlisted},
		"is unknown although its name begins as a known one does": {"facts": _of_anybody("read2"), "want": _unlisted},
	}
	testing.fate(c.facts, {"tools": {"profile": "full", "alsoAllow": ["*"]}}, c.facts.tool.name) == c.want
}

test_a_list_that_names_an_unknown_tool_allows_it[name] if {
	tools := {"deploy": "deploy", "mcp": "mcp:github/get_issue", "other": "hub__get_issue"}
	some name, c in {
		"tools.alsoAllow": {"tool": tools.deploy, "config": {"tools": {"alsoAllow": ["Deploy"]}}},
		"tools.allow": {"tool": tools.deploy, "config": {"tools": {"alsoAllow": ["*"], "allow": ["deploy"]}}},
		"the agent's own list": {"tool": tools.deploy, "config": {"tools": {"alsoAllow": ["*"]}, "agents": {"main": {"tools": {"allow": ["deploy"]}}}}},
		"the profile": {"tool": tools.deploy, "config": {"tools": {"profile": "ops", "profiles": {"ops": ["deploy"]}}}},
		"a pattern behind a namespace": {"tool": tools.other, "config": {"tools": {"alsoAllow": ["hub__*"]}}},
		"a pattern for an MCP server": {"tool": tools.mcp, "config": {"tools": {"alsoAllow": ["mcp:github/*"]}}},
		"the same as hosts write it": {"tool": tools.mcp, "config": {"tools": {"alsoAllow": ["mcp__github__*"]}}},
		"a pattern for a verb of any MCP server": {"tool": tools.mcp, "config": {"tools": {"alsoAllow": ["mcp:*/get_*"]}}},
		"the group of MCP tools": {"tool": tools.mcp, "config": {"tools": {"alsoAllow": ["group:mcp"]}}},
	}
	testing.fate(_of_anybody(c.tool), c.config, c.tool) == "visible"
}

test_a_pattern_names_no_unknown_tool[name] if {
	some name, entry in {
		"a star": "*",
		"a beginning": "mcp*",
		"a namespace with a star inside": "m*p__*",
		"another server": "mcp:gitlab/*",
		"another server as hosts write it": "mcp__gitlab__*",
		"a pattern behind two underscores": "*__get_issue",
	}
	testing.fate(_of_anybody("mcp:github/get_issue"), {"tools": {"alsoAllow": ["*", entry]}}, "mcp:github/get_issue") == _unlisted
}

test_a_list_for_subagents_names_an_unknown_tool if {
	settings := {"tools": {"alsoAllow": ["*"], "subagents": {"tools": {"allow": ["deploy"]}}}}
	testing.fate(_of_subagent("deploy"), settings, "deploy") == "visible"
}

test_a_parent_that_may_not_use_a_tool_denies_it_to_the_child if {
	child := testing.call({
		"tool": {"name": "deploy"},
		"sender": {"owner": true},
		"agent": {"id": "child", "depth": 1, "maxDepth": 3, "parents": [{"id": "main", "depth": 0}]},
	})
	settings := {"tools": {"alsoAllow": ["*"]}, "agents": {"main": {"tools": {"deny": ["deploy"]}}, "child": {"tools": {"alsoAllow": ["deploy"]}}}}
	testing.fate(child, settings, "deploy")[0] == "denied"
}

test_tools_of_plugins_are_known if {
	facts := testing.call({"tool": {"name": "workflow_tool"}, "plugins": {"lobster": ["workflow_tool"]}})
	testing.fate(facts, {"tools": {"alsoAllow": ["*"]}}, "workflow_tool") == "visible"
}

test_a_missing_owner_does_not_count_as_the_owner if {
	facts := json.remove(_of_owner("deploy"), ["sender/owner"])
	testing.fate(facts, {"tools": {"alsoAllow": ["*"]}}, "deploy") == _unlisted
}
