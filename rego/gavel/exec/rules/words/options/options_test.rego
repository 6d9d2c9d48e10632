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

_elsewhere := {
	"no value is observed": [["MAKEFLAGS"], [], true],
	"options that the catalog lists": [["MAKEFLAGS"], [_assigned("-j4 -k")], false],
	"an option that it does not list": [["MAKEFLAGS"], [_assigned("-f x")], true],
	"a target": [["MAKEFLAGS"], [_assigned("-j4 deploy")], true],
	"a value without a dash": [["MAKEFLAGS"], [_assigned("j4")], true],
	"one value of two": [["MAKEFLAGS"], [_assigned("-j4"), _assigned("deploy")], true],
	"a value produced at run time": [["MAKEFLAGS"], [object.union(_assigned("-j4"), {"form": "dynamic"})], true],
	"a value of another variable": [["GNUMAKEFLAGS"], [_assigned("-j4")], true],
	"another variable": [["CI"], [], false],
}

_assigned(value) := {"name": "MAKEFLAGS", "form": "other", "exported": true, "value": value, "shell": "bash", "places": [], "code": []}

_make := object.union(testing.segment("/usr/bin/make"), {"operands": []})

test_variables_that_give_operands[name] if {
	some name, c in _elsewhere
	[env, assigned, want] := c
	given := {true | options.operands_elsewhere(_make)} with input as testing.execution({"env": env, "assigned": assigned})
	given == {true | want}
}

test_variables_that_give_options if {
	options.given_elsewhere(_push) with input as testing.execution({"env": ["GIT_CONFIG_COUNT"]})
	not options.given_elsewhere(_push) with input as testing.execution({"env": ["CI"]})
}
