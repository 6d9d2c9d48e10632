# METADATA
# title: Command rules
# description: |
#   What the configuration says of programs and their words (tools.exec.rules): which
#   rules permit a segment, and which ask about it or deny it. deny wins over ask, and ask
#   over allow, in whatever order they stand (R42).
# schemas:
#   - input: schema.facts
package gavel.exec.rules

import data.gavel.exec.allowlist
import data.gavel.exec.modes
import data.gavel.exec.rules.called
import data.gavel.exec.rules.doubt
import data.gavel.exec.rules.lists
import data.gavel.exec.rules.words
import data.gavel.exec.rules.words.options
import data.gavel.exec.shown as text
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

# Segments, and the wrappers around them, with the place of the segment.
_parts := {{"part": segment, "span": segment} | some segment in input.exec.segments} | {{"part": wrapper, "span": segment} |
	some segment in input.exec.segments
	some wrapper in segment.wrappers
}

_ruled if not frozen.result.exec.rules.objects == false

_denying contains [rule, part] if {
	_ruled
	some part in _parts
	some rule in objecting(part.part, "deny")
}

_asking contains [rule, part] if {
	_ruled
	some part in _parts
	some rule in objecting(part.part, "ask")
}

# METADATA
# description: the rules that ask about this call
asking := {rule | some [rule, _] in _asking}

# METADATA
# title: Rule denies
# description: a rule of the configuration denies the program with these words (R42)
# custom:
#   code: exec.rule_denied
#   message: '%s is denied by %s%s'
#   fix: 'leave it out, or %s'
deny contains reason.placed(found, part.span) if {
	some [rule, part] in _denying
	not lists.another(rule, part.part.executable)
	_plain(rule, part.part)
	said := [text.command(part.part), text.rule(rule.path), _why(rule)]
	found := reason.fixed(rego.metadata.rule(), said, [text.unruled(rule.path)], {"path": rule.path})
}

# METADATA
# title: Rule may deny
# description: the words are not known exactly, and a rule of the configuration denies what they may be (R42)
# custom:
#   code: exec.rule_unclear
#   message: '%s may be what %s denies (%s)%s'
#   fix: '%s; or %s'
deny contains reason.placed(found, part.span) if {
	some [rule, part] in _denying
	not _plainly(rule, part.part)
	said := [text.command(part.part), text.rule(rule.path), doubt.because(rule, part.part), _why(rule)]
	found := reason.fixed(rego.metadata.rule(), said, [doubt.fix(rule, part.part), text.unruled(rule.path)], {"path": rule.path})
}

# METADATA
# title: Text was not understood, and rules object to commands
# description: in full mode a text that was not analyzed may be what a rule denies (R42)
# custom:
#   code: exec.rule_unread
#   message: 'the command was not understood, so it may be one that a rule denies'
#   fix: use simpler commands, one at a time
deny contains reason.from(rego.metadata.rule(), [], {}) if {
	modes.security == "full"
	not input.exec.parsed == true
	not frozen.result.exec.rules.denies == false
}

# METADATA
# title: Rules have no approver in common
# description: the rules that ask about the call name approvers, and nobody is on every list
# custom:
#   code: exec.rule_approvers
#   message: 'nobody can answer: %s name no approver in common'
#   fix: name somebody in all of them, or give the commands one by one
deny contains reason.from(rego.metadata.rule(), [concat(" and ", sort({rule.path | some rule in asking; is_array(rule.approvers)}))], {}) if {
	count(_approver_lists) > 1
	count(approvers) == 0
}

# METADATA
# title: Rule asks
# description: a rule of the configuration wants a person to agree (R42)
# custom:
#   code: exec.rule_asks
#   message: '%s: a person must agree, %s%s'
#   fix: 'have a person agree, or %s'
ask contains reason.placed(found, part.span) if {
	modes.security in {"allowlist", "full"}
	some [group, part] in _groups
	paths := {rule.path | some rule in group.rules}
	said := [text.command(part.part), _as_it_says(group.doubt, paths), _reasons_of(group.rules)]
	found := reason.fixed(rego.metadata.rule(), said, [_without(group, part.part)], {"path": min(paths)})
}

