# METADATA
# title: Words of a rule
# description: |
#   Whether a rule about commands is about the words of a segment or of a wrapper. A rule
#   that permits has to be about them for certain; one that asks or denies only must not
#   be about other words for certain (R42). Of a fact that is missing nothing is certain.
package gavel.exec.rules.words

import data.gavel.exec.rules.words.commands
import data.gavel.exec.rules.words.operands
import data.gavel.exec.rules.words.options

# METADATA
# scope: document
# description: the rule's conditions about words hold for certain
surely(rule, part) if {
	commands.these(rule, part)
	options.these(rule, part)
	operands.these(rule, part)
}

# METADATA
# scope: document
# description: the rule's conditions about words may hold
possibly(rule, part) if {
	not commands.other(rule, part)
	not options.other(rule, part)
	not operands.other(rule, part)
}

# METADATA
# description: whether each condition of a rule about words holds, as the rule's effect wants it
holding(rule, part) := {"commands": _commands_hold(rule, part), "options": _options_hold(rule, part), "operands": _operands_hold(rule, part)}

_commands_hold(rule, part) if {
	rule.effect == "allow"
	commands.these(rule, part)
} else if {
	not rule.effect == "allow"
	not commands.other(rule, part)
} else := false

_options_hold(rule, part) if {
	rule.effect == "allow"
	options.these(rule, part)
} else if {
	not rule.effect == "allow"
	not options.other(rule, part)
} else := false

_operands_hold(rule, part) if {
	rule.effect == "allow"
	operands.these(rule, part)
} else if {
	not rule.effect == "allow"
	not operands.other(rule, part)
} else := false
