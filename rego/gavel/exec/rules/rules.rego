# METADATA
# title: Command rules
# description: |
#   The rules about commands (tools.exec.rules): which of them permit a segment, and which ask
#   about it or deny it. gavel.exec.objections has the reasons of the latter.
# schemas:
#   - input: schema.facts
package gavel.exec.rules

import data.gavel.exec.allowlist
import data.gavel.exec.modes
import data.gavel.exec.rules.identity
import data.gavel.exec.rules.lists
import data.gavel.exec.rules.words
import data.gavel.exec.rules.words.options
import data.gavel.exec.shown as sentences
import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: |
#   the entries that permit a segment or a wrapper, as allowlist.entry has them: that of the
#   allowlist, and one for each rule that permits these words
entries(part) := {found | found := allowlist.entry(part); found.found == true} | {_entry(rule) | some rule in permitting(part)}

_entry(rule) := {"found": true, "pattern": rule.program, "path": rule.path, "args": _accepted_hazards(rule), "kinds": _accepted_hazards(rule), "rule": true}

_accepted_hazards(rule) := ["any"] if {
	rule.accepts == "any"
} else := [name | some name in rule.accepts; is_string(name); name != "any"] if {
	is_array(rule.accepts)
} else := []

# METADATA
# description: the rules that permit a program with these words
permitting(part) := {rule | some rule in allowing_program(part); words.certainly_match(rule, part)}

# METADATA
# description: the rules that permit the program, whatever the words
allowing_program(part) := {rule |
	some rule in lists.candidates(part)
	rule.effect == "allow"
	identity.certainly_named_by(rule, part.executable)
}

# METADATA
# description: |
#   the rules that permit a program of this name, but not the program that was found, which may be
#   a different one
matching_name_only(part) := {rule |
	some rule in lists.candidates(part)
	rule.effect == "allow"
	rule.program in {part.executable.name, part.executable.realName}
	not identity.certainly_named_by(rule, part.executable)
}

# METADATA
# description: the rules of an effect, ask or deny, that are or may be about a segment or a wrapper
objecting(part, effect) := {rule |
	some candidate in lists.candidates(part)
	candidate.effect == effect
	rule := object.union(candidate, {"allowed_commands": _allowed_commands(part)})
	_concerns(rule, part)
}

_concerns(rule, part) if {
	not lists.other_program(rule, part.executable)
	words.may_match(rule, part)
}

_concerns(rule, part) if lists.may_run(rule, part)

# A program that may run any command needs no objection if nothing permits it: then it is a miss
# anyway.
_concerns(_, part) if {
	lists.runs_anything(part)
	_permitted(part)
}

_permitted(_) if modes.security == "full"

_permitted(part) if count(entries(part)) > 0

# The last words of the sub-commands that allow rules name.
_allowed_commands(part) := {name |
	some rule in lists.candidates(part)
	rule.effect == "allow"
	some command in rule.commands
	parts := split(command, " ")
	name := parts[count(parts) - 1]
}

# METADATA
# description: the segments and the wrappers around them, each with the segment whose position a reason gives
parts := {{"part": segment, "span": segment} | some segment in input.exec.segments} | {{"part": wrapper, "span": segment} |
	some segment in input.exec.segments
	some wrapper in segment.wrappers
}

# METADATA
# description: an objecting rule is certainly about the part, because every word that its conditions look at is known
certain(rule, part) if {
	not lists.other_program(rule, part.executable)
	_commands_known(rule, part)
	_options_known(rule, part)
	_operands_known(rule, part)
}

_commands_known(rule, _) if not _has_condition(rule, "commands")

_commands_known(_, part) if part.commandsKnown in {"exact", "program"}

_options_known(rule, _) if not _has_condition(rule, "options")

_options_known(_, part) if {
	part.optionsKnown == "exact"
	every option in part.options { option.dynamic == false }
	not options.given_elsewhere(part)
}

_operands_known(rule, _) if not _has_condition(rule, "operands")

_operands_known(_, part) if {
	part.optionsKnown in {"exact", "none"}
	every operand in part.operands { operand.dynamic == false }
}

_has_condition(rule, key) if object.get(rule, key, null) != null

# METADATA
# description: a rule certainly asks about the segment, so a person may decide about it
certainly_asks(segment) if {
	some rule in objecting(segment, "ask")
	certain(rule, segment)
}

# METADATA
# description: a segment or a wrapper in a few words, its program and sub-commands
shown(part) := concat(" ", array.concat([_program_words(part.executable)], _command_words(part)))

_program_words(executable) := executable.name if {
	is_string(executable.name)
} else := "a program"

_command_words(part) := [command | some command in part.commands; command != ""] if {
	is_array(part.commands)
} else := []

# METADATA
# title: Rule allows
# description: rules of the configuration permit a command of the line with these words
# custom:
#   code: exec.rule_allowed
#   message: '%s is allowed by %s'
#   fix: ""
because contains reason.placed(r, segment) if {
	frozen.result.exec.rules.any == true
	some segment in input.exec.segments
	paths := {rule.path | some rule in permitting(segment)}
	count(paths) > 0
	r := reason.from(rego.metadata.rule(), [shown(segment), sentences.rules(paths)], {"path": min(paths)})
}

# METADATA
# description: |
#   the paths of the rules that apply to this call: a rule that permits must be about it for
#   certain, any other rule may be. The examples of rules are checked with this
applied contains rule.path if {
	some part in parts
	some effect in ["deny", "ask"]
	some rule in objecting(part.part, effect)
}

# METADATA
# description: the rules that certainly permit a part of this call
applied contains rule.path if {
	some part in parts
	some rule in permitting(part.part)
}

# METADATA
# description: |
#   for each rule and each part of this call with its program, which of the rule's conditions are
#   met; it shows why a rule is not about a command
conditions contains object.union(words.conditions_met(rule, part.part), {
	"path": rule.path,
	"program": _program_matches(rule, part.part.executable),
	"shown": shown(part.part),
}) if {
	some part in parts
	some rule in lists.candidates(part.part)
}

_program_matches(rule, executable) if {
	rule.effect == "allow"
	identity.certainly_named_by(rule, executable)
} else if {
	not rule.effect == "allow"
	not lists.other_program(rule, executable)
} else := false
