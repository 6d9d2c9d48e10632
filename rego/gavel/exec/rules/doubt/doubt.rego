# METADATA
# title: Doubt about a rule
# description: |
#   Why it is unclear whether a rule that asks or denies is about a segment or a wrapper, in
#   words for whoever reads the reason.
# schemas:
#   - input: schema.facts
package gavel.exec.rules.doubt

import data.gavel.exec.rules.lists

# METADATA
# description: what is unclear, the first that applies
because(rule, part) := sprintf("what it runs is not known, and may be %s", [_name(rule)]) if {
	lists.another(rule, part.executable)
} else := sprintf("Gavel does not know the sub-command %s", [concat(" ", part.commands)]) if {
	rule.commands
	part.commandsKnown == "unlisted"
} else := "a word of it is produced at run time" if {
	not part.dynamic == []
} else := "one of its options is not known" if {
	part.optionsKnown == "unsure"
} else := "not all of its words are known"

# METADATA
# description: what to do about it
fix(rule, part) := "give the commands themselves, so that they can be read" if {
	lists.another(rule, part.executable)
	lists.unread(part)
} else := "run the program by its own name, with every word written out" if {
	lists.another(rule, part.executable)
} else := sprintf("if %[1]s is an alias, write out what it stands for; if not, allow %[1]s by name in a rule", [concat(" ", part.commands)]) if {
	rule.commands
	part.commandsKnown == "unlisted"
} else := "write every word out and give the options as the program lists them"

_name(rule) := parts[count(parts) - 1] if parts := split(rule.program, "/")
