# METADATA
# title: Commands and rules in messages
# description: |
#   How a message names the command that it is about, for a person who has written several, and
#   the rules that speak of it.
package gavel.exec.shown

# METADATA
# description: the words of a segment or a wrapper on one line, cut when they are long
command(part) := _cut(regex.replace(concat(" ", part.argv), `\s+`, " ")) if {
	is_array(part.argv)
	count(part.argv) > 0
} else := part.executable.name if {
	is_string(part.executable.name)
} else := "a program"

# METADATA
# description: a rule by its path; one of a pack by the pack, which is what people switch on and off
rule(path) := sprintf("the pack %s", [_pack(path)]) if {
	_of_pack(path)
} else := path

# METADATA
# description: several rules in one phrase, each pack once
rules(paths) := _listed(sort({rule(path) | some path in paths}))

# METADATA
# description: what a person edits so that a rule no longer holds
unruled(path) := sprintf("write rules of your own in place of the pack %s", [_pack(path)]) if {
	_of_pack(path)
} else := sprintf("change %s", [path])

_of_pack(path) if startswith(path, "packs.")

_pack(path) := split(path, ".")[1]

_listed(names) := concat(" and ", names) if {
	count(names) <= 2
} else := sprintf("%s and %s", [concat(", ", array.slice(names, 0, count(names) - 1)), names[count(names) - 1]])

_longest := 100

_cut(text) := text if {
	count(text) <= _longest
} else := sprintf("%s…", [substring(text, 0, _longest - 1)])
