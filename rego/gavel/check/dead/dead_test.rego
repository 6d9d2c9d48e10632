package gavel.check.dead_test

import data.gavel.check.dead

_dead(tools) := _warned(tools, "has no effect")

_warned(tools, about) := {warning.path | some warning in warnings; contains(warning.message, about)} if {
	warnings := dead.warnings with data.config as {"tools": tools}
}

test_entries_that_a_deny_list_removes[name] if {
	some name, c in {
		"a tool that is denied": {"tools": {"allow": ["exec", "read"], "deny": ["exec"]}, "want": {"tools.allow[0]"}},
		"a tool whose group is denied": {"tools": {"allow": ["exec"], "deny": ["group:runtime"]}, "want": {"tools.allow[0]"}},
		"a tool that a pattern denies": {"tools": {"alsoAllow": ["lobster"], "deny": ["lob*"]}, "want": {"tools.alsoAllow[0]"}},
		"another name of a tool that is denied": {"tools": {"allow": ["bash"], "deny": ["exec"]}, "want": {"tools.allow[0]"}},
		"a group of which every tool is denied": {"tools": {"allow": ["group:runtime"], "deny": ["*"]}, "want": {"tools.allow[0]"}},
		"a group of which one tool is left": {"tools": {"allow": ["group:runtime"], "deny": ["exec"]}, "want": set()},
		"a tool that is not denied": {"tools": {"allow": ["read"], "deny": ["write"]}, "want": set()},
		"no deny list": {"tools": {"allow": ["read"]}, "want": set()},
		"a pattern that is wider than what is denied": {"tools": {"allow": ["lob*"], "deny": ["lobster"]}, "want": set()},
	}
	_dead(c.tools) == c.want
}

test_a_deny_list_of_another_section_removes_nothing if {
	document := {"tools": {"deny": ["exec"]}, "agents": {"main": {"tools": {"allow": ["exec"]}}}}
	warnings := dead.warnings with data.config as document
	count(warnings) == 0
}

_targets(settings) := {warning.message | some warning in warnings} if {
	warnings := dead.warnings with data.config as {"approvals": {"exec": settings}}
}

test_targets_to_which_nothing_is_sent[name] if {
	some name, c in {
		"forwarding is off": {"settings": {"targets": [{"channel": "slack", "to": "a"}], "mode": "both"}, "want": "approvals.exec.enabled is not true"},
		"questions go to the conversation": {"settings": {"targets": [{"channel": "slack", "to": "a"}], "enabled": true}, "want": "approvals.exec.mode is session"},
	}
	_targets(c.settings) == {concat("", ["no question is sent to a target: ", c.want])}
}

test_used_targets_and_an_empty_list_give_no_warning if {
	count(_targets({"targets": [{"channel": "slack", "to": "a"}], "enabled": true, "mode": "both"})) == 0
	count(_targets({"targets": [], "mode": "session"})) == 0
	count(_targets({})) == 0
}

test_what_permits_commands_where_security_is_deny[name] if {
	some name, c in {
		"an allowlist": {"exec": {"security": "deny", "allowlist": ["/usr/bin/ls"]}, "agent": {}, "want": {"tools.exec.allowlist"}},
		"packs": {"exec": {"security": "deny", "packs": ["git-read"]}, "agent": {}, "want": {"tools.exec.packs"}},
		"an agent has its own security": {"exec": {"security": "deny", "allowlist": ["/usr/bin/ls"]}, "agent": {"security": "allowlist"}, "want": set()},
		"an agent's own list": {"exec": {}, "agent": {"security": "deny", "allowlist": ["/usr/bin/ls"]}, "want": {"agents.main.exec.allowlist"}},
		"an empty list": {"exec": {"security": "deny", "allowlist": []}, "agent": {}, "want": set()},
		"commands may run": {"exec": {"security": "allowlist", "allowlist": ["/usr/bin/ls"]}, "agent": {}, "want": set()},
	}
	document := {"tools": {"exec": c.exec}, "agents": {"main": {"exec": c.agent}}}
	warnings := dead.warnings with data.config as document
	{warning.path | some warning in warnings; contains(warning.message, "security is deny")} == c.want
}

test_elevated_mode_without_a_listed_sender[name] if {
	some name, c in {
		"turned on for nobody": {"global": {"enabled": true}, "agent": {}, "want": {"tools.elevated.enabled"}},
		"an agent's list alone": {"global": {}, "agent": {"allowFrom": {"discord": ["1"]}}, "want": {"agents.main.tools.elevated.allowFrom.discord"}},
		"a list for all": {"global": {"enabled": true, "allowFrom": {"discord": ["1"]}}, "agent": {"allowFrom": {"discord": ["1"]}}, "want": set()},
		"turned off": {"global": {"enabled": false}, "agent": {}, "want": set()},
	}
	document := {"tools": {"elevated": c.global}, "agents": {"main": {"tools": {"elevated": c.agent}}}}
	warnings := dead.warnings with data.config as document
	{warning.path | some warning in warnings; contains(warning.message, "elevated mode")} == c.want
}

test_patterns_that_match_no_known_tool[name] if {
	some name, c in {
		"of a misspelt tool": {"entry": "raed*", "want": {"tools.allow[1]"}},
		"of a plugin, which only a call knows": {"entry": "lobster_*", "want": {"tools.allow[1]"}},
		"of MCP tools, misspelt": {"entry": "mcp_github_*", "want": {"tools.allow[1]"}},
		"of core tools": {"entry": "web_*", "want": set()},
		"of channels": {"entry": "disc*", "want": set()},
		"of everything": {"entry": "*", "want": set()},
		"of an MCP server": {"entry": "mcp:github/*", "want": set()},
		"of an MCP server as hosts write it": {"entry": "mcp__github__*", "want": set()},
		"no pattern": {"entry": "lobster", "want": set()},
	}
	_warned({"allow": ["read", c.entry]}, "matches no tool that Gavel knows") == c.want
}

test_entries_that_name_no_tool_of_an_mcp_server[name] if {
	some name, c in {
		"a server alone": {"entry": "mcp:github", "want": {"tools.deny[0]"}},
		"a server alone as hosts write it": {"entry": "mcp__github", "want": {"tools.deny[0]"}},
		"a tool": {"entry": "mcp:github/get_issue", "want": set()},
		"every tool of a server": {"entry": "mcp:github/*", "want": set()},
		"the group of MCP tools": {"entry": "group:mcp", "want": set()},
	}
	_warned({"deny": [c.entry]}, "names no tool of the MCP server") == c.want
}
