# METADATA
# title: Options of a rule
# description: Whether the options that a rule names are those of a segment or of a wrapper
package gavel.exec.rules.words.options

import data.gavel.catalog
import data.gavel.exec.rules.words.commands
import data.gavel.exec.rules.words.globs

# METADATA
# scope: document
# description: certainly none of the options that the rule lists is present with a listed value
differ(rule, part) if {
	object.get(rule, "options", null) != null
	part.optionsKnown in {"exact", "unsure"}
	is_array(part.options)
	not given_elsewhere(part)
	not _given_as_operand(rule, part)
	every option in part.options { not _may_match(rule, option, part) }
}

_may_match(rule, option, part) if {
	some name in _listed_names(rule)
	_may_have_name(option, name)
	_may_have_value(_listed_values(rule, name), option, part)
}

# An option that the catalog does not have may be an abbreviation of it.
_may_have_name(option, name) if name in option.names

_may_have_name(option, _) if not _has_names(option)

_may_have_name(option, name) if {
	not option.known == true
	some given in option.names
	startswith(given, "--")
	startswith(name, given)
}

_may_have_name(option, _) if {
	not option.known == true
	not option.dynamic == false
}

_may_have_value("any", _, _)

_may_have_value(patterns, option, _) if {
	is_array(patterns)
	some pattern in patterns
	globs.may_match(pattern, option.value, option.dynamic)
}

# Another word may be its value.
_may_have_value(_, option, part) if {
	not part.optionsKnown == "exact"
	not option.known == true
}

_may_have_value(_, option, part) if {
	part.optionsKnown == "unsure"
	not option.hasValue == true
}

_may_have_value(_, option, _) if not _has_value(option)

# Operands that mean the same as an option, such as a leading + for --force in git push.
_given_as_operand(rule, part) if {
	some program in part.executable.programs
	some form in catalog.programs.operands_as_options[program]
	commands.covers(form.command, part.commands, part)
	form.option in _listed_names(rule)
	some operand in part.operands
	startswith(operand.text, form.begins_with)
}

# METADATA
# scope: document
# description: |
#   the program may also take options from elsewhere: from a variable, or from a file that a word
#   names
given_elsewhere(part) if {
	some program in part.executable.programs
	some pattern in catalog.programs.option_variables[program]
	some variable in input.exec.env
	not catalog.environment.harmless[variable]
	glob.match(pattern, [], variable)
}

given_elsewhere(part) if {
	some hazard in part.hazards
	startswith(hazard.argument, "@")
	some operand in part.operands
	operand.index == hazard.index
}

given_elsewhere(part) if not _has_operands(part)

# METADATA
# scope: document
# description: |
#   the program may also take operands from elsewhere. A variable whose values the catalog lists, all
#   of them options, gives it none
operands_elsewhere(part) if {
	some program in part.executable.programs
	some pattern in catalog.programs.option_variables[program]
	some variable in input.exec.env
	not catalog.environment.harmless[variable]
	glob.match(pattern, [], variable)
	not _gives_only_options(variable)
}

operands_elsewhere(part) if {
	some hazard in part.hazards
	startswith(hazard.argument, "@")
	some operand in part.operands
	operand.index == hazard.index
}

operands_elsewhere(part) if not _has_operands(part)

_gives_only_options(variable) if {
	assignments := {assignment | some assignment in input.exec.assigned; upper(assignment.name) == variable}
	count(assignments) > 0
	every assignment in assignments {
		assignment.form in {"plain", "other"}
		every word in split(assignment.value, " ") { _is_listed_option(assignment.name, word) }
	}
}

_is_listed_option(variable, word) if {
	startswith(word, "-")
	some expression in catalog.environment.values[variable]
	regex.match(sprintf("^(%s)$", [expression]), word)
}

# METADATA
# scope: document
# description: every option is certainly listed in the rule, with a listed value, and the required options are present
match(rule, _) if object.get(rule, "options", null) == null

match(rule, part) if {
	part.optionsKnown == "exact"
	not given_elsewhere(part)
	every option in part.options { _listed(rule, option) }
	_required_present(rule, part)
}

_listed(rule, option) if {
	option.known == true
	some name in _listed_names(rule)
	name in option.names
	_has_listed_value(_listed_values(rule, name), option)
}

_has_listed_value("any", _)

_has_listed_value(patterns, option) if {
	is_array(patterns)
	option.hasValue == true
	option.dynamic == false
	some pattern in patterns
	globs.matches(pattern, option.value)
}

# METADATA
# description: the options that are not certainly listed in the rule, or not with a listed value
unlisted(rule, part) := {option | some option in part.options; not _listed(rule, option)} if {
	object.get(rule, "options", null) != null
} else := set()

# METADATA
# description: |
#   the options that the rule requires and that are missing: of a list, all of it if none is
#   present; of a map, each one with values
missing(rule, part) := {name | some name, patterns in rule.options; not _present_if_required(name, patterns, part)} if {
	is_object(rule.options)
} else := {name | some name in rule.options} if {
	is_array(rule.options)
	not _required_present(rule, part)
} else := set()

# Of a list, at least one option must be present, or none if the list is empty; of a map, each
# option that has values.
_required_present(rule, _) if rule.options == []

_required_present(rule, part) if {
	is_array(rule.options)
	count(part.options) > 0
}

_required_present(rule, part) if {
	is_object(rule.options)
	every name, patterns in rule.options { _present_if_required(name, patterns, part) }
}

_present_if_required(_, "any", _)

_present_if_required(name, _, part) if {
	some option in part.options
	name in option.names
}

_listed_names(rule) := {name | some name in rule.options} if {
	is_array(rule.options)
} else := object.keys(rule.options) if {
	is_object(rule.options)
} else := set()

_listed_values(rule, name) := rule.options[name] if {
	is_object(rule.options)
} else := "any"

_has_names(option) if is_array(option.names)

_has_value(option) if is_string(option.value)

_has_operands(part) if is_array(part.operands)
