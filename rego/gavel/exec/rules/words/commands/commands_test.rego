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
	commands.match({"commands": [name]}, _remote)
	not commands.differ({"commands": [name]}, _remote)
}

test_another_sub_command[name] if {
	some name in ["add", "remote remove", "remote add o", "push"]
	commands.differ({"commands": [name]}, _remote)
	not commands.match({"commands": [name]}, _remote)
}

test_a_rule_that_names_no_sub_commands if {
	commands.match({}, _remote)
	not commands.differ({}, _remote)
}

test_a_synonym_of_a_sub_command_matches if {
	commands.covers("add", ["stage"], _remote)
	not commands.covers("add", ["commit"], _remote)
}
