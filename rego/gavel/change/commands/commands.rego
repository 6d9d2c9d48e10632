# METADATA
# title: Rules for a command
# description: |
#   The rules that would permit the segments of a refused command, each as narrow as its
#   words: the sub-command, the options and the operands that are there, and the argument
#   hazards that they are.
# schemas:
#   - input: schema.facts
package gavel.change.commands

import data.gavel.catalog
import data.gavel.config
import data.gavel.exec.hazards
import data.gavel.exec.misses
import data.gavel.exec.programs
import data.gavel.exec.rules
import data.gavel.exec.rules.called
import data.gavel.exec.rules.words.options
import data.gavel.exec.segments
import data.gavel.exec.wrappers
import data.gavel.frozen

# METADATA
# description: a rule for each segment and each wrapper that no list permits
edits contains {"op": "add", "path": _list, "value": rule, "admits": _admitted(part, rule), "whom": _whom(_list)} if {
	some part in _needy
	not _hopeless(part)
	rule := _rule(part)
}

# METADATA
# description: an entry for a link whose name decides what the program does (R45)
edits contains {"op": "add", "path": frozen.result.exec.allowlist, "value": real, "admits": admits, "whom": _whom(frozen.result.exec.allowlist)} if {
	some segment in misses.missed
	segment.opaque == ""
	not programs.runs_others(segment)
	programs.loose_link(segment)
	real := segment.executable.real
	_literal(real)
	admits := sprintf("%s with any arguments that are not hazards", [real])
}

# METADATA
# description: |
#   a file outside the workspace that a list of files to read could have, for a command whose
#   words no rule can state
edits contains {"op": "add", "path": list.path, "value": hazard.real, "admits": admits, "whom": _whom(list.path)} if {
	some part in _needy
	not _exact(part)
	some hazard in _objecting(part)
	_by_list(hazard)
	some list in frozen.result.files.read.allow
	admits := sprintf("any tool or command to read %s", [hazard.real])
}

# METADATA
# description: |
#   the packs of which a rule allows the program of one of these parts, as edits. A pack gives
#   more than a rule, so it counts only where it takes the place of several
packs contains {"op": "add", "path": _packs, "value": name, "admits": admits, "whom": _whom(_packs)} if {
	some part in _needy
	some name, pack in catalog.packs
	not name in _switched_on
	some rule in pack.rules
	rule.effect == "allow"
	rule.program == part.executable.name
	admits := sprintf("everything of the pack %s, which %s", [name, pack.gives])
}

# METADATA
# description: parts of the command that no rule should permit, each {"code", "why"}
none contains {"code": "exec.hazard", "why": sprintf("%s: %s", [_shown(part), why])} if {
	some part in _needy
	why := _forbidden(part)
}

# The segments that no rule and no entry permits, and the wrappers that nothing trusts.
_needy contains segment if {
	some segment in misses.missed
	segment.executable.found == true
	not programs.opaque(segment)
	not _listed(segment)
}

_needy contains wrapper if {
	some segment in misses.missed
	some wrapper in segment.wrappers
	wrapper.executable.found == true
	not wrappers.trusted(wrapper)
}

_listed(segment) if {
	some found in rules.entries(segment)
	hazards.accepted(segment, found)
	not segments.blanket_script(segment, found)
}

_objecting(part) := hazards.unaccepted(part, {"args": [], "kinds": []})

_hopeless(part) if _forbidden(part)

# Why no rule should permit the part, in one line.
_forbidden(part) := "a word that is produced at run time could be any option; write it out, begin it with ./, or put -- before it" if {
	some hazard in _objecting(part)
	hazard.option == "dynamic"
} else := "it reads secrets or the environment" if {
	some hazard in _objecting(part)
	hazard.kind == "secrets"
} else := "it reads a file that holds secrets" if {
	some hazard in _objecting(part)
	hazard.option == "secret"
} else := "a deny list names a file that it uses" if {
	some hazard in _objecting(part)
	hazards.closed(hazard)
} else := "a rule cannot state these words exactly, and with others it could do anything" if {
	some hazard in _objecting(part)
	not _by_list(hazard)
	not _exact(part)
}

# A list of files to read answers it, and no rule is needed for it.
_by_list(hazard) if {
	hazard.kind == "elsewhere"
	_literal(hazard.real)
	hazard.real != "/"
}

# A rule can state each word, with the values of options. All words of a program without a
# grammar are operands.
_exact(part) if {
	_options(part)
	_operands(part)
	every option in part.options { _stated(option) }
}

_exact(part) if {
	part.optionsKnown == "none"
	_operands(part)
}

_stated(option) if option.hasValue == false

_stated(option) if {
	option.dynamic == false
	regex.match(`\S`, option.value)
}

