# METADATA
# title: Misses of arguments
# description: |
#   The reasons for hazards that no entry accepts: what the argument does, and how to do without
#   it or accept it.
# schemas:
#   - input: schema.facts
package gavel.exec.misses.hazardous

import data.gavel.exec.changes
import data.gavel.exec.hazards
import data.gavel.exec.programs
import data.gavel.exec.shown
import data.gavel.reason
import data.gavel.resources

# METADATA
# description: a reason for every hazard of the segment that the entry, {"path", "args"}, does not accept
reasons(segment, entry) := {_objection(segment, hazard, entry) |
	some hazard in hazards.unaccepted(segment, entry)
	not _same_word_again(hazard, hazards.unaccepted(segment, entry))
}

# A word that could be any option has a hazard of each kind that options of the program have. The
# reason names one of them.
_same_word_again(hazard, found) if {
	hazard.option == "dynamic"
	some other in found
	other.option == "dynamic"
	other.index == hazard.index
	_rank(other) < _rank(hazard)
}

_rank(hazard) := [0, ""] if {
	hazard.kind == "runs"
} else := [1, hazard.kind]

# METADATA
# title: Directory was not looked through
# description: the program reads everything in a directory, and it has more files than are looked at for denied ones
# custom:
#   code: exec.search_bound
#   message: '%s reads more files, or deeper directories, than Gavel searches for files that are denied'
#   fix: '%s'
#   advises: search a smaller directory, or leave out large ones
_objection(segment, hazard, _) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment)],
	[_exclude_fix(segment)],
	{"path": "tools.read.deny"},
) if {
	hazard.kind == "reads"
	hazard.option == "bound"
}

_objection(segment, hazard, _) := changes.objection(segment, hazard) if _change_hazard(hazard)

# METADATA
# title: Directory cannot be looked at
# description: the program reads everything in a directory, which Gavel cannot look at, and there may be denied files
# custom:
#   code: exec.search_unseen
#   message: '%s reads everything in a directory that Gavel cannot look at, and files there may be denied'
#   fix: 'name the files to read, or set %s to allow'
_objection(segment, hazard, _) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment)],
	["tools.read.searches"],
	{"path": "tools.read.searches"},
) if {
	hazard.kind == "reads"
	hazard.option == "unseen"
}

# METADATA
# title: Earlier command may change what is read
# description: a command before it may make a link there, bring other files, or change which files a search leaves out, so it is unknown what it reads
# custom:
#   code: exec.read_changed
#   message: '%s: a command before it, or one that runs at the same time, may change which files %q stands for%s, so they may be files that are closed'
#   fix: 'run it as a call of its own%s'
_objection(segment, hazard, _) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), hazard.argument, _cause(hazard)],
	[_links_fix(hazard)],
	{"path": "tools.exec.noLinks"},
) if {
	_order_hazard(hazard)
}

# METADATA
# title: Argument is a hazard
# description: with this argument, the program runs, loads or writes something that no entry permits
# custom:
#   code: exec.hazard
#   message: '%s: %s may not be used %s, because %s'
#   fix: '%s'
#   advises: do without the argument, or accept it in the entry or the rule that permits the program
_objection(segment, hazard, entry) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), segment.executable.real, _shown(segment, hazard), _why(segment, hazard)],
	[concat(", or ", array.concat(_advice(segment, hazard), [_acceptance(segment, hazard, entry)]))],
	{"path": entry.path},
) if {
	not hazard.option in {"bound", "unseen", "expression"}
	not _change_hazard(hazard)
	not _order_hazard(hazard)
}

# METADATA
# title: Shell may evaluate a word of a test
# description: a word of test or [ is produced at run time, or names a subscript, and some shells run what is in it
# custom:
#   code: exec.expression
#   message: '%s: some shells would run commands that are in %s, a word of this test'
#   fix: 'put the word in double quotes and test one thing at a time, as in [ -n "$NAME" ] or [ "$NAME" = text ]'
_objection(segment, hazard, entry) := reason.from(
	rego.metadata.rule(),
	[shown.command(segment), hazard.argument],
	{"path": entry.path},
) if {
	hazard.option == "expression"
}

_change_hazard(hazard) if {
	hazard.kind == "writes"
	hazard.option in {"unsure", "unlisted", "bound", "unseen"}
}

_order_hazard(hazard) if {
	hazard.kind == "reads"
	hazard.option in {"linked", "changed"}
}

_cause(hazard) := ", because it may make links" if {
	hazard.option == "linked"
} else := ""

_links_fix(hazard) := ", or name the directory in tools.exec.noLinks if nobody makes links there" if {
	hazard.option == "linked"
} else := ""

_exclude_fix(segment) := "name the files to add, or list large directories in .gitignore" if {
	programs.takes_in(segment)
} else := sprintf("search a smaller directory, or leave out a large one, such as with %s", [sprintf(form, ["node_modules"])]) if {
	form := programs.exclude_option(segment.executable, "leaves_out_directories")
} else := "search a smaller directory"

# What to do without the argument. Nobody can leave out a sub-command, or what a program always does.
_advice(segment, hazard) := ["put the URL in quotes: the shell takes ? and * as wildcards"] if {
	_unquoted_url(segment, hazard)
} else := [_without(hazard)] if {
	not _of_the_program(hazard)
} else := []

_of_the_program(hazard) if {
	hazard.argument == ""
	not startswith(hazard.option, "-")
	not hazard.option in {"dynamic", "pager"}
	not hazard.kind == "inline"
}

