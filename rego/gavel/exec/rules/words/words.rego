# METADATA
# title: Words of a rule
# description: |
#   Whether a rule about commands is about the words of a segment or of a wrapper. A rule
#   that permits has to be about them for certain; one that asks or denies only must not
#   be about other words for certain (R42). Of a fact that is missing nothing is certain.
package gavel.exec.rules.words

import data.gavel.catalog
import data.gavel.exec.links
import data.gavel.resources.patterns

# METADATA
# scope: document
# description: the rule's conditions about words hold for certain
surely(rule, part) if {
	_these_commands(rule, part)
	_these_options(rule, part)
	_these_operands(rule, part)
}

# METADATA
# scope: document
# description: the rule's conditions about words may hold
possibly(rule, part) if {
	not other_commands(rule, part)
	not other_options(rule, part)
	not other_operands(rule, part)
}

# METADATA
# scope: document
# description: the words are surely not a sub-command that the rule names
other_commands(rule, part) if {
	is_array(rule.commands)
	part.commandsKnown in {"exact", "program"}
	is_array(part.commands)
	every command in rule.commands { not _below(command, part.commands, part) }
}

# The last of the sub-commands is not in the tables: it may be any other one, unless a rule
# that permits vouches for it by name.
other_commands(rule, part) if {
	is_array(rule.commands)
	part.commandsKnown == "unlisted"
	is_array(part.commands)
	part.commands[count(part.commands) - 1] in rule.vouched
	every command in rule.commands { not _below(command, part.commands, part) }
}

# Another word may be the sub-command: none of them is.
other_commands(rule, part) if {
	is_array(rule.commands)
	part.commandsKnown in {"open", "none"}
	part.dynamic == []
	is_array(part.argv)
	every command in rule.commands {
		every word in array.slice(part.argv, 1, count(part.argv)) {
			not _same_command(split(command, " ")[0], word, part)
		}
	}
}

_these_commands(rule, _) if not _has(rule, "commands")

_these_commands(rule, part) if {
	part.commandsKnown in {"exact", "program"}
	some command in rule.commands
	_below(command, part.commands, part)
}

# No table has sub-commands for the program: the first word is one, as the rule says.
_these_commands(rule, part) if {
	part.commandsKnown == "none"
	part.optionsKnown == "none"
	some command in rule.commands
	words := split(command, " ")
	words == array.slice(part.argv, 1, 1 + count(words))
	every i in part.dynamic { i > count(words) }
}

