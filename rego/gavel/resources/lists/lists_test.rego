package gavel.resources.lists_test

import data.gavel.resources.lists
import data.gavel.testing

_read(tools, own) := found.read if {
	found := lists.configured with input as testing.facts
		with data.config as {"tools": tools, "agents": {"main": {"tools": own}}}
}

test_global_lists_and_the_agents_lists_both_apply if {
	_read({"read": {"allow": ["/srv/**"]}}, {"read": {"allow": ["/srv/app/**"], "deny": ["**/.env"]}}) == {
		"allow": [
			{"path": "tools.read.allow", "patterns": ["/srv/**"]},
			{"path": "agents.main.tools.read.allow", "patterns": ["/srv/app/**"]},
		],
		"deny": [{"path": "agents.main.tools.read.deny", "patterns": ["**/.env"]}],
	}
}

test_an_empty_list_does_not_count if {
	_read({"read": {"allow": []}}, {}) == lists.none.read
}

test_no_configuration_means_no_lists if {
	configured := lists.configured with input as testing.facts with data.config as {}
	configured == lists.none
}
