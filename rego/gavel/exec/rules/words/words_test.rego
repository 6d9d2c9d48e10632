package gavel.exec.rules.words_test

import data.gavel.exec.rules.words
import data.gavel.testing

# git -C sub push -f origin x
_push := object.union(testing.segment("/usr/bin/git"), {
	"argv": ["git", "-C", "sub", "push", "-f", "origin", "x"],
	"commands": ["push"],
	"commandsKnown": "exact",
	"options": [_option(["-C"], "sub", 1), _option(["--force", "-f"], "", 4)],
	"operands": [_operand("origin", 5), _operand("x", 6)],
})

_option(names, value, index) := {
	"name": names[0],
	"names": names,
	"value": value,
	"hasValue": value != "",
	"dynamic": false,
	"known": true,
	"index": index,
}

_operand(text, index) := {"text": text, "path": sprintf("/srv/app/%s", [text]), "dynamic": false, "index": index}

_with(changes) := object.union(_push, changes)

_possibly(rule, part) if {
	words.may_match(rule, part) with input as testing.exec_facts
}

_surely(rule, part) if {
	words.certainly_match(rule, part) with input as testing.exec_facts
}

# Each: the rule, the words, whether it may be about them, whether it surely is as one
# that permits.
_cases := {
	"nothing is said of the words": [{}, _push, true, true],
	"its sub-command": [{"commands": ["push"]}, _push, true, true],
	"another sub-command": [{"commands": ["pull", "status"]}, _push, false, false],
	"what is above a sub-command": [{"commands": ["remote"]}, _with({"commands": ["remote", "add"]}), true, true],
	"what is below another one": [{"commands": ["push origin"]}, _push, false, false],
	"a synonym": [{"commands": ["add"]}, _with({"commands": ["stage"]}), true, true],
	"a sub-command that no table has": [{"commands": ["push"]}, _with({"commands": ["p"], "commandsKnown": "unlisted"}), true, false],
	"one that an allow rule names": [{"commands": ["push"], "allowed_commands": {"lfs"}}, _with({"commands": ["lfs"], "commandsKnown": "unlisted"}), false, false],
	"a word behind an unknown option": [{"commands": ["push"]}, _with({"commands": ["sub"], "commandsKnown": "open"}), true, false],
	"no such word": [{"commands": ["pull"]}, _with({"commandsKnown": "open"}), false, false],
	"a sub-command produced at run time": [{"commands": ["pull"]}, _with({"commandsKnown": "open", "dynamic": [3]}), true, false],
	"no sub-commands are observed": [{"commands": ["pull"]}, object.remove(_push, {"commands"}), true, false],
	"an option by another name": [{"options": ["--force", "-C"]}, _push, true, true],
	"no such option": [{"options": ["--delete"]}, _push, false, false],
	"more options than one that permits lists": [{"options": ["-f"]}, _push, true, false],
	"an empty list, and there are options": [{"options": []}, _push, false, false],
	"an empty list, and there are none": [{"options": []}, _with({"options": []}), false, true],
	"none of the list is there": [{"options": ["-f"]}, _with({"options": []}), false, false],
	"an option with a value": [{"options": {"-C": ["s*"], "-f": "any"}}, _push, true, true],
	"an option with another value": [{"options": {"-C": ["x"]}}, _push, false, false],
	"one without the value that has to be there": [{"options": {"-C": ["*"], "-n": ["*"], "-f": "any"}}, _push, true, false],
	"a value produced at run time": [
		{"options": {"-C": ["prod"], "-f": "any"}},
		_with({"options": [object.union(_option(["-C"], "p", 1), {"dynamic": true})]}), true, false,
	],
	"a value that begins otherwise": [{"options": {"-C": ["prod"]}}, _with({"options": [object.union(_option(["-C"], "x", 1), {"dynamic": true})]}), false, false],
	"a word that may be any option": [{"options": ["--delete"]}, _with({"optionsKnown": "open"}), true, false],
	"an unknown option that is another one": [
		{"options": ["--delete"]},
		_with({"optionsKnown": "unsure", "options": [object.union(_option(["--xyz"], "", 4), {"known": false})]}), false, false,
	],
	"an unknown option that may be short for it": [
		{"options": ["--delete"]},
		_with({"optionsKnown": "unsure", "options": [object.union(_option(["--del"], "", 4), {"known": false})]}), true, false,
	],
	"no options are observed": [{"options": ["--delete"]}, object.remove(_push, {"options"}), true, false],
	"an option without its names": [{"options": ["--delete"]}, _with({"options": [object.remove(_option(["-C"], "", 1), {"names"})]}), true, false],
	"an operand that means the option": [{"options": ["--force"]}, _with({"options": [], "operands": [_operand("+x", 5)]}), true, false],
	"a file of options": [
		{"options": ["--delete"]},
		_with({"operands": [_operand("@x", 5)], "hazards": [{"kind": "loads", "option": "FILE", "argument": "@x", "index": 5, "real": ""}]}), true, false,
	],
	"every operand": [{"operands": ["ori*", "x"]}, _push, true, true],
	"one operand of two": [{"operands": ["origin"]}, _push, true, false],
	"no operand": [{"operands": ["upstream"]}, _push, false, false],
	"no operands are there": [{"operands": ["upstream"]}, _with({"operands": []}), false, true],
	"an operand by its path": [{"operands": ["/srv/app/x"]}, _push, true, false],
	"an operand produced at run time": [{"operands": ["x"]}, _with({"operands": [object.union(_operand("", 5), {"dynamic": true})]}), true, false],
	"an operand that climbs out": [{"operands": ["src/**"]}, _with({"operands": [_operand("src/../../x", 5)]}), true, false],
	"a star alone": [{"operands": ["*"]}, _with({"operands": [_operand("a/b", 5)]}), true, true],
	"a star stays between slashes": [{"operands": ["a*"]}, _with({"operands": [_operand("a/b", 5)]}), false, false],
	"no operands are observed": [{"operands": ["x"]}, object.remove(_push, {"operands"}), true, false],
	"no table, and the word": [
		{"commands": ["push"]},
		_with({"commandsKnown": "none", "optionsKnown": "none", "argv": ["git", "push", "x"]}), true, true,
	],
	"no table, and the word elsewhere": [
		{"commands": ["push"]},
		_with({"commandsKnown": "none", "optionsKnown": "none", "argv": ["git", "x", "push"]}), true, false,
	],
}

test_a_rule_is_about_words[name] if {
	some name, c in _cases
	[rule, part, possibly, surely] := c
	_says(possibly, {true | _possibly(rule, part)})
	_says(surely, {true | _surely(rule, part)})
	holding := words.conditions_met(rule, part) with input as testing.exec_facts
	is_boolean(holding.options)
}

_says(true, {true})

_says(false, set())
