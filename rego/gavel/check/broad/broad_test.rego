package gavel.check.broad_test

import data.gavel.check.broad

_warned(document) := paths if {
	warnings := broad.warnings with data.config as document
	paths := {warning.path | some warning in warnings}
}

_listing(entry) := {"tools": {"exec": {"allowlist": [entry]}}}

# Warnings of gavel check for a policy that permits a lot.
test_broad_policies_are_warned_about[name] if {
	some name, c in {
		"finding 44: every program of every directory": {"config": _listing("/**"), "paths": {"tools.exec.allowlist[0]"}},
		"finding 44: every program of a directory": {"config": _listing("/usr/bin/*"), "paths": {"tools.exec.allowlist[0]"}},
		"finding 44: every program below the home directory": {"config": _listing("~/bin/**"), "paths": {"tools.exec.allowlist[0]"}},
		"one program in any directory": {"config": _listing("**/rg"), "paths": set()},
		"one program": {"config": _listing("/usr/bin/rg"), "paths": set()},
		"finding 44: python with any argument": {
			"config": _listing({"pattern": "/usr/bin/python3.12", "args": "any"}),
			"paths": {"tools.exec.allowlist[0]"},
		},
		"finding 44: find with any argument": {"config": _listing({"pattern": "/usr/bin/find", "args": "any"}), "paths": {"tools.exec.allowlist[0]"}},
		"a program that runs nothing with any argument": {"config": _listing({"pattern": "/usr/bin/cat", "args": "any"}), "paths": set()},
		"finding 44: full, and nobody is asked": {"config": {"tools": {"exec": {"security": "full", "ask": "off"}}}, "paths": {"tools.exec.security"}},
		"mode full": {"config": {"tools": {"exec": {"mode": "full"}}}, "paths": {"tools.exec.security"}},
		"mode full of an agent": {"config": {"agents": {"main": {"exec": {"mode": "full"}}}}, "paths": {"agents.main.exec.security"}},
		"an agent's mode over mode full": {
			"config": {"tools": {"exec": {"mode": "full"}}, "agents": {"main": {"exec": {"mode": "ask"}}}},
			"paths": {"tools.exec.security"},
		},
		"full, and somebody is asked": {"config": {"tools": {"exec": {"security": "full", "ask": "on-miss"}}}, "paths": set()},
		"finding 44: full for an agent, ask off for everybody": {
			"config": {"tools": {"exec": {"ask": "off"}}, "agents": {"main": {"exec": {"security": "full"}}}},
			"paths": {"agents.main.exec.security"},
		},
	}
	_warned(c.config) == c.paths
}

test_skills_are_warned_about[name] if {
	some name, c in {
		"for everybody": {"config": {"tools": {"exec": {"autoAllowSkills": true}}}, "messages": 1, "paths": {"tools.exec.autoAllowSkills"}},
		"for an agent": {"config": {"agents": {"main": {"exec": {"autoAllowSkills": true}}}}, "messages": 1, "paths": {"agents.main.exec.autoAllowSkills"}},
		"where no list is checked": {
			"config": {"tools": {"exec": {"autoAllowSkills": true, "security": "full", "ask": "on-miss"}}},
			"messages": 2,
			"paths": {"tools.exec.autoAllowSkills"},
		},
		"for an agent that runs nothing": {
			"config": {"tools": {"exec": {"autoAllowSkills": true}}, "agents": {"main": {"exec": {"security": "deny"}}}},
			"messages": 2,
			"paths": {"tools.exec.autoAllowSkills", "agents.main.exec.autoAllowSkills"},
		},
		"off": {"config": {"tools": {"exec": {"autoAllowSkills": false}}}, "messages": 0, "paths": set()},
	}
	found := broad.warnings with data.config as c.config
	{warning.path | some warning in found} == c.paths
	count(found) == c.messages
}

# R32.
test_senders_who_may_elevate[name] if {
	some name, c in {
		"a name that users can change": {"config": {"tools": {"elevated": {"allowFrom": ["name:alice"]}}}, "paths": {"tools.elevated.allowFrom[0]"}},
		"a tag in a list for a channel": {
			"config": {"agents": {"main": {"tools": {"elevated": {"allowFrom": {"discord": ["123", " Tag:alice#1"]}}}}}},
			"paths": {"agents.main.tools.elevated.allowFrom.discord[1]"},
		},
		"everybody": {"config": {"tools": {"elevated": {"allowFrom": ["*"]}}}, "paths": {"tools.elevated.allowFrom[0]"}},
		"ids and numbers": {"config": {"tools": {"elevated": {"allowFrom": ["discord:1", "id:2", "from:a@b", "e164:+1"]}}}, "paths": set()},
		"senders who may use /exec or /approve": {
			"config": {"commands": {"allowFrom": ["name:alice", "id:1"]}, "approvals": {"exec": {"allowFrom": {"discord": ["*"]}}}},
			"paths": {"commands.allowFrom[0]", "approvals.exec.allowFrom.discord[0]"},
		},
		"no list": {"config": {"tools": {"elevated": {}}}, "paths": set()},
	}
	_warned(c.config) == c.paths
}

test_lists_of_files_to_write[name] if {
	some name, c in {
		"a directory only": {"config": {"tools": {"write": {"allow": ["./build/**"]}}}, "paths": {"tools.write.allow"}},
		"of an agent": {
			"config": {"agents": {"main": {"tools": {"write": {"allow": ["/tmp/**"]}}}}},
			"paths": {"agents.main.tools.write.allow"},
		},
		"the workspace and a directory": {"config": {"tools": {"write": {"allow": ["./**", "/tmp/**"]}}}, "paths": set()},
		"an empty list": {"config": {"tools": {"write": {"allow": []}}}, "paths": set()},
		"what may never be written": {"config": {"tools": {"write": {"deny": ["./.git/**"]}}}, "paths": set()},
	}
	_warned(c.config) == c.paths
}
