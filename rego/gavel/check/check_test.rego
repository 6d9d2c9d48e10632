package gavel.check_test

import data.gavel.check
import data.gavel.testing

_valid(facts, settings) if {
	check.valid with input as facts with data.config as settings
} else := false

test_valid[name] if {
	some name, c in {
		"a configuration without a problem is valid": {"facts": {}, "config": testing.config, "want": true},
		"an empty configuration is valid": {"facts": {}, "config": {}, "want": true},
		"a misspelt value is not valid": {"facts": {}, "config": {"tools": {"exec": {"ask": "allways"}}}, "want": false},
		"a string instead of a list is not valid": {"facts": {}, "config": {"tools": {"deny": "read"}}, "want": false},
		"a list is not a configuration": {"facts": {}, "config": [], "want": false},
		"null is not a configuration": {"facts": {}, "config": null, "want": false},
		"a string is not a configuration": {"facts": {}, "config": "tools: {}", "want": false},
		"a frozen part is not a word about it": {"facts": {"frozen": {"valid": true}}, "config": {"tools": 7}, "want": false},
		"a snapshot has checked before": {"facts": {"snapshot": true}, "config": {"tools": 7}, "want": true},
	}
	_valid(c.facts, c.config) == c.want
}

_problems(settings) := problems if {
	problems := check.problems with data.config as settings
}

test_schema_violations_are_problems[name] if {
	some name, settings in {
		"an unknown key below tools": {"tools": {"alow": ["read"]}},
		"an unknown key below an agent": {"agents": {"main": {"tools": {"denny": ["exec"]}}}},
		"an unknown key below agents.defaults": {"agents": {"defaults": {"excec": {}}}},
		"an unknown word": {"tools": {"exec": {"security": "allow-list"}}},
		"a number instead of a section": {"tools": 7},
		"null instead of a section": {"agents": null},
		"null instead of a list": {"tools": {"deny": null}},
		"a string instead of a list": {"tools": {"deny": "exec"}},
		"a blank entry of a list": {"tools": {"allow": [" "]}},
		"an allowlist entry without a pattern": {"tools": {"exec": {"allowlist": [{"args": "any"}]}}},
		"a key that belongs below exec": {"tools": {"applyPatch": {"enabled": true}}},
		"providers, a key that belongs elsewhere": {"providers": [{}]},
	}
	some problem in _problems(settings)
	problem.path == ""
	problem.message != ""
}

test_a_configuration_that_is_not_an_object[name] if {
	some name, settings in {"a list": [], "null": null, "a number": 7, "a text": "x"}
	count(_problems(settings)) == 1
}

test_schema_that_cannot_be_read_is_a_problem if {
	problems := check.problems with data.config as testing.config with data.gavel.config.schema as 7
	count(problems) == 1
}

test_sections_of_other_programs_are_ignored if {
	_problems({"gateway": {"port": 1}, "plugins": [], "somebody": {"else": true}}) == set()
}

test_unknown_profile[name] if {
	some name, c in {
		"in tools.profile": {"config": {"tools": {"profile": "codding"}}, "path": "tools.profile"},
		"of an agent": {"config": {"agents": {"main": {"tools": {"profile": "codding"}}}}, "path": "agents.main.tools.profile"},
		"of a provider": {
			"config": {"tools": {"byProvider": {"openai": {"profile": "codding"}}}},
			"path": "tools.byProvider.openai.profile",
		},
	}
	some problem in _problems(c.config)
	problem.path == c.path
	problem.value == "codding"
	"coding" in problem.candidates
	contains(problem.message, "codding")
}

test_a_configured_profile_is_known if {
	_problems({"tools": {"profile": "tiny", "profiles": {"tiny": ["read"]}}}) == set()
}

test_unknown_group[name] if {
	some name, c in {
		"in an allow list": {"config": {"tools": {"allow": ["read", "group:file"]}}, "path": "tools.allow[1]"},
		"in a deny list": {"config": {"agents": {"main": {"tools": {"deny": ["group:file"]}}}}, "path": "agents.main.tools.deny[0]"},
		"in a profile": {"config": {"tools": {"profiles": {"tiny": ["group:file"]}}}, "path": "tools.profiles.tiny[0]"},
		"in a group of a channel": {
			"config": {"channels": {"discord": {"groups": {"g1": {"tools": {"alsoAllow": ["group:file"]}}}}}},
			"path": "channels.discord.groups.g1.tools.alsoAllow[0]",
		},
	}
	some problem in _problems(c.config)
	problem.path == c.path
	problem.value == "group:file"
	"group:fs" in problem.candidates
}

