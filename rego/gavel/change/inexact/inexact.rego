# METADATA
# title: Words that no rule can list
# description: |
#   Why a rule cannot list the options and operands of a command exactly, so that no rule is
#   proposed for it. A rule that leaves them open would permit whatever the program can do with
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

_cause(part) := sprintf("Gavel does not know the option %s of %s", [names[0], part.argv[0]]) if {
	names := _names({option | some option in part.options; not option.known == true})
} else := sprintf("the value of %s is produced at run time", [names[0]]) if {
	names := _names({option | some option in part.options; not option.dynamic == false})
} else := sprintf("the value of %s is empty", [names[0]]) if {
	names := _names({option | some option in part.options; option.hasValue == true; not _visible(option.value)})
} else := sprintf("%s is produced at run time", [texts[0]]) if {
	texts := sort({operand.text | some operand in part.operands; not operand.dynamic == false})
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

_names(found) := names if {
	names := sort({option.name | some option in found})
	names != []
}

_visible(text) if regex.match(`\S`, text)
