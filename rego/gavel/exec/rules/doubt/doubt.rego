# METADATA
# title: Doubt about a rule
# description: |
#   Why it is unclear whether a rule that asks or denies is about a segment or a wrapper, in words
#   for the message of the reason.
# schemas:
#   - input: schema.facts
package gavel.exec.rules.doubt

import data.gavel.exec.rules.lists
import data.gavel.exec.shown as text

# METADATA
# description: what is unclear, the first that applies
because(rule, part) := _unknown_program if {
	lists.other_program(rule, part.executable)
} else := sprintf("Gavel does not know the sub-command %s", [concat(" ", part.commands)]) if {
	rule.commands
	part.commandsKnown == "unlisted"
} else := "a word of it is produced at run time" if {
	not part.dynamic == []
} else := "one of its options is not known" if {
	part.optionsKnown == "unsure"
} else := "not all of its words are known"

_unknown_program := "what it runs is not known"

# METADATA
# description: |
#   the doubt and the rules that share it, as the end of a message. verbs: the verb for one rule
#   and for several, such as ["denies", "deny"]
sentence(why, rules, verbs) := sprintf("%s, and may be %s, which %s %s%s", [why, names[0], text.rules(paths), _verb(paths, verbs), _rule_reasons(rules)]) if {
	why == _unknown_program
	names := _program_names(rules)
	count(names) == 1
	paths := {rule.path | some rule in rules}
} else := sprintf("%s, so it may be a command that %d rules %s: %s", [why, count(rules), verbs[1], _names_shown(_program_names(rules))]) if {
	why == _unknown_program
} else := sprintf("it may be what %s %s (%s)%s", [text.rules(paths), _verb(paths, verbs), why, _rule_reasons(rules)]) if {
	paths := {rule.path | some rule in rules}
}

_rule_reasons(rules) := sprintf(": %s", [concat("; ", sort(sentence))]) if {
	sentence := {rule.why | some rule in rules; is_string(rule.why)}
	count(sentence) > 0
	count(sentence) <= 3
} else := ""

# Several rules of one pack are shown as the pack.
_verb(paths, verbs) := verbs[0] if {
	count({text.rule(path) | some path in paths}) == 1
} else := verbs[1]

_program_names(rules) := sort({_program_name(rule) | some rule in rules})

_names_shown(names) := text.listed(names) if {
	count(names) <= _max_names
} else := sprintf("%s and %d other programs", [concat(", ", array.slice(names, 0, _max_names - 1)), (count(names) - _max_names) + 1])

_max_names := 6

# METADATA
# description: what to do about it
fix(rule, part) := "give the commands themselves, so that they can be read" if {
	lists.other_program(rule, part.executable)
	lists.runs_unread_commands(part)
} else := "run the program by its own name, with every word written out" if {
	lists.other_program(rule, part.executable)
} else := sprintf("if %[1]s is an alias, write out what it stands for; if not, allow %[1]s by name in a rule", [concat(" ", part.commands)]) if {
	rule.commands
	part.commandsKnown == "unlisted"
} else := "write every word out and give the options as the program lists them"

_program_name(rule) := parts[count(parts) - 1] if parts := split(rule.program, "/")
