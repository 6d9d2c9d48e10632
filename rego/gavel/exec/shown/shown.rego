# METADATA
# title: Commands and rules in messages
# description: |
#   How a message names the command that it is about, one of several perhaps, and the rules that
#   apply to it.
package gavel.exec.shown

# METADATA
# description: the words of a segment or a wrapper on one line, cut when they are long
command(part) := _cut(concat(" ", [_word(part, at) | some at, _ in part.argv])) if {
	is_array(part.argv)
	count(part.argv) > 0
} else := part.executable.name if {
	is_string(part.executable.name)
} else := "a program"

# Empty words and words with blanks are quoted, so that readers and the masking of secrets can
# tell words apart. A word that is produced at run time is shown as it was written.
_word(part, at) := text if {
	text := _on_one_line(part.argv[at])
	not _quoted(part, at, text)
} else := sprintf(`"%s"`, [text]) if {
	text := _on_one_line(part.argv[at])
	contains(text, "'")
	not regex.match(`["$\x60\\!]`, text)
} else := sprintf("'%s'", [replace(_on_one_line(part.argv[at]), "'", `'\''`)])

_quoted(part, at, text) if {
	regex.match(`^$|[ '"]`, text)
	not at in object.get(part, "dynamic", [])
}

_on_one_line(text) := regex.replace(text, `\s+`, " ")

# METADATA
# description: a word of a command, quoted if it has characters that could be taken for those of the sentence
word(text) := text if {
	regex.match(`^[A-Za-z0-9_@%+=:./~{}^*-]+$`, text)
} else := sprintf("%q", [text])

# METADATA
# description: a rule by its path; one of a pack by the pack, which is what people switch on and off
rule(path) := sprintf("the pack %s", [_pack(path)]) if {
	_of_pack(path)
} else := path

# METADATA
# description: several rules in one phrase, each pack once
rules(paths) := listed(sort({rule(path) | some path in paths}))

# METADATA
# description: the command that lists the rules of packs; a rule of the configuration is read there
look_up(paths) := sprintf(" (gavel packs show %s)", [names[0]]) if {
	names := [name | some name in {_pack(path) | some path in _packs(paths)}]
	count(names) == 1
} else := sprintf(" (gavel packs show PACK, for %s)", [_either(sort({_pack(path) | some path in _packs(paths)}))]) if {
	_any_of_pack(paths)
} else := ""

_either(names) := sprintf("%s or %s", [concat(", ", array.slice(names, 0, count(names) - 1)), names[count(names) - 1]])

# METADATA
# description: what a person edits so that some rules no longer apply
unruled(paths) := sprintf("change %s", [rules(paths)]) if {
	not _any_of_pack(paths)
} else := sprintf("write rules of your own in place of %s", [rules(paths)]) if {
	count(_packs(paths)) == count(paths)
} else := sprintf("change %s, and write rules of your own in place of %s", [rules(paths - _packs(paths)), rules(_packs(paths))])

_any_of_pack(paths) if count(_packs(paths)) > 0

_packs(paths) := {path | some path in paths; _of_pack(path)}

_of_pack(path) if startswith(path, "packs.")

_pack(path) := split(path, ".")[1]

# METADATA
# description: names in one phrase
listed(names) := concat(" and ", names) if {
	count(names) <= 2
} else := sprintf("%s and %s", [concat(", ", array.slice(names, 0, count(names) - 1)), names[count(names) - 1]])

_longest := 100

_cut(text) := text if {
	count(text) <= _longest
} else := sprintf("%s…%s", [substring(text, 0, _longest - 1), _closing(substring(text, 0, _longest - 1))])

# The quote that a text is cut in is closed: what masks secrets looks for its end.
_closing(text) := mark if {
	left := regex.replace(replace(text, `\'`, ""), `'[^']*'|"[^"]*"`, "")
	mark := regex.find_n(`['"]`, left, 1)[0]
} else := ""
