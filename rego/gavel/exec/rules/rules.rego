# METADATA
# title: Command rules
# description: |
#   What the configuration says of programs and their words (tools.exec.rules): which
#   rules permit a segment, and which ask about it or deny it. What the latter say is in
#   gavel.exec.objections.
# schemas:
#   - input: schema.facts
package gavel.exec.rules

import data.gavel.exec.allowlist
import data.gavel.exec.modes
import data.gavel.exec.rules.called
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

_entry(rule) := {"found": true, "pattern": rule.program, "path": rule.path, "args": _named(rule), "kinds": _named(rule), "rule": true}

_named(rule) := ["any"] if {
	rule.accepts == "any"
} else := [name | some name in rule.accepts; is_string(name); name != "any"] if {
	is_array(rule.accepts)
} else := []

# METADATA
# description: the rules that permit a program with these words
permitting(part) := {rule | some rule in allowing(part); words.surely(rule, part)}

# METADATA
# description: the rules that permit the program, whatever the words
allowing(part) := {rule |
	some rule in lists.candidates(part)
	rule.effect == "allow"
	called.surely(rule, part.executable)
}

# METADATA
# description: |
#   the rules that permit a program of this name, and not the one that was found, because it is not
#   surely what its name says
by_name(part) := {rule |
	some rule in lists.candidates(part)
	rule.effect == "allow"
	rule.program in {part.executable.name, part.executable.realName}
	not called.surely(rule, part.executable)
}

# METADATA
# description: the rules of an effect, ask or deny, that are or may be about a segment or a wrapper
objecting(part, effect) := {rule |
	some given in lists.candidates(part)
	given.effect == effect
	rule := object.union(given, {"vouched": _vouched(part)})
	_about(rule, part)
}

_about(rule, part) if {
	not lists.another(rule, part.executable)
	words.possibly(rule, part)
}

_about(rule, part) if lists.carries(rule, part)

# Where nothing permits the program that may run any command, its being a miss is enough.
_about(_, part) if {
	lists.anything(part)
	_permitted(part)
}

_permitted(_) if modes.security == "full"

_permitted(part) if count(entries(part)) > 0

# Sub-commands that no table has, and a rule that permits names.
_vouched(part) := {name |
	some rule in lists.candidates(part)
	rule.effect == "allow"
	some command in rule.commands
	parts := split(command, " ")
	name := parts[count(parts) - 1]
}

# METADATA
# description: segments, and the wrappers around them, with the segment whose place a reason names
parts := {{"part": segment, "span": segment} | some segment in input.exec.segments} | {{"part": wrapper, "span": segment} |
	some segment in input.exec.segments
	some wrapper in segment.wrappers
}

# METADATA
# description: a rule that objects is certainly about the part, because the words that it is about are known
surely(rule, part) if {
	not lists.another(rule, part.executable)
	_commands_known(rule, part)
	_options_known(rule, part)
	_operands_known(rule, part)
}

_commands_known(rule, _) if not _has(rule, "commands")

_commands_known(_, part) if part.commandsKnown in {"exact", "program"}

_options_known(rule, _) if not _has(rule, "options")

_options_known(_, part) if {
	part.optionsKnown == "exact"
	every option in part.options { option.dynamic == false }
	not options.optioned(part)
}

_operands_known(rule, _) if not _has(rule, "operands")

_operands_known(_, part) if {
	part.optionsKnown in {"exact", "none"}
	every operand in part.operands { operand.dynamic == false }
}

_has(rule, key) if object.get(rule, key, null) != null

# METADATA
# description: a rule surely asks about the segment, so that a person may decide about it
asked(segment) if {
	some rule in objecting(segment, "ask")
	surely(rule, segment)
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
#   the rules that are about this call, by their paths, as they would be taken: one that
#   permits for certain, any other one if it may be. Examples are tried with it.
applied contains rule.path if {
	some part in parts
	some effect in ["deny", "ask"]
	some rule in objecting(part.part, effect)
}

# METADATA
# description: and those that surely permit a part of this call
applied contains rule.path if {
	some part in parts
	some rule in permitting(part.part)
}

# METADATA
# description: |
#   which conditions of each rule hold for the parts of this call that are about its
#   program, for whoever wants to know why a rule is not about a command
conditions contains object.union(words.holding(rule, part.part), {
	"path": rule.path,
	"program": _called_so(rule, part.part.executable),
	"shown": shown(part.part),
}) if {
	some part in parts
	some rule in lists.candidates(part.part)
}

_called_so(rule, executable) if {
	rule.effect == "allow"
	called.surely(rule, executable)
} else if {
	not rule.effect == "allow"
	not lists.another(rule, executable)
} else := false
