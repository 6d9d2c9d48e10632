# METADATA
# title: Rules for a command
# description: |
#   The rules that would permit the segments of a refused command. Each is as narrow as the
#   command: it lists exactly the sub-command, options, operands and argument hazards that are
#   present.
# schemas:
#   - input: schema.facts
package gavel.change.commands

import data.gavel.catalog
import data.gavel.change.inexact
import data.gavel.config
import data.gavel.exec.hazards
import data.gavel.exec.misses
import data.gavel.exec.programs
import data.gavel.exec.rules
import data.gavel.exec.rules.identity
import data.gavel.exec.rules.words.options
import data.gavel.exec.segments
import data.gavel.exec.system
import data.gavel.exec.wrappers
import data.gavel.frozen

# METADATA
# description: a rule for each segment and each wrapper that no list permits
edits contains {"op": "add", "path": _list, "value": rule, "admits": _rule_shown(part, rule), "whom": _whom(_list)} if {
	some part in _unpermitted_parts
	not _unpermittable(part)
	rule := _rule(part)
}

# METADATA
# description: an entry for a link whose name decides what the program does (R45)
edits contains {"op": "add", "path": frozen.result.exec.allowlist, "value": real, "admits": admits, "whom": _whom(frozen.result.exec.allowlist)} if {
	some segment in misses.missed_segments
	segment.opaque == ""
	not programs.runs_other_programs(segment)
	programs.untrusted_link(segment)
	real := segment.executable.real
	_literal(real)
	admits := sprintf("%s with any arguments that are not hazards", [real])
}

# METADATA
# description: |
#   a file outside the workspace, to be added to a list of files to read, for a command whose
#   words no rule can state exactly
edits contains {"op": "add", "path": list.path, "value": hazard.real, "admits": admits, "whom": _whom(list.path)} if {
	some part in _unpermitted_parts
	not _exact(part)
	some hazard in _hazards(part)
	_answered_by_file_list(hazard)
	some list in frozen.result.files.read.allow
	admits := sprintf("any tool or command to read %s", [hazard.real])
}

# METADATA
# description: |
#   the packs with a rule that allows the program of one of these parts, as edits. A pack permits
#   more than a rule, so it is shown only if it replaces several rules
packs contains {"op": "add", "path": _packs, "value": name, "admits": admits, "whom": _whom(_packs)} if {
	some part in _unpermitted_parts
	some name, pack in catalog.packs
	not name in _active_packs
	some rule in pack.rules
	rule.effect == "allow"
	rule.program == part.executable.name
	admits := sprintf("everything of the pack %s, which %s", [name, pack.gives])
}

# METADATA
# description: parts of the command that no rule should permit, each {"code", "why"}
none contains {"code": "exec.hazard", "why": sprintf("%s: %s", [_shown(part), why])} if {
	some part in _unpermitted_parts
	why := _why_unpermittable(part)
}

# The segments that no rule and no entry permits, and the wrappers that are not accepted.
_unpermitted_parts contains segment if {
	some segment in misses.missed_segments
	segment.executable.found == true
	not programs.opaque(segment)
	not _permitted_by_entry(segment)
}

_unpermitted_parts contains wrapper if {
	some segment in misses.missed_segments
	some wrapper in segment.wrappers
	wrapper.executable.found == true
	not wrappers.accepted(wrapper)
}

_permitted_by_entry(segment) if {
	some found in rules.entries(segment)
	hazards.accepted(segment, found)
	not segments.script_under_wildcard(segment, found)
}

_hazards(part) := hazards.unaccepted(part, {"args": [], "kinds": []})

_unpermittable(part) if _why_unpermittable(part)

# Why no rule should permit the part, as a clause.
_why_unpermittable(part) := "a word that is produced at run time could be any option; write it out, begin it with ./, or put -- before it" if {
	some hazard in _hazards(part)
	hazard.option == "dynamic"
} else := "it reads secrets or the environment, so a person has to agree each time" if {
	some hazard in _hazards(part)
	hazard.kind == "secrets"
} else := "it reads a file that holds secrets, so a person has to agree each time" if {
	some hazard in _hazards(part)
	hazard.option == "secret"
} else := "a deny list names a file that it uses" if {
	some hazard in _hazards(part)
	hazards.names_denied_file(hazard)
} else := "it would change files of the system or of other people, so a person has to agree each time" if {
	system.changed(part, _hazards(part))
} else := inexact.why(part) if {
	some hazard in _hazards(part)
	not _answered_by_file_list(hazard)
	not _exact(part)
} else := inexact.why(part) if {
	_has_dynamic_words(part)
	count(_hazards(part)) == 0
	not _exact(part)
	not catalog.programs.open_operands[part.executable.name]
} else := "the order of its words matters, and a rule cannot state an order" if {
	catalog.programs.predicates[part.executable.name]
	count(_hazards(part)) > 0
} else := inexact.command(part)

# Words that are produced at run time may be anything. A program that only reads what it is given may
# get them nevertheless.
_has_dynamic_words(part) if part.optionsKnown == "open"

_has_dynamic_words(part) if {
	some operand in part.operands
	not operand.dynamic == false
}

_has_dynamic_words(part) if {
	some option in part.options
	not option.dynamic == false
}

# An entry in a list of files to read is enough, so no rule is needed for the hazard.
_answered_by_file_list(hazard) if {
	hazard.kind == "elsewhere"
	_literal(hazard.real)
	hazard.real != "/"
}

# A rule can list each word exactly, with the values of options. If the catalog has no grammar for
# the program, all words are operands.
_exact(part) if {
	_options(part)
	_operands(part)
	every option in part.options { _value_known(option) }
}

