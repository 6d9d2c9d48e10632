package gavel.exec.misses.ruled_test

import data.gavel.exec
import data.gavel.testing

_rm(options, operands) := object.union(testing.segment("/usr/bin/rm"), {
	"argv": array.concat(["rm"], array.concat([option.name | some option in options], [operand.text | some operand in operands])),
	"commandsKnown": "none", "optionsKnown": "exact", "options": options, "operands": operands,
})

_git(commands, changes) := object.union_n([
	testing.segment("/usr/bin/git"),
	{"argv": array.concat(["git"], commands), "commands": commands, "commandsKnown": "exact", "optionsKnown": "exact", "options": [], "operands": []},
	changes,
])

_option(name, index) := {"name": name, "names": [name], "value": "", "hasValue": false, "dynamic": false, "known": true, "index": index}

_operand(text, index) := {"text": text, "path": text, "real": text, "dynamic": false, "index": index}

_rules := [
	{"program": "rm", "options": {"-f": "any"}, "operands": ["./**"], "effect": "allow"},
	{"program": "rm", "options": ["-r", "-f"], "operands": ["build"], "effect": "allow"},
	{"program": "git", "commands": ["log", "remote"], "operands": ["x"], "effect": "allow"},
	{"program": "git", "commands": ["branch"], "options": ["-a", "-r"], "effect": "allow"},
	{"program": "git", "options": ["--version"], "operands": [], "effect": "allow"},
]

_told(segment, list) := {reason.message |
	some reason in exec.miss with input as testing.execution({"segments": [segment]})
		with data.config as testing.configured({"tools": {"exec": {"rules": list}}})
	reason.code == "exec.rule_miss"
}

test_the_message_names_what_no_rule_allows[name] if {
	some name, c in {
		"an operand": [_rm([_option("-r", 1)], [_operand("/", 2)]), "rm -r /: no rule allows rm with /"],
		"what one rule lacks or another": [_rm([_option("-r", 1)], [_operand("/srv/app/src", 2)]), "rm -r /srv/app/src: no rule allows rm with -r and /srv/app/src"],
		"an operand with a blank": [_rm([], [_operand("/a b", 1)]), `rm '/a b': no rule allows rm with "/a b"`],
		"an option with its value": [
			_rm([object.union(_option("-x", 1), {"value": "prod", "hasValue": true})], []),
			"rm -x: no rule allows rm with -x prod",
		],
		"a value produced at run time": [
			_rm([object.union(_option("-x", 1), {"value": "p", "hasValue": true, "dynamic": true})], []),
			"rm -x: no rule allows rm with -x and a value that is produced at run time",
		],
		"an operand produced at run time": [
			object.union(_rm([], [object.union(_operand("", 1), {"dynamic": true})]), {"argv": ["rm", "{}"], "dynamic": [1]}),
			"rm {}: no rule allows rm with {}, which is produced at run time",
		],
		"operands that follow": [
			_rm([], [object.union(_operand("", 7), {"dynamic": true})]),
			`rm '': no rule allows rm with words that are produced at run time`,
		],
		"words that may be options": [
			object.union(_rm([], []), {"optionsKnown": "open"}),
			"rm: no rule allows rm with words that are produced at run time and could be options",
		],
		"words that are not settled": [
			object.union(_rm([_option("-f", 1)], []), {"optionsKnown": "unsure"}),
			"rm -f: no rule allows rm with these words, because Gavel cannot tell which of them are options",
		],
		"a sub-command": [_git(["push"], {}), "git push: no rule allows git push"],
		"a sub-command below one": [_git(["stash", "drop"], {}), "git stash drop: no rule allows git stash drop"],
		"a sub-command that no table has": [_git(["frob"], {"commandsKnown": "unlisted"}), "git frob: no rule allows git frob"],
		"an operand of a sub-command": [_git(["log"], {"operands": [_operand("y", 2)]}), "git log: no rule allows git log with y"],
		"an option that has to be there": [_git(["branch"], {}), "git branch: no rule allows git branch without -a or -r"],
		"a sub-command that is not certain": [
			_git([], {"commandsKnown": "open", "dynamic": [1], "options": [_option("-c", 1)]}),
			"git: no rule allows git with -c",
		],
	}
	[segment, want] := c
	_told(segment, _rules) == {want}
}

test_without_a_sub_command_that_the_rules_name[name] if {
	named := [{"program": "git", "commands": ["log"], "effect": "allow"}]
	some name, c in {
		"there is none": [_git([], {}), "git: no rule allows git without a sub-command"],
		"it is not certain": [
			_git([], {"commandsKnown": "open", "dynamic": [1]}),
			"git: no rule allows git with these words, because Gavel cannot tell which of them is the sub-command",
		],
	}
	[segment, want] := c
	_told(segment, named) == {want}
}

# A rule for --version is not what somebody who gave a sub-command should hear of.
test_a_sub_command_that_no_rule_names_is_named if {
	only_version := [{"program": "git", "options": ["--version"], "effect": "allow"}]
	_told(_git(["log"], {}), only_version) == {"git log: no rule allows git log"}
	_told(_git([], {}), only_version) == {"git: no rule allows git without --version"}
}

test_a_variable_that_may_give_options_is_named if {
	facts := testing.execution({"segments": [_git(["log"], {"operands": null})]})
	config := testing.configured({"tools": {"exec": {"rules": _rules}}})
	messages := {reason.message | some reason in exec.miss with input as facts with data.config as config}
	"git log: no rule allows git log with options that a variable or a file may give it" in messages
}
