package gavel.check.locations_test

import data.gavel.check.locations

test_every_list_of_patterns_is_found if {
	settings := {
		"tools": {"allow": ["read"], "profiles": {"p": ["write"]}, "sandbox": {"tools": {"deny": ["exec"]}}},
		"agents": {"main": {"sandbox": {"alsoAllow": ["tts"]}}},
		"channels": {"irc": {"groups": {"*": {"tools": {"deny": ["cron"]}}}}},
	}
	found := locations.patterns with data.config as settings
	found == {
		{"path": "tools.allow[0]", "value": "read"},
		{"path": "tools.profiles.p[0]", "value": "write"},
		{"path": "tools.sandbox.tools.deny[0]", "value": "exec"},
		{"path": "agents.main.sandbox.alsoAllow[0]", "value": "tts"},
		{"path": "channels.irc.groups.*.tools.deny[0]", "value": "cron"},
	}
}

test_lists_of_other_things_are_not_lists_of_tools if {
	settings := {
		"tools": {"read": {"allow": ["./**"], "deny": ["/x"]}, "exec": {"environment": {"allow": ["X"]}, "input": {"allow": ["/usr/bin/less"]}}, "credential": {"deny": ["gh"]}, "byProvider": {"read": {"deny": ["tts"]}}},
		"agents": {"main": {"tools": {"write": {"allow": ["./**"]}}, "exec": {"environment": {"allow": ["Y"]}}}},
	}
	found := locations.patterns with data.config as settings
	found == {{"path": "tools.byProvider.read.deny[0]", "value": "tts"}}
}