_exact(part) if {
	part.optionsKnown == "none"
	_operands(part)
}

_value_known(option) if option.hasValue == false

_value_known(option) if {
	option.dynamic == false
	regex.match(`\S`, option.value)
}

_rule(part) := object.union_n([
	{"program": _program(part.executable), "effect": "allow"},
	_commands(part),
	_member("options", [options | options := _options(part)]),
	_member("operands", [operands | operands := _operands(part)]),
	_accepts(part),
])

_member(_, []) := {}

_member(name, [value]) := {name: value}

_program(executable) := executable.name if {
	regex.match(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`, executable.name)
	identity.certainly_named_by({"program": executable.name, "target": ""}, executable)
} else := executable.real if {
	_literal(executable.real)
}

# A path that matches only itself.
_literal(path) if {
	startswith(path, "/")
	not regex.match(`[*?\s]`, path)
}

_commands(part) := {"commands": [concat(" ", part.commands)]} if {
	part.commandsKnown in {"exact", "program"}
	count(part.commands) > 0
} else := {}

# The options that are present; undefined if a rule cannot list them. If there are hazards, each
# option is listed with its value.
_options(part) := names if {
	_readable(part)
	count(_valued(part)) == 0
	names := [option.name | some i, option in part.options; not _before(part.options, i, option.name)]
} else := {option.name: _values(part, option.name) | some option in part.options} if {
	_readable(part)
}

_readable(part) if {
	part.optionsKnown == "exact"
	not options.given_elsewhere(part)
	every option in part.options {
		option.known == true
		regex.match(`^--?[A-Za-z0-9@?#+][A-Za-z0-9_.+-]*$`, option.name)
	}
}

_before(options, i, name) if {
	some j
	options[j].name == name
	j < i
}

# The options whose values a rule has to list.
_valued(part) := {option.name | some option in part.options; option.hasValue == true} if {
	count(_hazards(part)) > 0
} else := set()

_values(part, name) := [option.value | some option in part.options; option.name == name] if {
	name in _valued(part)
} else := "any"

# The operands that are present; undefined if a rule cannot list them.
_operands(part) := texts if {
	part.optionsKnown in {"exact", "none"}
	not options.given_elsewhere(part)
	count(part.operands) <= inexact.max_operands
	every operand in part.operands {
		operand.dynamic == false
		regex.match(`\S`, operand.text)
	}
	texts := [operand.text | some i, operand in part.operands; not _seen(part.operands, i, operand.text)]
}

_seen(operands, i, text) if {
	some j
	operands[j].text == text
	j < i
}

# Reading and writing are accepted by kind, so that deny lists still apply.
_accepts(part) := {"accepts": sort({_accepted_name(hazard) | some hazard in _hazards_to_accept(part)})} if {
	count(_hazards_to_accept(part)) > 0
} else := {}

# The hazards that a rule has to accept.
_hazards_to_accept(part) := _hazards(part) if {
	_exact(part)
} else := {hazard | some hazard in _hazards(part); not _answered_by_file_list(hazard)}

_accepted_name(hazard) := hazard.kind if {
	hazard.kind in {"reads", "writes"}
} else := hazard.option

_list := config.agent_setting(input.agent.id, ["exec", "rules"]).path

_list := "tools.exec.rules" if not config.agent_setting(input.agent.id, ["exec", "rules"])

_packs := config.agent_setting(input.agent.id, ["exec", "packs"]).path

_packs := "tools.exec.packs" if not config.agent_setting(input.agent.id, ["exec", "packs"])

_active_packs contains name if some name in config.agent_setting(input.agent.id, ["exec", "packs"]).value

_active_packs contains name if some name in config.section(["tools", "exec", "packs"])

# The other agents to which a list applies.
_whom(path) := "every agent" if {
	startswith(path, "tools.")
} else := "every agent without a setting of its own" if {
	startswith(path, "agents.defaults.")
} else := ""

_shown(part) := concat(" ", part.argv)

_rule_shown(part, rule) := sprintf("%s %s and %s%s", [
	concat(" ", array.concat([rule.program], object.get(rule, "commands", []))),
	_options_shown(part, rule),
	_operands_shown(rule),
	_accepted_shown(part),
])

_options_shown(part, rule) := "without options" if {
	rule.options == []
} else := sprintf("with %s and no other option,", [_option_shown(part, rule.options[0])]) if {
	count(rule.options) == 1
	is_array(rule.options)
} else := sprintf("with one or more of %s and no other option,", [concat(", ", [_option_shown(part, name) | some name in rule.options])]) if {
	is_array(rule.options)
} else := sprintf("with %s%s and no other option,", [
	concat(", ", [sprintf("%s %s", [name, concat(" or ", values)]) | some name, values in rule.options; is_array(values)]),
	concat("", [sprintf(", with or without %s", [name]) | some name, "any" in rule.options]),
]) if {
	is_object(rule.options)
} else := "with any options that are not hazards"

_option_shown(part, name) := sprintf("%s (with any value)", [name]) if {
	some option in part.options
	option.name == name
	option.hasValue == true
} else := name

_operands_shown(rule) := "without operands" if {
	rule.operands == []
} else := sprintf("with no operands but %s", [concat(", ", rule.operands)]) if {
	rule.operands
} else := "with any operands"

_accepted_shown(part) := concat("", sort({said | some hazard in _hazards_to_accept(part); said := _hazard_shown(hazard)}))

_hazard_shown(hazard) := sprintf("; it %s (%s)", [object.get(catalog.exec.hazards.meaning, hazard.kind, "is of an unknown kind"), hazard.option])
