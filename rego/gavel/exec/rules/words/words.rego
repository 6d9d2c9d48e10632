# METADATA
# title: Words of a rule
# description: |
#   Whether the conditions of a rule about commands match the words of a segment or a wrapper. For
#   a rule that permits, they must certainly match; for a rule that asks or denies, it is enough
#   that they may match (R42). With a missing fact, nothing is certain.
package gavel.exec.rules.words

import data.gavel.exec.rules.words.commands
import data.gavel.exec.rules.words.operands
import data.gavel.exec.rules.words.options

# METADATA
# scope: document
# description: the words certainly match the rule's conditions
certainly_match(rule, part) if {
	commands.match(rule, part)
	options.match(rule, part)
	operands.match(rule, part)
}

# METADATA
# scope: document
# description: the words may match the rule's conditions
may_match(rule, part) if {
	not commands.differ(rule, part)
	not options.differ(rule, part)
	not operands.differ(rule, part)
}

# METADATA
# description: which of the rule's conditions about words are met; certainly for a rule that permits, possibly for any other rule
conditions_met(rule, part) := {"commands": _commands_met(rule, part), "options": _options_met(rule, part), "operands": _operands_met(rule, part)}

_commands_met(rule, part) if {
	rule.effect == "allow"
	commands.match(rule, part)
} else if {
	not rule.effect == "allow"
	not commands.differ(rule, part)
} else := false

_options_met(rule, part) if {
	rule.effect == "allow"
	options.match(rule, part)
} else if {
	not rule.effect == "allow"
	not options.differ(rule, part)
} else := false

_operands_met(rule, part) if {
	rule.effect == "allow"
	operands.match(rule, part)
} else if {
	not rule.effect == "allow"
	not operands.differ(rule, part)
} else := false
