package gavel.exec.rules.words.options_test

import data.gavel.exec.rules.words.options
import data.gavel.testing

_push := object.union(testing.segment("/usr/bin/git"), {
	"argv": ["git", "push", "--force", "origin"],
	"commands": ["push"],
	"commandsKnown": "exact",
	"options": [{"name": "--force", "names": ["--force", "-f"], "value": "", "hasValue": false, "dynamic": false, "known": true, "index": 2}],
	"operands": [{"text": "origin", "path": "/srv/app/origin", "dynamic": false, "index": 3}],
})

test_an_option_by_any_of_its_names if {
	options.match({"options": ["-f"]}, _push) with input as testing.exec_facts
	not options.differ({"options": ["-f"]}, _push) with input as testing.exec_facts
}

test_another_option if {
	options.differ({"options": ["--delete"]}, _push) with input as testing.exec_facts
	not options.match({"options": ["--delete"]}, _push) with input as testing.exec_facts
}

test_a_rule_that_names_no_options if {
	options.match({}, _push) with input as testing.exec_facts
	not options.differ({}, _push) with input as testing.exec_facts
}

test_variables_that_give_options if {
	options.given_elsewhere(_push) with input as testing.execution({"env": ["GIT_CONFIG_COUNT"]})
	not options.given_elsewhere(_push) with input as testing.execution({"env": ["CI"]})
}
