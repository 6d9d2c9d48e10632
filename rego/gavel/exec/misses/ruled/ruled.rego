# METADATA
# title: Misses of rules
# description: |
#   Rules permit the program, and none permits it with these words. Here is said which words no rule
#   permits, by the rules that come closest to it.
# schemas:
#   - input: schema.facts
package gavel.exec.misses.ruled

import data.gavel.exec.advice
import data.gavel.exec.rules
import data.gavel.exec.rules.words.commands
import data.gavel.exec.rules.words.operands
import data.gavel.exec.rules.words.options
import data.gavel.exec.shown
import data.gavel.reason

# METADATA
# title: No rule permits these words
# description: there are rules that permit the program, and none permits it with these words
# custom:
#   code: exec.rule_miss
#   message: '%s: no rule allows %s'
#   fix: 'use words that a rule allows%s, or add %s'
explained(segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), _refused(segment)],
	[shown.look_up(_paths(segment)), advice.rule(segment)],
	{"path": "tools.exec.rules"},
)

# The rules to look at: those about the sub-command, or about others, or all about the program.
_paths(segment) := {rule.path | some rule in _about(segment)} if {
	count(_about(segment)) > 0
} else := {rule.path | some rule in _named(segment)} if {
	count(_named(segment)) > 0
} else := {rule.path | some rule in rules.allowing(segment)}

# The rules that name its sub-command. Those that name none, such as one for --version, are about
# words without a sub-command, unless no rule of the program names any.
_about(segment) := {rule | some rule in _named(segment); commands.these(rule, segment)} if {
	count(_named(segment)) > 0
	count(segment.commands) > 0
} else := {rule | some rule in rules.allowing(segment); commands.these(rule, segment)}

_named(segment) := {rule | some rule in rules.allowing(segment); is_array(rule.commands)}

# What no rule allows, the first that applies.
_refused(segment) := rules.shown(segment) if {
	count(_about(segment)) == 0
	count(segment.commands) > 0
} else := sprintf("%s without a sub-command", [segment.executable.name]) if {
	count(_about(segment)) == 0
	segment.commandsKnown == "exact"
} else := sprintf("%s with these words, because Gavel cannot tell which of them is the sub-command", [segment.executable.name]) if {
	count(_about(segment)) == 0
} else := sprintf("%s with words that are produced at run time and could be options", [rules.shown(segment)]) if {
	segment.optionsKnown == "open"
} else := sprintf("%s with options that a variable or a file may give it", [rules.shown(segment)]) if {
	options.optioned(segment)
} else := sprintf("%s with %s", [rules.shown(segment), shown.listed(_texts(_closest(segment)))]) if {
	count(_closest(segment)) > 0
} else := sprintf("%s without %s", [rules.shown(segment), concat(" or ", sort(_needed(segment)))]) if {
	segment.optionsKnown == "exact"
	count(_needed(segment)) > 0
} else := sprintf("%s with these words, because Gavel cannot tell which of them are options", [rules.shown(segment)])

# In the order of the line.
_texts(words) := [word[1] | some word in sort(words)]

# The words that the closest rules do not permit. Of rules that are equally close each may lack
# another word, and then no rule permits all of these together.
_closest(segment) := union({words |
	some words in _lacking(segment)
	count(words) == min({count(other) | some other in _lacking(segment)})
})

_lacking(segment) := {words |
	some rule in _about(segment)
	words := _options_of(rule, segment) | _operands_of(rule, segment)
}

_options_of(rule, segment) := {[option.index, _option(option)] | some option in options.unlisted(rule, segment)}

_operands_of(rule, segment) := {[operand.index, _operand(segment, operand)] | some operand in operands.unlisted(rule, segment)}

_option(option) := option.name if {
	option.dynamic == false
	option.value == ""
} else := sprintf("%s %s", [option.name, shown.word(option.value)]) if {
	option.dynamic == false
} else := sprintf("%s and a value that is produced at run time", [option.name])

_operand(segment, operand) := shown.word(operand.text) if {
	operand.dynamic == false
} else := sprintf("%s, which is produced at run time", [segment.argv[operand.index]]) if {
	operand.index < count(segment.argv)
} else := "words that are produced at run time"

# The options of which a rule about these words needs one, or each.
_needed(segment) := {name |
	some rule in _about(segment)
	some name in options.missing(rule, segment)
}