test_groups_are_not_patterns if {
	{problem.value | some problem in _problems({"tools": {"deny": ["group:*", "group:runtim*"]}})} == {"group:*", "group:runtim*"}
}

test_known_groups_are_accepted[name] if {
	some name, entry in {
		"as it stands": "group:fs",
		"in another case, with spaces": " Group:FS ",
		"the group of plugins": "group:plugins",
		"the group of MCP tools": "group:mcp",
	}
	_problems({"tools": {"allow": [entry]}}) == set()
}

_unknown_tools(settings) := {location.value | some location in found} if {
	found := check.unknown_tools with data.config as settings
}

test_unknown_tools[name] if {
	some name, c in {
		"a misspelt tool": {"entry": "raed", "want": {"raed"}},
		"a core tool": {"entry": "read", "want": set()},
		"an alias in another case": {"entry": " BASH ", "want": set()},
		"a pattern": {"entry": "raed*", "want": set()},
		"a tool of an MCP server": {"entry": "mcp:github/get_issue", "want": set()},
		"a tool of an MCP server as hosts write it": {"entry": "mcp__github__get_issue", "want": set()},
		"everything": {"entry": "*", "want": set()},
		"a group": {"entry": "group:fs", "want": set()},
		"a channel": {"entry": "discord", "want": set()},
		"a tool without a group": {"entry": "pdf", "want": set()},
	}
	_unknown_tools({"tools": {"deny": [c.entry]}}) == c.want
}

_warnings(settings) := warnings if {
	warnings := check.warnings with data.config as settings
}

test_warnings_about_an_allowlist[name] if {
	some name, c in {
		"a bare name never matches": {"entry": "rg", "want": "never matches"},
		"a bare name in an object never matches": {"entry": {"pattern": "rg"}, "want": "never matches"},
		"a star permits everything": {"entry": "*", "want": "permits every program"},
	}
	[warning] := [w | some w in _warnings({"agents": {"main": {"exec": {"allowlist": ["/bin/ls", c.entry]}}}})]
	warning.path == "agents.main.exec.allowlist[1]"
	contains(warning.message, c.want)
}

test_no_warnings_about_paths[name] if {
	some name, entry in {"a path": "/bin/ls", "a home": "~/bin/x", "an object": {"pattern": "/bin/rg"}}
	_warnings({"tools": {"exec": {"allowlist": [entry]}}}) == set()
}

test_warnings_about_senders[name] if {
	some name, c in {
		"a name can be chosen": {"key": "name:Alice", "want": 1},
		"a user name can be chosen": {"key": "username:alice", "want": 1},
		"an id is proof": {"key": "id:123", "want": 0},
		"a number is proof": {"key": "e164:+1555", "want": 0},
		"* is not an identity": {"key": "*", "want": 0},
	}
	settings := {"channels": {"discord": {"groups": {"g1": {"toolsBySender": {c.key: {"allow": ["read"]}}}}}}}
	warnings := _warnings(settings)
	count(warnings) == c.want
	every warning in warnings {
		warning.path == sprintf("channels.discord.groups.g1.toolsBySender.%s", [c.key])
	}
}

test_channel_ids_are_not_core_tools if {
	"discord" in check.channel_ids
	not "browser" in check.channel_ids
}

test_kinds_of_senders_are_checked[name] if {
	some name, c in {
		"an unknown kind": {"key": "frm:alice", "problems": 1},
		"a kind that another setting has": {"key": "tag:alice#1", "problems": 1},
		"an id": {"key": "id:alice", "problems": 0},
		"channel and id": {"key": "channel:discord:7", "problems": 0},
		"an id without a prefix": {"key": "@alice:matrix.org", "problems": 0},
		"everybody": {"key": "*", "problems": 0},
	}
	count(_problems({"channels": {"discord": {"groups": {"g1": {"toolsBySender": {c.key: {}}}}}}})) == c.problems
}

