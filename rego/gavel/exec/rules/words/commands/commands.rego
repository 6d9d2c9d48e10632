# METADATA
# title: Sub-commands of a rule
# description: Whether the sub-commands that a rule names are those of a segment or of a wrapper
package gavel.exec.rules.words.commands

import data.gavel.catalog

# METADATA
# scope: document
# description: the sub-command is certainly none that the rule names
differ(rule, part) if {
	is_array(rule.commands)
	part.commandsKnown in {"exact", "program"}
	is_array(part.commands)
	every command in rule.commands { not covers(command, part.commands, part) }
}

# The last sub-command is not in the catalog, so it may be an alias of any other one, unless an
# allow rule names it.
differ(rule, part) if {
	is_array(rule.commands)
	part.commandsKnown == "unlisted"
	is_array(part.commands)
	part.commands[count(part.commands) - 1] in rule.allowed_commands
	every command in rule.commands { not covers(command, part.commands, part) }
}

# It is unknown which word is the sub-command, but none of the words is one that the rule names.
differ(rule, part) if {
	is_array(rule.commands)
	part.commandsKnown in {"open", "none"}
	part.dynamic == []
	is_array(part.argv)
	every command in rule.commands {
		first := split(command, " ")[0]
		every word in array.slice(part.argv, 1, count(part.argv)) {
			not _same_name(first, word, part)
		}
	}
}

# METADATA
# scope: document
# description: the sub-command is certainly one that the rule names, or the rule names none
match(rule, _) if object.get(rule, "commands", null) == null

match(rule, part) if {
	part.commandsKnown in {"exact", "program"}
	some command in rule.commands
	covers(command, part.commands, part)
}

# The catalog has no sub-commands for the program, so the first words are the sub-command, as the
# rule says.
match(rule, part) if {
	part.commandsKnown == "none"
	part.optionsKnown == "none"
	some command in rule.commands
	words := split(command, " ")
	words == array.slice(part.argv, 1, 1 + count(words))
	every i in part.dynamic { i > count(words) }
}

# METADATA
# description: the rule names the sub-command, or one above it
covers(command, commands, part) if {
	words := split(command, " ")
	count(words) <= count(commands)
	every i, word in words { _same_name(word, commands[i], part) }
}

_same_name(word, given, _) if word == given

_same_name(word, given, part) if {
	some name in part.executable.programs
	some synonyms in catalog.programs.same_subcommands[name]
	word in synonyms
	given in synonyms
}
