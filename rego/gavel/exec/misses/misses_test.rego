package gavel.exec.misses_test

import data.gavel.exec
import data.gavel.testing

test_miss_says_what_to_do if {
	misses := exec.miss with input as testing.programs(["/usr/bin/vi"]) with data.config as testing.listing({}) with data.gavel.check.problems as set()
	misses == {{
		"layer": "exec",
		"code": "exec.allowlist_miss",
		"message": "vi TODO: /usr/bin/vi matches no allowlist entry",
		"fix": `add "/usr/bin/vi" to tools.exec.allowlist`,
		"source": {"path": "tools.exec.allowlist"},
		"span": {"start": 0, "end": 7},
	}}
}

# The rule in the advice permits the command, as gavel fix would.
test_words_that_no_rule_allows_are_answered_with_a_rule if {
	segment := object.union(testing.segment("/usr/bin/npm"), {
		"argv": ["npm", "view", "x"], "commands": ["view"], "commandsKnown": "exact", "optionsKnown": "exact", "options": [],
		"operands": [{"text": "x", "index": 2, "dynamic": false}],
	})
	facts := testing.execution({"segments": [segment]})
	allowed := {"program": "npm", "commands": ["test"], "effect": "allow"}
	miss := exec.miss with input as facts with data.config as testing.configured({"tools": {"exec": {"rules": [allowed]}}})
	{[r.code, r.message, r.fix] | some r in miss} == {[
		"exec.rule_miss",
		"npm view x: no rule allows npm view",
		"use words that a rule allows, or add {program: npm, commands: [view], effect: allow} to tools.exec.rules",
	]}
	after := {"tools": {"exec": {"rules": [allowed, {"program": "npm", "commands": ["view"], "effect": "allow"}]}}}
	count(exec.miss) == 0 with input as facts with data.config as testing.configured(after)
}

# Where no rule of the program names sub-commands, the operands are what a rule has to permit.
test_operands_that_no_rule_allows_are_answered_with_a_rule if {
	segment := object.union(testing.segment("/usr/bin/kill"), {
		"argv": ["kill", "1234"], "commands": [], "commandsKnown": "none", "optionsKnown": "exact", "options": [],
		"operands": [{"text": "1234", "path": "", "real": "", "index": 1, "dynamic": false}],
	})
	allowed := {"program": "kill", "operands": ["%1"], "effect": "allow"}
	facts := testing.execution({"segments": [segment]})
	miss := exec.miss with input as facts with data.config as testing.configured({"tools": {"exec": {"rules": [allowed]}}})
	{[r.message, r.fix] | some r in miss} == {[
		"kill 1234: no rule allows kill with 1234",
		`use words that a rule allows, or add {program: kill, operands: ["1234"], effect: allow} to tools.exec.rules`,
	]}
	after := {"tools": {"exec": {"rules": [allowed, {"program": "kill", "operands": ["1234"], "effect": "allow"}]}}}
	count(exec.miss) == 0 with input as facts with data.config as testing.configured(after)
}

# The shell runs cd, so it is about the directory even where its words were not understood.
test_cd_to_a_directory_that_is_unknown_is_about_the_directory if {
	segment := object.union(testing.lost("cd"), {"argv": ["cd", ".."], "directory": ""})
	miss := exec.miss with input as testing.execution({"segments": [segment]}) with data.config as testing.listing({})
	{[r.code, r.message] | some r in miss} == {[
		"exec.directory",
		"cd .. leads to a directory that Gavel does not know, or that an earlier command may have changed",
	]}
}

test_a_builtin_that_no_list_permits_is_reported_as_one if {
	miss := exec.miss with input as testing.execution({"segments": [testing.lost("history")]}) with data.config as testing.listing({})
	{[r.code, r.fix] | some r in miss} == {["exec.not_found", "leave it out, or do the same with a program"]}
	some reason in miss
	endswith(reason.message, `program "history" was not found; the shell has a builtin of that name, which no list can permit`)
}

test_words_that_were_not_understood_are_opaque[name] if {
	some name, changes in {
		"the analyzer says why": {"opaque": "env -S"},
		"its reason is not a string": {"opaque": null},
	}
	segment := object.union(testing.segment("/usr/bin/rg"), changes)
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({})) == {"says": "ask", "codes": {"exec.opaque_program"}}
}

test_reason_of_an_opaque_wrapper_says_which_words if {
	segment := object.union(testing.segment("/usr/bin/env"), {"opaque": "env -S"})
	miss := exec.miss with input as testing.execution({"segments": [segment]}) with data.config as testing.listing({})
	{reason.message | some reason in miss} == {"env TODO: Gavel cannot tell what env runs (env -S), so no list can permit it"}
}

test_an_entry_is_shown_with_the_arguments_that_it_has_to_accept if {
	hazard := {"kind": "runs", "option": "--cmd", "argument": ":!id", "index": 1, "real": ""}
	segment := object.union(testing.segment("/usr/bin/vi"), {"hazards": [hazard]})
	miss := exec.miss with input as testing.execution({"segments": [segment]}) with data.config as testing.listing({})
	{reason.fix | some reason in miss} == {`add {pattern: "/usr/bin/vi", args: ["--cmd"]} to tools.exec.allowlist`}
}

# One entry is enough to say what is missing: the one that lacks least.
test_the_closest_of_several_entries_is_named if {
	hazards := [{"kind": "runs", "option": option, "argument": "x", "index": 1, "real": ""} | some option in ["--pre", "--post"]]
	segment := object.union(testing.segment("/usr/bin/rg"), {"hazards": hazards})
	rules := [{"program": "rg", "effect": "allow"}, {"program": "rg", "accepts": ["--post"], "effect": "allow"}]
	config := testing.configured({"tools": {"exec": {"security": "allowlist", "rules": rules}}})
	miss := exec.miss with input as testing.execution({"segments": [segment]}) with data.config as config with data.gavel.check.problems as set()
	{reason.source.path | some reason in miss} == {"tools.exec.rules[1]"}
}

# R45: the message says which link, and the fix names it.
test_an_untrusted_link_is_named[name] if {
	some name, segment in {
		"one that its name decides what it does, elsewhere": object.union(testing.segment("/opt/bin/cut"), {"executable": {"link": "/opt/bin/busybox"}}),
		"one that others may turn": object.union(testing.segment("/usr/bin/cut"), {"executable": {"link": "/usr/bin/busybox", "writable": ["directory"]}}),
	}
	facts := testing.execution({"segments": [segment]})
	config := testing.listing({"allowlist": ["*", "/**"]})
	testing.verdict(facts, config) == {"says": "ask", "codes": {"exec.link"}}
	some reason in exec.ask with input as facts with data.config as config with data.gavel.check.problems as set()
	startswith(reason.message, sprintf("cut TODO: %s is a link, and its name decides what %s does", [segment.executable.real, segment.executable.link]))
}