test_groups_whose_ids_differ_in_case[name] if {
	groups := {"C01": {}, "c01": {}}
	some name, c in {
		"are two groups where ids are case-sensitive": {"channels": {"signal": {"groups": groups}}, "problems": 0},
		"are one group where ids are case-insensitive": {"channels": {"slack": {"groups": groups}}, "problems": 1},
		"are one group of an account, too": {"channels": {"slack": {"accounts": {"work": {"groups": groups}}}}, "problems": 1},
	}
	count(_problems({"channels": c.channels})) == c.problems
}

test_an_unknown_tool_of_a_verifier_is_one_problem[name] if {
	some name, c in {
		"everybody's": {"settings": {"tools": {"verifier": {"scope": {"include": ["raed"]}}}}, "path": "tools.verifier.scope.include[0]"},
		"an agent's": {
			"settings": {"agents": {"main": {"tools": {"verifier": {"scope": {"exclude": ["raed"]}}}}}},
			"path": "agents.main.tools.verifier.scope.exclude[0]",
		},
	}
	_unknown_tools(c.settings) == set()
	problems := check.problems with data.config as c.settings
	count([1 | some problem in problems; problem.path == c.path]) == 1
}

test_tools_of_hosts_are_known if {
	found := check.unknown_tools with data.config as {"agents": {"main": {"tools": {"alsoAllow": ["todowrite", "TodoWrite", "todowriet"]}}}}
	{entry.value | some entry in found} == {"todowriet"}
}

test_the_tool_of_the_credential_daemon_is_known_where_it_is_added[name] if {
	some name, c in {
		"added": {"tools": {"alsoAllow": ["credential"]}, "want": set()},
		"denied": {"tools": {"deny": ["credential"]}, "want": set()},
		"the only one of a list, which is dropped": {"tools": {"allow": ["credential"]}, "want": {"credential"}},
		"misspelt": {"tools": {"alsoAllow": ["credentials"]}, "want": {"credentials"}},
	}
	_unknown_tools({"tools": c.tools}) == c.want
}

test_a_mode_and_its_parts_must_agree[name] if {
	some name, c in {
		"another security": {"exec": {"mode": "ask", "security": "full"}, "want": {"tools.exec.mode"}},
		"another ask": {"exec": {"mode": "full", "ask": "always"}, "want": {"tools.exec.mode"}},
		"the same": {"exec": {"mode": "ask", "security": "allowlist", "ask": "on-miss"}, "want": set()},
		"a mode alone": {"exec": {"mode": "full"}, "want": set()},
	}
	c.want == {problem.path | some problem in check.problems} with data.config as {"tools": {"exec": c.exec}}
}

test_agents_to_spawn_must_be_configured[name] if {
	some name, c in {
		"a configured agent": {"list": ["Coder", "*"], "agents": {}, "want": set()},
		"a misspelt agent": {"list": ["main", "codr"], "agents": {}, "want": {"agents.main.subagents.allowAgents[1]"}},
		"any agent, where the defaults admit it": {"list": ["other"], "agents": {"defaults": {}}, "want": set()},
	}
	config := {"agents": object.union({"main": {"subagents": {"allowAgents": c.list}}, "coder": {}}, c.agents)}
	c.want == {problem.path | some problem in check.problems} with data.config as config
}

test_names_that_tell_the_edition[name] if {
	some name, c in {
		"names of the documents": {"list": ["exec", "cron", "group:fs", "*"], "want": set()},
		"a newer tool": {"list": ["read", "Conversations_Send"], "want": {"tools.allow[1]"}},
		"a newer name": {"list": ["automations"], "want": {"tools.allow[0]"}},
	}
	c.want == {found.path | some found in check.newer_tools} with data.config as {"tools": {"allow": c.list}}
}

# What gavel was started with is checked as the configuration is.
test_names_set_by_flags_are_checked[name] if {
	some name, c in {
		"a profile": {"given": {"profile": {"value": "codin", "path": "--profile"}}, "want": {"--profile"}},
		"a group": {"given": {"deny": [{"value": "group:fss", "path": "--deny-tool"}]}, "want": {"--deny-tool"}},
		"known names": {"given": {"profile": {"value": "coding", "path": "--profile"}, "allow": [{"value": "tts", "path": "--allow-tool"}]}, "want": set()},
	}
	problems := check.problems with data.config as {} with data.gavel.overrides as c.given
	c.want == {problem.path | some problem in problems}
}
