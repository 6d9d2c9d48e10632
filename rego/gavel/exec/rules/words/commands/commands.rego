# METADATA
# title: Sub-commands of a rule
# description: Whether the sub-commands that a rule names are those of a segment or of a wrapper
package gavel.exec.rules.words.commands

import data.gavel.catalog

# METADATA
# scope: document
# description: the words are surely not a sub-command that the rule names
other(rule, part) if {
	is_array(rule.commands)
	part.commandsKnown in {"exact", "program"}
	is_array(part.commands)
	every command in rule.commands { not below(command, part.commands, part) }
}

# The last of the sub-commands is not in the tables: it may be any other one, unless a rule
# that permits vouches for it by name.
other(rule, part) if {
	is_array(rule.commands)
	part.commandsKnown == "unlisted"
	is_array(part.commands)
	part.commands[count(part.commands) - 1] in rule.vouched
	every command in rule.commands { not below(command, part.commands, part) }
}

# Another word may be the sub-command: none of them is.
other(rule, part) if {
	is_array(rule.commands)
	part.commandsKnown in {"open", "none"}
	part.dynamic == []
	is_array(part.argv)
	every command in rule.commands {
		first := split(command, " ")[0]
		every word in array.slice(part.argv, 1, count(part.argv)) {
			not _same_command(first, word, part)
		}
	}
}

# METADATA
# scope: document
# description: the words are surely a sub-command that the rule names, or it names none
these(rule, _) if object.get(rule, "commands", null) == null

these(rule, part) if {
	part.commandsKnown in {"exact", "program"}
	some command in rule.commands
	below(command, part.commands, part)
}

# No table has sub-commands for the program: the first word is one, as the rule says.
these(rule, part) if {
	part.commandsKnown == "none"
	part.optionsKnown == "none"
	some command in rule.commands
	words := split(command, " ")
	words == array.slice(part.argv, 1, 1 + count(words))
	every i in part.dynamic { i > count(words) }
}

# METADATA
# description: the rule names the sub-command, or one above it
below(command, commands, part) if {
	words := split(command, " ")
	count(words) <= count(commands)
	every i, word in words { _same_command(word, commands[i], part) }
}

_same_command(word, given, _) if word == given

_same_command(word, given, part) if {
	some name in part.executable.programs
	some synonyms in catalog.programs.same_subcommands[name]
	word in synonyms
	given in synonyms
}
