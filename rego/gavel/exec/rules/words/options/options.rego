# METADATA
# title: Options of a rule
# description: Whether the options that a rule names are those of a segment or of a wrapper
package gavel.exec.rules.words.options

import data.gavel.catalog
import data.gavel.exec.rules.words.commands
import data.gavel.exec.rules.words.globs

# METADATA
# scope: document
# description: the words surely hold none of the options that the rule names, or not with such a value
other(rule, part) if {
	object.get(rule, "options", null) != null
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
	globs.may_match(pattern, option.value, option.dynamic)
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
	commands.below(form.command, part.commands, part)
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
	not catalog.environment.harmless[variable]
	glob.match(pattern, [], variable)
}

optioned(part) if {
	some hazard in part.hazards
	startswith(hazard.argument, "@")
	some operand in part.operands
	operand.index == hazard.index
}

optioned(part) if not _has_operands(part)

# METADATA
# scope: document
# description: every option is surely one that the rule names, with such a value, and those that it demands are there
these(rule, _) if object.get(rule, "options", null) == null

these(rule, part) if {
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
	globs.matches(pattern, option.value)
}

# METADATA
# description: the options that are not surely among those that the rule names, or not with such a value
unlisted(rule, part) := {option | some option in part.options; not _permitted(rule, option)} if {
	object.get(rule, "options", null) != null
} else := set()

# METADATA
# description: options that the rule needs and that are not there, one of a list and each with values of a map
missing(rule, part) := {name | some name, patterns in rule.options; not _given_if_needed(name, patterns, part)} if {
	is_object(rule.options)
} else := {name | some name in rule.options} if {
	is_array(rule.options)
	not _enough(rule, part)
} else := set()

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

_has_names(option) if is_array(option.names)

_has_value(option) if is_string(option.value)

_has_operands(part) if is_array(part.operands)
