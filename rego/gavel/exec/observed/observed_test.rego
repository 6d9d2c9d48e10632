package gavel.exec.observed_test

import data.gavel.exec.observed
import data.gavel.testing

_judged(facts) if {
	observed.complete with input as facts with data.config as testing.listing({})
} else := false

# A fact that is missing or not a list was not judged.
test_facts_that_are_not_lists_were_not_judged[name] if {
	some name, changes in {"environment": {"env": null}, "variables": {"variables": "A"}, "assigned": {"assigned": {}}}
	not _judged(testing.execution(changes)) == true
}

test_a_command_that_does_nothing_does_not_act if {
	not observed.does_something with input as testing.execution({"segments": []})
	observed.does_something with input as testing.exec_facts
	observed.does_something with input as testing.execution({"segments": [], "constructs": [{"kind": "compound"}]})
}
