# METADATA
# title: Words that no rule can list
# description: |
#   Why a rule cannot name the sub-command, the options and the operands of a command exactly, so
#   that no rule is proposed for it. A rule that leaves them open would permit whatever the program can do with
#   other words.
package gavel.change.inexact

import data.gavel.exec.rules.words.options

# METADATA
# description: the most operands that a proposed rule lists
max_operands := 12

# METADATA
# scope: document
# description: the cause, as a sentence
default why(_) := "no rule can list these words, because Gavel does not understand them exactly"

why(part) := sprintf("no rule can list these words: %s", [_cause(part)])

# METADATA
# description: |
#   why a rule cannot name the sub-command, as a sentence; undefined if it can, or if the program
#   has none. A rule that names no sub-command is about all of them
command(part) := sprintf("no rule can name the sub-command: Gavel does not know %s", [concat(" ", array.concat([part.argv[0]], part.commands))]) if {
	part.commandsKnown == "unlisted"
} else := "no rule can say that there is no sub-command, and another one could do anything" if {
	part.commandsKnown in {"exact", "program"}
	part.commands == []
} else := "no rule can name the sub-command: another word could be it" if {
	not part.commandsKnown in {"exact", "program", "none"}
}

_cause(part) := sprintf("Gavel does not know the option %s of %s", [names[0], part.argv[0]]) if {
	names := _names({option | some option in part.options; not option.known == true})
} else := sprintf("the value of %s is produced at run time", [names[0]]) if {
	names := _names({option | some option in part.options; not option.dynamic == false})
} else := sprintf("the value of %s is empty", [names[0]]) if {
	names := _names({option | some option in part.options; option.hasValue == true; not _visible(option.value)})
} else := sprintf("%s is produced at run time", [texts[0]]) if {
	texts := sort({_given(part, operand) | some operand in part.operands; not operand.dynamic == false})
	texts != []
} else := "an operand is empty" if {
	some operand in part.operands
	not _visible(operand.text)
} else := sprintf("there are %d operands, and a rule lists %d at most", [count(part.operands), max_operands]) if {
	count(part.operands) > max_operands
} else := "a variable or a file may add options" if {
	options.given_elsewhere(part)
} else := "a word that is produced at run time could be any option" if {
	part.optionsKnown == "open"
} else := "it is unclear which of them are options" if {
	part.optionsKnown == "unsure"
}

# A word that is produced at run time has no text, and is shown as the command gives it.
_given(part, operand) := word if {
	word := part.argv[operand.index]
} else := "an operand"

_names(found) := names if {
	names := sort({option.name | some option in found})
	names != []
}

_visible(text) if regex.match(`\S`, text)
