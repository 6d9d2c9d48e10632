# METADATA
# title: Commands in messages
# description: How a message names the command that it is about, for a person who has written several.
package gavel.exec.shown

# METADATA
# description: the words of a segment or a wrapper on one line, cut when they are long
command(part) := _cut(regex.replace(concat(" ", part.argv), `\s+`, " ")) if {
	is_array(part.argv)
	count(part.argv) > 0
} else := part.executable.name if {
	is_string(part.executable.name)
} else := "a program"

_longest := 100

_cut(text) := text if {
	count(text) <= _longest
} else := sprintf("%s…", [substring(text, 0, _longest - 1)])
