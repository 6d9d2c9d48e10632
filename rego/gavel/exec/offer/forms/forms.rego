# METADATA
# title: Forms of entries
# description: |
#   The limits of an entry that an answer adds (R40): the program, the words that were judged,
#   and the content of a file that users other than root can change. Programs that only read
#   keep their options and accept other plain operands. For any other program, all words and
#   the directory are fixed. The approvals file stores and matches these limits.
# schemas:
#   - input: schema.facts
package gavel.exec.offer.forms

# METADATA
# description: |
#   the limits of an entry for a segment: {"form", "argv", "cwd", "targets", "subCommand",
#   "options", "words", "sha256"}
entry_limits(segment) := {
	"form": "operands",
	"argv": [],
	"cwd": "",
	"targets": [],
	"subCommand": segment.subCommand,
	"options": sort({word | some word in _words(segment); startswith(word, "-")}),
	"words": sort({word | some word in _operands(segment); not plain(word)}),
	"sha256": _digest(segment),
} if {
	_operands_interchangeable(segment)
} else := {
	"form": "words",
	"argv": _words(segment),
	"cwd": segment.cwd,
	"targets": [hazard.real | some hazard in segment.hazards],
	"subCommand": segment.subCommand,
	"options": [],
	"words": [],
	"sha256": _digest(segment),
}

# METADATA
# description: the content of the program, or of the script that it is, is known
content_known(segment) if not _digest(segment) == ""

_digest(segment) := segment.executable.sha256 if {
	regex.match(`^[0-9a-f]{2,}$`, segment.executable.sha256)
} else := script.sha256 if {
	some script in segment.scripts
	script.real == segment.executable.real
	script.found == true
} else := ""

# METADATA
# description: |
#   an operand that another operand may replace: a word, or a path below the directory. An
#   operand that begins at the root, in a home directory or with a dash, climbs with .., or
#   holds a colon or an equals sign, is fixed.
plain(word) if {
	not regex.match(`^[-/~]|[:=]`, word)
	not ".." in split(word, "/")
}

_words(segment) := array.slice(segment.argv, 1, count(segment.argv))

_operands(segment) := [word |
	some i, word in _words(segment)
	not startswith(word, "-")
	not _sub_command(segment, i)
]

# The sub-command is not an operand.
_sub_command(segment, 0) if {
	segment.subCommand != ""
	segment.argv[1] == segment.subCommand
}

# Other operands do nothing that these do not do.
_operands_interchangeable(segment) if {
	segment.known == true
	segment.executable.name == segment.executable.realName
	segment.scripts == []
	every hazard in segment.hazards { hazard.kind in {"program", "code"} }
	_reader(segment)
}

_reader(segment) if {
	data.gavel.catalog.programs.open_operands[segment.executable.name]
	segment.subCommand == ""
}

_reader(segment) if {
	segment.subCommand in data.gavel.catalog.programs.open_subcommands[segment.executable.name]
	segment.argv[1] == segment.subCommand
}

# METADATA
# description: a file that the segment would write, where an entry must not permit writing
sensitive_targets(segment) := {target |
	_writer(segment)
	some target in _targets(segment)
	some pattern in data.gavel.catalog.exec.offer.targets
	glob.match(pattern, ["/"], lower(target))
	not _in_working_directory(target)
}

# The working directory may be such a location itself, as /root is.
_in_working_directory(target) if {
	some pattern in data.gavel.catalog.exec.offer.targets
	startswith(pattern, "/{")
	glob.match(pattern, ["/"], lower(target))
	startswith(input.exec.workdir, "/")
	not input.exec.workdir == "/"
	startswith(target, sprintf("%s/", [input.exec.workdir]))
	not _sensitive_by_name(target)
}

_sensitive_by_name(target) if {
	some pattern in data.gavel.catalog.exec.offer.targets
	not startswith(pattern, "/{")
	glob.match(pattern, ["/"], lower(target))
}

_writer(segment) if {
	some hazard in segment.hazards
	hazard.kind == "writes"
}

_writer(segment) if {
	some name in segment.executable.programs
	data.gavel.catalog.programs.changes_files[name]
}

_writer(segment) if not segment.known == true

_targets(segment) := {real |
	some hazard in segment.hazards
	hazard.kind == "writes"
	real := hazard.real
	real != ""
} | {path |
	some word in _words(segment)
	some text in {word, regex.replace(word, `^[^=]*=`, "")}
	text != ""
	path := _path(segment, text)
}

_path(_, text) := text if startswith(text, "/")

_path(_, text) := sprintf("%s%s", [input.environment.home, substring(text, 1, -1)]) if startswith(text, "~")

_path(segment, text) := sprintf("%s/%s", [segment.cwd, regex.replace(text, `^(\./)+`, "")]) if not regex.match(`^[/~-]`, text)

# METADATA
# description: modes among the words of a program that sets file modes
modes(segment) := {word |
	some name in segment.executable.programs
	name in {"chmod", "install", "mkdir", "setfacl"}
	some word in _words(segment)
	regex.match(data.gavel.catalog.exec.offer.modes, trim_prefix(trim_prefix(word, "--mode="), "-m"))
}

# METADATA
# description: the words of an entry, with <args> for other plain operands
argv(limits) := limits.argv if {
	limits.form == "words"
} else := array.concat([limits.subCommand | limits.subCommand != ""], array.concat(limits.words, ["<args>"]))

# METADATA
# description: what an entry admits, in words
admits(pattern, limits) := sprintf("%s%s, in %s%s", [pattern, _shown(limits.argv), limits.cwd, _content(limits)]) if {
	limits.form == "words"
} else := sprintf("%s%s with any plain operands%s%s, in any directory%s", [
	pattern,
	_shown([limits.subCommand | limits.subCommand != ""]),
	_listed("the options", limits.options),
	_listed("the words", limits.words),
	_content(limits),
])

_shown([]) := ""

_shown(words) := sprintf(" %s", [concat(" ", words)]) if count(words) > 0

_listed(_, []) := ""

_listed(what, words) := sprintf(", %s %s", [what, concat(" ", words)]) if count(words) > 0

_content(limits) := "" if {
	limits.sha256 == ""
} else := ", while its content stays the same"
