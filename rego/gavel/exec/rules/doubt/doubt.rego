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
because(rule, part) := sprintf("it may run %s", [_name(rule)]) if {
	lists.another(rule, part.executable)
} else := sprintf("%s may be an alias", [_last(part.commands)]) if {
	rule.commands
	part.commandsKnown == "unlisted"
} else := "a word of it is produced at run time" if {
	not part.dynamic == []
} else := "one of its options is not known" if {
	part.optionsKnown == "unsure"
} else := "not all of its words are known"

# METADATA
# description: what to do about it
fix(rule, part) := sprintf("write out what %s stands for; if it is no alias, allow it by name in a rule", [_last(part.commands)]) if {
	not lists.another(rule, part.executable)
	rule.commands
	part.commandsKnown == "unlisted"
} else := "give the commands themselves, so that they can be read" if {
	lists.another(rule, part.executable)
	lists.unread(part)
} else := "write every word out and give the options as the program lists them"

_last(commands) := commands[count(commands) - 1]

_name(rule) := parts[count(parts) - 1] if parts := split(rule.program, "/")
