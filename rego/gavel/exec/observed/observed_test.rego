package gavel.exec.observed_test

import data.gavel.exec.observed
import data.gavel.testing

_quiet(facts, changes) if {
	observed.quiet with input as facts with data.config as testing.listing(changes)
} else := false

test_a_call_is_quiet_when_it_is_programs_and_arguments_only[name] if {
	some name, c in {
		"programs": {"facts": testing.exec_facts, "config": {}, "quiet": true},
		"a construct": {"facts": testing.execution({"constructs": [{"kind": "compound"}]}), "config": {}, "quiet": false},
		"a variable": {"facts": testing.execution({"env": ["A"]}), "config": {}, "quiet": false},
		"a parameter that exec does not have": {"facts": testing.execution({"unknown": ["x"]}), "config": {}, "quiet": false},
		"a host that the call asks for": {"facts": testing.execution({"request": {"host": "node"}}), "config": {}, "quiet": false},
		"a command that was refused": {"facts": testing.refused("redirect"), "config": {}, "quiet": false},
		"programs were looked up elsewhere": {
			"facts": object.union(testing.exec_facts, {"environment": {"pathPrepend": ["/opt"]}}),
			"config": {},
			"quiet": false,
		},
		"every command is asked about": {"facts": testing.exec_facts, "config": {"ask": "always"}, "quiet": false},
	}
	_quiet(c.facts, c.config) == c.quiet
}

_judged(facts) if {
	observed.judged with input as facts with data.config as testing.listing({})
} else := false

# A fact that is missing or not a list was not judged.
test_facts_that_are_not_lists_were_not_judged[name] if {
	some name, changes in {"environment": {"env": null}, "variables": {"variables": "A"}, "assigned": {"assigned": {}}}
	not _judged(testing.execution(changes)) == true
}

test_a_command_that_does_nothing_does_not_act if {
	not observed.acts with input as testing.execution({"segments": []})
	observed.acts with input as testing.exec_facts
	observed.acts with input as testing.execution({"segments": [], "constructs": [{"kind": "compound"}]})
}