# A word that is produced at run time is not itself an option.
_without(hazard) := advice if {
	hazard.option == "dynamic"
	advice := "write the word out, begin it with ./, or put -- before it if the program supports that"
} else := "add an option such as --no-pager, or end the command with | cat" if {
	hazard.option == "pager"
} else := "put the code into a file, and run the file" if {
	_inline(hazard)
} else := sprintf("remove from %q what names other files or machines, in a call before this one", [hazard.argument]) if {
	hazard.option == "settings"
} else := "use the tool web_fetch for what is on the web" if {
	hazard.kind == "network"
	regex.match(`^https?://`, hazard.argument)
} else := "write to a file that tools.write.allow names" if {
	_writes_operand(hazard)
} else := sprintf("use another file than %q", [hazard.argument]) if {
	_about_a_file(hazard)
} else := sprintf("leave %q out", [hazard.argument]) if {
	_leaves_word(hazard)
} else := sprintf("leave %s out", [hazard.option])

# Of a script of sed, which is an operand, a part is enough.
_inline(hazard) if {
	hazard.kind == "inline"
	startswith(hazard.option, "-")
}

_inline(hazard) if {
	hazard.kind == "inline"
	hazard.argument in {"", "-"}
}

_writes_operand(hazard) if {
	hazard.kind == "writes"
	hazard.real != ""
	not startswith(hazard.option, "-")
}

# What the program is given, such as a script of sed, or an option of many spellings.
_leaves_word(hazard) if {
	not regex.match(`^-[^*]+$`, hazard.option)
	hazard.argument != ""
}

# What kind of file an argument names, where that is the hazard and no option of the program is.
_about_a_file(hazard) if {
	hazard.option in {"secret", "outside", "closed", "denied", "opened"}
	hazard.argument != ""
}

# Where a person accepts the hazard, with all others of the command that the entry does not
# accept. A pack is not edited.
_acceptance(segment, hazard, entry) := "have a person run it and pass on what is needed" if {
	hazard.kind == "secrets"
	startswith(entry.path, "packs.")
} else := sprintf("list %s under tools.read.allow", [hazard.real]) if {
	hazard.kind == "elsewhere"
	hazard.real != ""
	resources.limited("read")
} else := sprintf("list %s under args of %s", [hazard.option, entry.path]) if {
	not entry.rule == true
} else := _rule(segment, entry) if {
	startswith(entry.path, "packs.")
} else := sprintf("list %s under accepts of %s", [hazard.option, entry.path])

# Without a sub-command, the rule would permit the hazard with any words of the program.
_rule(segment, entry) := sprintf(
	"add {program: %s, commands: [%s], accepts: [%s], effect: allow} to tools.exec.rules",
	[segment.executable.name, concat(" ", segment.commands), _unaccepted_options(segment, entry)],
) if {
	segment.commandsKnown == "exact"
	count(segment.commands) > 0
} else := "permit exactly these words by a rule in tools.exec.rules: gavel fix shows it, unless it would permit too much"

_unaccepted_options(segment, entry) := concat(", ", sort({_as_yaml(hazard.option) | some hazard in hazards.unaccepted(segment, entry)}))

_as_yaml(text) := text if {
	regex.match(`^[A-Za-z0-9_.+-]+$`, text)
} else := sprintf("%q", [text])

_shown(segment, hazard) := sprintf("with %s, which is produced at run time and could be an option", [hazard.argument]) if {
	hazard.option == "dynamic"
	hazard.argument != ""
} else := "with words that are produced at run time and could be options" if {
	hazard.option == "dynamic"
} else := sprintf("with the settings in %q", [hazard.argument]) if {
	hazard.option == "settings"
} else := sprintf("with %q", [hazard.argument]) if {
	_about_a_file(hazard)
} else := sprintf("with %s %q", [hazard.option, hazard.argument]) if {
	hazard.argument != ""
	not hazard.option == hazard.argument
	_written(segment, hazard.option)
} else := sprintf("with %q", [hazard.argument]) if {
	hazard.argument != ""
} else := sprintf("with %s", [hazard.option]) if {
	_written(segment, hazard.option)
} else := "like this"

# The name of a hazard is an option or sub-commands of the line, and not only a name in the catalog.
_written(_, name) if startswith(name, "-")

_written(segment, name) if {
	not name in segment.executable.programs
	every word in split(name, " ") { word in segment.argv }
}

_why(segment, hazard) := "the shell takes it as a pattern of file names, so it may become the URL of another machine" if {
	_unquoted_url(segment, hazard)
} else := sprintf("it %s", [_meaning(hazard)])

# A URL of this machine that is known but for its wildcards. In quotes, it would be no hazard.
_unquoted_url(segment, hazard) if {
	hazard.kind == "network"
	hazard.index in segment.dynamic
	regex.match(`^(https?://)?(localhost|127\.0\.0\.1)(:[0-9]+)?[/?][^@$\x60{}\[\]\\"']*$`, hazard.argument)
	regex.match(`[?*]`, hazard.argument)
}

_meaning(hazard) := "would show a file that may hold secrets" if {
	hazard.option == "secret"
	hazard.kind == "reads"
} else := "is a file or directory of the system or of other people" if {
	hazard.option == "closed"
	hazard.kind == "reads"
} else := meaning if {
	meaning := data.gavel.catalog.exec.hazards.meaning[hazard.kind]
} else := "is of an unknown kind"