_rule(part) := object.union_n([
	{"program": _program(part.executable), "effect": "allow"},
	_commands_of(part),
	_member("options", [options | options := _options(part)]),
	_member("operands", [operands | operands := _operands(part)]),
	_accepts_of(part),
])

_member(_, []) := {}

_member(name, [value]) := {name: value}

_program(executable) := executable.name if {
	regex.match(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`, executable.name)
	called.surely({"program": executable.name, "target": ""}, executable)
} else := executable.real if {
	_literal(executable.real)
}

# A path that matches only itself.
_literal(path) if {
	startswith(path, "/")
	not regex.match(`[*?\s]`, path)
}

_commands_of(part) := {"commands": [concat(" ", part.commands)]} if {
	part.commandsKnown == "exact"
	count(part.commands) > 0
} else := {}

# The options that are there, or undefined where a rule cannot state them. Where the words are
# hazards, each option is stated with its value.
_options(part) := names if {
	_readable(part)
	count(_valued(part)) == 0
	names := [option.name | some i, option in part.options; not _before(part.options, i, option.name)]
} else := {option.name: _values(part, option.name) | some option in part.options} if {
	_readable(part)
}

_readable(part) if {
	part.optionsKnown == "exact"
	not options.optioned(part)
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

# The options whose values a rule has to state.
_valued(part) := {option.name | some option in part.options; option.hasValue == true} if {
	count(_objecting(part)) > 0
} else := set()

_values(part, name) := [option.value | some option in part.options; option.name == name] if {
	name in _valued(part)
} else := "any"

# The operands that are there, or undefined where a rule cannot state them.
_operands(part) := texts if {
	part.optionsKnown in {"exact", "none"}
	not options.optioned(part)
	count(part.operands) <= 12
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

# Reading and writing is accepted by kind, because a deny list then still closes its files.
_accepts_of(part) := {"accepts": sort({_accepted_as(hazard) | some hazard in _ruled(part)})} if {
	count(_ruled(part)) > 0
} else := {}

# The hazards that a rule has to accept.
_ruled(part) := _objecting(part) if {
	_exact(part)
} else := {hazard | some hazard in _objecting(part); not _by_list(hazard)}

_accepted_as(hazard) := hazard.kind if {
	hazard.kind in {"reads", "writes"}
} else := hazard.option

_list := config.agent_setting(input.agent.id, ["exec", "rules"]).path

_list := "tools.exec.rules" if not config.agent_setting(input.agent.id, ["exec", "rules"])

_packs := config.agent_setting(input.agent.id, ["exec", "packs"]).path

_packs := "tools.exec.packs" if not config.agent_setting(input.agent.id, ["exec", "packs"])

_switched_on contains name if some name in config.agent_setting(input.agent.id, ["exec", "packs"]).value

_switched_on contains name if some name in config.section(["tools", "exec", "packs"])

# Whom a list is for, besides this agent.
_whom(path) := "every agent" if {
	startswith(path, "tools.")
} else := "every agent without a setting of its own" if {
	startswith(path, "agents.defaults.")
} else := ""

_shown(part) := concat(" ", part.argv)

_admitted(part, rule) := sprintf("%s %s and %s%s", [
	concat(" ", array.concat([rule.program], object.get(rule, "commands", []))),
	_options_said(part, rule),
	_operands_said(rule),
	_accepts_said(part),
])

_options_said(part, rule) := "without options" if {
	rule.options == []
} else := sprintf("with %s and no other option,", [_option_said(part, rule.options[0])]) if {
	count(rule.options) == 1
	is_array(rule.options)
} else := sprintf("with one or more of %s and no other option,", [concat(", ", [_option_said(part, name) | some name in rule.options])]) if {
	is_array(rule.options)
} else := sprintf("with %s%s and no other option,", [
	concat(", ", [sprintf("%s %s", [name, concat(" or ", values)]) | some name, values in rule.options; is_array(values)]),
	concat("", [sprintf(", with or without %s", [name]) | some name, "any" in rule.options]),
]) if {
	is_object(rule.options)
} else := "with any options that are not hazards"

_option_said(part, name) := sprintf("%s (with any value)", [name]) if {
	some option in part.options
	option.name == name
	option.hasValue == true
} else := name

_operands_said(rule) := "without operands" if {
	rule.operands == []
} else := sprintf("with no operands but %s", [concat(", ", rule.operands)]) if {
	rule.operands
} else := "with any operands"

_accepts_said(part) := concat("", sort({said | some hazard in _ruled(part); said := _accept_said(hazard)}))

_accept_said(hazard) := sprintf("; it %s (%s)", [object.get(catalog.exec.hazards.meaning, hazard.kind, "is of an unknown kind"), hazard.option])
