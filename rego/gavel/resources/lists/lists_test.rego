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

test_workspace_only_is_a_list_of_the_workspace_for_reading_and_writing if {
	found := lists.configured with input as testing.facts
		with data.config as {"tools": {"fs": {"workspaceOnly": true}, "read": {"allow": ["/srv/**"]}}}
	found.read.allow == [{"path": "tools.read.allow", "patterns": ["/srv/**"]}, {"path": "tools.fs.workspaceOnly", "patterns": ["./**"]}]
	found.write.allow == [{"path": "tools.fs.workspaceOnly", "patterns": ["./**"]}]
}

test_workspace_only_of_an_agent if {
	_read({"fs": {"workspaceOnly": false}}, {"fs": {"workspaceOnly": true}}).allow == [{"path": "agents.main.tools.fs.workspaceOnly", "patterns": ["./**"]}]
	_read({"fs": {"workspaceOnly": false}}, {}) == lists.none.read
}

test_searches_are_denied_unless_a_setting_allows_them[name] if {
	some name, c in {
		"no setting": {"tools": {}, "own": {}, "want": false},
		"for everybody": {"tools": {"read": {"searches": "allow"}}, "own": {}, "want": true},
		"for the agent": {"tools": {}, "own": {"read": {"searches": "allow"}}, "want": true},
		"not for the agent": {"tools": {"read": {"searches": "allow"}}, "own": {"read": {"searches": "deny"}}, "want": false},
	}
	found := lists.searches with input as testing.facts with data.config as {"tools": c.tools, "agents": {"main": {"tools": c.own}}}
	found == c.want
}
