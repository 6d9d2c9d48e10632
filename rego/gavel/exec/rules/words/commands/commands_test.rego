package gavel.exec.rules.words.commands_test

import data.gavel.exec.rules.words.commands
import data.gavel.testing

_remote := object.union(testing.segment("/usr/bin/git"), {
	"argv": ["git", "remote", "add", "o", "u"],
	"commands": ["remote", "add"],
	"commandsKnown": "exact",
})

test_the_sub_command_and_what_is_above_it[name] if {
	some name in ["remote", "remote add"]
	commands.these({"commands": [name]}, _remote)
	not commands.other({"commands": [name]}, _remote)
}

test_another_sub_command[name] if {
	some name in ["add", "remote remove", "remote add o", "push"]
	commands.other({"commands": [name]}, _remote)
	not commands.these({"commands": [name]}, _remote)
}

test_a_rule_that_names_no_sub_commands if {
	commands.these({}, _remote)
	not commands.other({}, _remote)
}

test_a_synonym_is_the_same if {
	commands.below("add", ["stage"], _remote)
	not commands.below("add", ["commit"], _remote)
}
