package gavel.resources.lists_test

import data.gavel.resources.lists
import data.gavel.testing

_read(tools, own) := found.read if {
	found := lists.configured with input as testing.facts
		with data.config as {"tools": tools, "agents": {"main": {"tools": own}}}
}

test_lists_of_everybody_and_of_the_agent_stand_side_by_side if {
	_read({"read": {"allow": ["/srv/**"]}}, {"read": {"allow": ["/srv/app/**"], "deny": ["**/.env"]}}) == {
		"allow": [
			{"path": "tools.read.allow", "patterns": ["/srv/**"]},
			{"path": "agents.main.tools.read.allow", "patterns": ["/srv/app/**"]},
		],
		"deny": [{"path": "agents.main.tools.read.deny", "patterns": ["**/.env"]}],
	}
}

test_an_empty_list_is_none if {
	_read({"read": {"allow": []}}, {}) == lists.none.read
}

test_none_is_what_no_configuration_comes_to if {
	configured := lists.configured with input as testing.facts with data.config as {}
	configured == lists.none
}