# What the rule names is the sub-command, or above it.
_below(command, commands, part) if {
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

# METADATA
# scope: document
# description: the words surely hold none of the options that the rule names, or not with such a value
other_options(rule, part) if {
	_has(rule, "options")
	part.optionsKnown in {"exact", "unsure"}
	is_array(part.options)
	not optioned(part)
	not _by_operand(rule, part)
	every option in part.options { not _may_be_one(rule, option, part) }
}

_may_be_one(rule, option, part) if {
	some name in _names(rule)
	_may_be_called(option, name)
	_may_have(_values(rule, name), option, part)
}

# The name of an option that the tables do not have may be a shorter one for it.
_may_be_called(option, name) if name in option.names

_may_be_called(option, _) if not _has_names(option)

_may_be_called(option, name) if {
	not option.known == true
	some given in option.names
	startswith(given, "--")
	startswith(name, given)
}

_may_be_called(option, _) if {
	not option.known == true
	not option.dynamic == false
}

_may_have("any", _, _)

_may_have(patterns, option, _) if {
	is_array(patterns)
	some pattern in patterns
	may_match(pattern, option.value, option.dynamic)
}

# Another word may be its value.
_may_have(_, option, part) if {
	not part.optionsKnown == "exact"
	not option.known == true
}

_may_have(_, option, part) if {
	part.optionsKnown == "unsure"
	not option.hasValue == true
}

_may_have(_, option, _) if not _has_value(option)

# Words that say the same as an option, as + in front of what is pushed.
_by_operand(rule, part) if {
	some program in part.executable.programs
	some form in catalog.programs.operands_as_options[program]
	_below(form.command, part.commands, part)
	form.option in _names(rule)
	some operand in part.operands
	startswith(operand.text, form.begins_with)
}

# METADATA
# scope: document
# description: |
#   something else than the words may give the program options: a variable that it takes
#   them from, or a file that a word names
optioned(part) if {
	some program in part.executable.programs
	some pattern in catalog.programs.option_variables[program]
	some variable in input.exec.env
	glob.match(pattern, [], variable)
}

optioned(part) if {
	some hazard in part.hazards
	startswith(hazard.argument, "@")
	some operand in part.operands
	operand.index == hazard.index
}

optioned(part) if not _has_operands(part)

_these_options(rule, _) if not _has(rule, "options")

_these_options(rule, part) if {
	part.optionsKnown == "exact"
	not optioned(part)
	every option in part.options { _permitted(rule, option) }
	_enough(rule, part)
}

_permitted(rule, option) if {
	option.known == true
	some name in _names(rule)
	name in option.names
	_surely_has(_values(rule, name), option)
}

_surely_has("any", _)

_surely_has(patterns, option) if {
	is_array(patterns)
	option.hasValue == true
	option.dynamic == false
	some pattern in patterns
	matches(pattern, option.value)
}

# Of a list one is there, or none where it is empty; of a map each that has values.
_enough(rule, _) if rule.options == []

_enough(rule, part) if {
	is_array(rule.options)
	count(part.options) > 0
}

_enough(rule, part) if {
	is_object(rule.options)
	every name, patterns in rule.options { _given_if_needed(name, patterns, part) }
}

_given_if_needed(_, "any", _)

_given_if_needed(name, _, part) if {
	some option in part.options
	name in option.names
}

_names(rule) := {name | some name in rule.options} if {
	is_array(rule.options)
} else := object.keys(rule.options) if {
	is_object(rule.options)
} else := set()

_values(rule, name) := rule.options[name] if {
	is_object(rule.options)
} else := "any"

# METADATA
# scope: document
# description: the words surely hold no operand that the rule names
other_operands(rule, part) if {
	_has(rule, "operands")
	part.optionsKnown in {"exact", "none"}
	is_array(part.operands)
	every operand in part.operands { not _may_be_named(rule, operand) }
	not optioned(part)
}

other_operands(rule, part) if {
	_has(rule, "operands")
	part.optionsKnown == "unsure"
	is_array(part.operands)
	is_array(part.argv)
	every operand in part.operands { not _may_be_named(rule, operand) }
	every word in part.argv { not _is_named(rule, word) }
	not optioned(part)
}

_is_named(rule, word) if {
	some pattern in rule.operands
	matches(pattern, word)
}

_may_be_named(rule, operand) if {
	some pattern in rule.operands
	may_match(pattern, operand.text, operand.dynamic)
}

_may_be_named(rule, operand) if {
	some pattern in rule.operands
	matches(pattern, operand.path)
}

_may_be_named(rule, operand) if {
	some pattern in rule.operands
	startswith(pattern, "./")
	_may_be_below(pattern, operand)
}

_may_be_named(_, operand) if not _has_text(operand)

_may_be_below(_, operand) if not operand.dynamic == false

_may_be_below(pattern, operand) if {
	some path in [operand.path, operand.real]
	patterns.matches(pattern, path, input.environment.home)
}

_these_operands(rule, _) if not _has(rule, "operands")

_these_operands(rule, part) if {
	part.optionsKnown in {"exact", "none"}
	not optioned(part)
	every operand in part.operands { _surely_named(rule, operand, part) }
}

# What climbs out of a directory is not in it, whatever it begins with.
_surely_named(rule, operand, _) if {
	operand.dynamic == false
	some pattern in rule.operands
	not startswith(pattern, "./")
	matches(pattern, operand.text)
	not regex.match(`(^|/)\.\.(/|$)`, operand.text)
}

_surely_named(rule, operand, _) if {
	operand.dynamic == false
	operand.text in rule.operands
}

# Below ./ are the files of the workspace, by their real paths.
_surely_named(rule, operand, part) if {
	_settled(operand, part)
	some pattern in rule.operands
	startswith(pattern, "./")
	links.known(part.after, operand.real)
	patterns.matches(pattern, operand.real, input.environment.home)
}

_settled(operand, _) if operand.dynamic == false

_settled(operand, part) if operand.index in part.patterns

# METADATA
# scope: document
# description: a text may match a pattern; of one that is produced at run time the beginning is known
may_match(pattern, text, false) if matches(pattern, text)

may_match(pattern, text, dynamic) if {
	not dynamic == false
	written := split(replace(pattern, "?", "*"), "*")[0]
	startswith(written, text)
}

may_match(pattern, text, dynamic) if {
	not dynamic == false
	written := split(replace(pattern, "?", "*"), "*")[0]
	startswith(text, written)
}

# METADATA
# scope: document
# description: |
#   a text matches a pattern: * and ? stay between slashes, ** crosses them, ~ is the home
#   directory, everything else is itself, and * alone is any text
matches("*", _)

matches(pattern, text) if {
	not pattern == "*"
	glob.match(regex.replace(_homed(pattern), `[\[\]{}\\!]`, `\$0`), ["/"], text)
}

_homed(pattern) := sprintf("%s%s", [input.environment.home, substring(pattern, 1, -1)]) if {
	startswith(pattern, "~/")
	startswith(input.environment.home, "/")
} else := pattern

_has_names(option) if is_array(option.names)

_has_value(option) if is_string(option.value)

_has_operands(part) if is_array(part.operands)

_has_text(operand) if is_string(operand.text)

_has(rule, key) if object.get(rule, key, null) != null

# METADATA
# description: whether each condition of a rule about words holds, as the rule's effect wants it
holding(rule, part) := {"commands": _commands_hold(rule, part), "options": _options_hold(rule, part), "operands": _operands_hold(rule, part)}

_commands_hold(rule, part) if {
	rule.effect == "allow"
	_these_commands(rule, part)
} else if {
	not rule.effect == "allow"
	not other_commands(rule, part)
} else := false

_options_hold(rule, part) if {
	rule.effect == "allow"
	_these_options(rule, part)
} else if {
	not rule.effect == "allow"
	not other_options(rule, part)
} else := false

_operands_hold(rule, part) if {
	rule.effect == "allow"
	_these_operands(rule, part)
} else if {
	not rule.effect == "allow"
	not other_operands(rule, part)
} else := false
