# METADATA
# title: Misses of rules
# description: |
#   There are rules that permit the program, but none permits it with these words. This package
#   finds the words that no rule permits, by the rules that come closest to permitting the segment.
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
#   fix: 'use words that a rule allows%s, or %s'
objection(segment) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), _refused(segment)],
	[shown.look_up(_paths(segment)), advice.rule(segment)],
	{"path": "tools.exec.rules"},
)

# The rules to look up: those about the sub-command, or else those with sub-commands, or else all
# for the program.
_paths(segment) := {rule.path | some rule in _closest_by_sub_command(segment)} if {
	count(_closest_by_sub_command(segment)) > 0
} else := {rule.path | some rule in _with_sub_commands(segment)} if {
	count(_with_sub_commands(segment)) > 0
} else := {rule.path | some rule in rules.allowing_program(segment)}

# The rules that name the segment's sub-command. A rule without sub-commands, such as one for
# --version, counts only if the segment has none, or if no rule for the program has any.
_closest_by_sub_command(segment) := {rule | some rule in _with_sub_commands(segment); commands.match(rule, segment)} if {
	count(_with_sub_commands(segment)) > 0
	count(segment.commands) > 0
} else := {rule | some rule in rules.allowing_program(segment); commands.match(rule, segment)}

_with_sub_commands(segment) := {rule | some rule in rules.allowing_program(segment); is_array(rule.commands)}

# What no rule allows, the first that applies.
_refused(segment) := rules.shown(segment) if {
	count(_closest_by_sub_command(segment)) == 0
	count(segment.commands) > 0
} else := sprintf("%s without a sub-command", [segment.executable.name]) if {
	count(_closest_by_sub_command(segment)) == 0
	segment.commandsKnown == "exact"
} else := sprintf("%s with these words, because Gavel cannot tell which of them is the sub-command", [segment.executable.name]) if {
	count(_closest_by_sub_command(segment)) == 0
} else := sprintf("%s with words that are produced at run time and could be options", [rules.shown(segment)]) if {
	segment.optionsKnown == "open"
} else := sprintf("%s with options that a variable or a file may give it", [rules.shown(segment)]) if {
	options.given_elsewhere(segment)
} else := sprintf("%s with %s", [rules.shown(segment), shown.listed(_in_order(_refused_words(segment)))]) if {
	count(_refused_words(segment)) > 0
} else := rules.shown(segment) if {
	count(segment.commands) > 0
	count(_with_sub_commands(segment)) == 0
	count(_missing_options(segment)) > 0
} else := sprintf("%s without %s", [rules.shown(segment), concat(" or ", sort(_missing_options(segment)))]) if {
	segment.optionsKnown == "exact"
	count(_missing_options(segment)) > 0
} else := sprintf("%s with these words, because Gavel cannot tell which of them are options", [rules.shown(segment)])

# In the order of the command line.
_in_order(words) := [word[1] | some word in sort(words)]

# The words that the closest rules do not list. Rules that are equally close may lack different
# words; then no rule permits all of these together.
_refused_words(segment) := union({words |
	some words in _unlisted_words(segment)
	count(words) == min({count(other) | some other in _unlisted_words(segment)})
})

_unlisted_words(segment) := {words |
	some rule in _closest_by_sub_command(segment)
	words := _unlisted_options(rule, segment) | _unlisted_operands(rule, segment)
}

_unlisted_options(rule, segment) := {[option.index, _option_shown(option)] | some option in options.unlisted(rule, segment)}

_unlisted_operands(rule, segment) := {[operand.index, _operand_shown(segment, operand)] | some operand in operands.unlisted(rule, segment)}

_option_shown(option) := option.name if {
	option.dynamic == false
	option.value == ""
} else := sprintf("%s %s", [option.name, shown.word(option.value)]) if {
	option.dynamic == false
} else := sprintf("%s and a value that is produced at run time", [option.name])

_operand_shown(segment, operand) := shown.word(operand.text) if {
	operand.dynamic == false
} else := sprintf("%s, which is produced at run time", [segment.argv[operand.index]]) if {
	operand.index < count(segment.argv)
} else := "words that are produced at run time"

# The options that a rule for the sub-command requires: one of them, or each.
_missing_options(segment) := {name |
	some rule in _closest_by_sub_command(segment)
	some name in options.missing(rule, segment)
}
