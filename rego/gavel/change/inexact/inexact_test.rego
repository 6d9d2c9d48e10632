package gavel.change.inexact_test

import data.gavel.change.inexact
import data.gavel.testing

_option := {"name": "--to", "names": ["--to"], "value": "x", "hasValue": true, "dynamic": false, "known": true, "index": 1}

_operand := {"text": "a", "path": "/srv/app/a", "dynamic": false, "index": 2}

_part := object.union(testing.segment("/usr/bin/git"), {"argv": ["git", "--to=x", "a"], "options": [_option], "operands": [_operand]})

_why(changes) := why if {
	part := object.union(_part, changes)
	why := inexact.why(part) with input as testing.execution({"segments": [part]})
}

test_the_word_that_no_rule_can_list_is_named[name] if {
	some name, c in {
		"an option that the catalog does not have": [{"options": [object.union(_option, {"known": false})]}, "Gavel does not know the option --to of git"],
		"a value that is produced at run time": [{"options": [object.union(_option, {"dynamic": true})]}, "the value of --to is produced at run time"],
		"an empty value": [{"options": [object.union(_option, {"value": ""})]}, "the value of --to is empty"],
		"an operand that is produced at run time": [{"operands": [object.union(_operand, {"text": "", "dynamic": true})]}, "a is produced at run time"],
		"further operands of another command": [{"operands": [object.union(_operand, {"text": "", "dynamic": true, "index": 9})]}, "an operand is produced at run time"],
		"an empty operand": [{"operands": [object.union(_operand, {"text": ""})]}, "an operand is empty"],
		"many operands": [{"operands": [_operand | some _ in numbers.range(1, 13)]}, "there are 13 operands, and a rule lists 12 at most"],
		"operands that are unknown": [{"operands": null}, "a variable or a file may add options"],
		"a word that could be any option": [{"optionsKnown": "open"}, "a word that is produced at run time could be any option"],
		"options that are unsure": [{"optionsKnown": "unsure"}, "it is unclear which of them are options"],
	}
	[changes, want] := c
	_why(changes) == sprintf("no rule can list these words: %s", [want])
}

# A rule without a sub-command would be about all of them.
test_a_sub_command_that_no_rule_can_name[name] if {
	some name, c in {
		"one that the catalog does not have": [{"commands": ["worktree", "add"], "commandsKnown": "unlisted"}, "Gavel does not know git worktree add"],
		"none, where others exist": [{"commands": [], "commandsKnown": "exact"}, "no rule can say that there is no sub-command"],
		"one that another word could be": [{"commands": ["log"], "commandsKnown": "open"}, "another word could be it"],
	}
	[changes, want] := c
	contains(inexact.command(object.union(_part, changes)), want)
}

test_a_sub_command_that_a_rule_can_name_is_not_an_obstacle if {
	not inexact.command(object.union(_part, {"commands": ["log"], "commandsKnown": "exact"}))
	not inexact.command(object.union(_part, {"commands": ["lfs"], "commandsKnown": "program"}))
	not inexact.command(object.union(_part, {"commands": [], "commandsKnown": "none"}))
}

test_a_cause_that_is_not_in_the_table_is_not_made_up if {
	_why({}) == "no rule can list these words, because Gavel does not understand them exactly"
}
