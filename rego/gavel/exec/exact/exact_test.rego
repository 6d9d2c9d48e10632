package gavel.exec.exact_test

import data.gavel.exec.exact
import data.gavel.testing

_trusted := {"approval": {
	"looked": true,
	"bound": "1111111111111111111111111111111111111111111111111111111111111111",
	"trusted": "exec-approvals.json#agents.main.trusted[0]",
}}

_allowed(facts, settings) if {
	exact.allowed with input as facts with data.config as settings
} else := false

test_exactly_this_command_was_allowed_permanently[name] if {
	known := object.union(testing.exec_facts, _trusted)
	some name, c in {
		"by an entry of the file": {"facts": known, "config": testing.listing({}), "allowed": true},
		"by no entry": {"facts": testing.exec_facts, "config": testing.listing({}), "allowed": false},
		"and its code cannot be identified": {
			"facts": object.union(known, {"approval": {"bound": ""}}),
			"config": testing.listing({}),
			"allowed": false,
		},
		"and the entry has no path": {"facts": object.union(known, {"approval": {"trusted": ""}}), "config": testing.listing({}), "allowed": false},
		"and every command is to be asked about": {"facts": known, "config": testing.listing({"ask": "always"}), "allowed": false},
		"and commands are switched off": {"facts": known, "config": testing.listing({"security": "deny"}), "allowed": false},
		"and it was not understood": {"facts": object.union(testing.refused("redirect"), _trusted), "config": testing.listing({}), "allowed": false},
	}
	_allowed(c.facts, c.config) == c.allowed
}