# METADATA
# title: Text was not understood, and rules ask about commands
# description: in full mode a text that was not analyzed may be what a rule asks about (R42)
# custom:
#   code: exec.rule_unread_asks
#   message: 'the command was not understood, so it may be one that a rule asks about'
#   fix: use simpler commands, one at a time, or ask a person
ask contains reason.from(rego.metadata.rule(), [], {}) if {
	modes.security == "full"
	not input.exec.parsed == true
	not frozen.result.exec.rules.asks == false
}

# Each rule that surely asks is a reason of its own; those that may ask, for the same doubt,
# are one.
_groups contains [{"doubt": "", "rules": [rule]}, part] if {
	some [rule, part] in _asking
	_plainly(rule, part.part)
}

_groups contains [{"doubt": why, "rules": _doubted(part, why)}, part] if {
	some [rule, part] in _asking
	not _plainly(rule, part.part)
	why := doubt.because(rule, part.part)
}

_doubted(part, why) := [rule |
	some [rule, other] in _asking
	other == part
	not _plainly(rule, part.part)
	doubt.because(rule, part.part) == why
]

_as_it_says("", paths) := sprintf("as %s says", [text.rules(paths)])

_as_it_says(doubt, paths) := sprintf("because it may be what %s asks about (%s)", [text.rules(paths), doubt]) if {
	not doubt == ""
	count(paths) == 1
} else := sprintf("because it may be what %s ask about (%s)", [text.rules(paths), doubt]) if {
	not doubt == ""
}

_reasons_of(rules) := sprintf(": %s", [concat("; ", sort(said))]) if {
	said := {rule.why | some rule in rules; is_string(rule.why)}
	count(said) > 0
	count(said) <= 3
} else := ""

_without(group, part) := text.unruled(group.rules[0].path) if {
	group.doubt == ""
} else := doubt.fix(group.rules[0], part)

_plainly(rule, part) if {
	not lists.another(rule, part.executable)
	_plain(rule, part)
}

# The words that the rule is about are known.
_plain(rule, part) if {
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
# description: who may answer, by the rules that ask; undefined where none says so
approvers := intersection(_approver_lists) if count(_approver_lists) > 0

_approver_lists := {{name | some name in rule.approvers} | some rule in asking; is_array(rule.approvers)}

# METADATA
# description: how many must agree, by the rules that ask
quorum := max({1} | {rule.quorum | some rule in asking; is_number(rule.quorum)})

# METADATA
# description: how long they have, by the rules that ask; undefined where none says so
timeout := min(_timeouts) if count(_timeouts) > 0

_timeouts := {rule.timeout | some rule in asking; is_number(rule.timeout)}

# METADATA
# description: a rule surely asks about the segment, so that a person may decide about it
asked(segment) if {
	some rule in objecting(segment, "ask")
	not lists.another(rule, segment.executable)
	_plain(rule, segment)
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

_why(rule) := sprintf(": %s", [rule.why]) if {
	is_string(rule.why)
} else := ""

# METADATA
# title: Rule allows
# description: a rule of the configuration permits the program with these words
# custom:
#   code: exec.rule_allowed
#   message: '%s is allowed by %s'
#   fix: ""
because contains reason.from(rego.metadata.rule(), [shown(segment), rule.path], {"path": rule.path}) if {
	frozen.result.exec.rules.any == true
	some segment in input.exec.segments
	some rule in permitting(segment)
}

# METADATA
# description: |
#   the rules that are about this call, by their paths, as they would be taken: one that
#   permits for certain, any other one if it may be. Examples are tried with it.
applied contains rule.path if {
	some part in _parts
	some effect in ["deny", "ask"]
	some rule in objecting(part.part, effect)
}

# METADATA
# description: and those that surely permit a part of this call
applied contains rule.path if {
	some part in _parts
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
	some part in _parts
	some rule in lists.candidates(part.part)
}

_called_so(rule, executable) if {
	rule.effect == "allow"
	called.surely(rule, executable)
} else if {
	not rule.effect == "allow"
	not lists.another(rule, executable)
} else := false
