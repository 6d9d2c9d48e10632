# METADATA
# title: Offer
# description: |
#   What an operator can be offered beside "once": the allowlist entries that an
#   allow-always would add (document 000 §08, R26), from all segments or from none, and
#   a narrower template of the words, with what else it would admit. Nothing here
#   permits anything; it is shown with an ask.
# schemas:
#   - input: schema.facts
package gavel.exec.offer

import data.gavel.config
import data.gavel.exec
import data.gavel.reason
import data.gavel.tools

# METADATA
# description: patterns and templates, and why there are none
result := {"patterns": patterns, "templates": templates, "refused": refused}

# METADATA
# description: the entries, in the order of the segments, each once; none when one is refused
patterns := [{"pattern": path, "args": sort(object.get(_options, path, set()))} |
	count(refused) == 0
	some i, segment in input.exec.segments
	path := segment.executable.real
	_first[path] == i
]

# Where a program comes first: of equal keys the last one stays.
_first := object.union_n([{segment.executable.real: j} |
	n := count(input.exec.segments)
	some i in numbers.range(1, n)
	j := n - i
	segment := input.exec.segments[j]
])

# The hazards of a program that an entry has to accept by name.
_options[path] contains hazard.option if {
	some segment in input.exec.segments
	path := segment.executable.real
	some hazard in segment.hazards
	not _passes(hazard.kind)
}

_passes(kind) if {
	kind in data.gavel.catalog.exec.hazards.pass
	not kind in data.gavel.catalog.exec.hazards.miss
}

# METADATA
# title: Asking is always
# description: with ask always nothing is ever approved for later calls (R15)
# custom:
#   code: exec.offer_always
#   message: nothing can be allowed for good, because ask is always
#   fix: approve it once, or list its programs in the configuration
refused contains reason.from(rego.metadata.rule(), [], {}) if not exec.ask_mode in {"on-miss", "off"}

# METADATA
# title: Command was not understood
# description: of what was not taken apart nobody knows what an entry would have to say
# custom:
#   code: exec.offer_not_understood
#   message: the command was not understood, so no entry can stand for it
#   fix: write it as plain commands
refused contains reason.from(rego.metadata.rule(), [], {}) if not _understood

_understood if {
	input.exec.parsed == true
	count(input.exec.segments) > 0
}

# METADATA
# title: Program is not there
# description: an entry for a path where nothing is would vouch for whatever comes there (R27)
# custom:
#   code: exec.offer_not_found
#   message: '%q was not found, or cannot be run'
#   fix: check the name, the search path and the working directory
refused contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	not segment.executable.found == true
}

# METADATA
# title: Program runs others
# description: an entry for what runs other programs would permit everything
# custom:
#   code: exec.offer_opaque
#   message: '%s runs other commands, so no entry can vouch for it'
#   fix: call the program itself
refused contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	exec.opaque(segment)
}

# METADATA
# title: Program is an interpreter
# description: an entry for an interpreter would permit whatever it is given (R26)
# custom:
#   code: exec.offer_interpreter
#   message: '%s runs what it is given, so an entry for it would permit everything'
#   fix: approve it once
refused contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	interpreter(segment.executable)
	not _strict_and_plain(segment)
}

# METADATA
# title: Script stands in the text of a shell
# description: what a shell's text calls by a relative path is no operand of the shell (document 000 §08)
# custom:
#   code: exec.offer_inline_script
#   message: '%s is called by a relative path in the text of a shell'
#   fix: give the shell the file, or call it by its full path
refused contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	contains(segment.argv[0], "/")
	not startswith(segment.argv[0], "/")
	not _operand(segment)
	_shells(segment) > 0
}

# METADATA
# title: Shells within shells
# description: more shells around one another than are looked into
# custom:
#   code: exec.offer_depth
#   message: '%s stands in more than %d shells'
#   fix: call it directly
refused contains reason.from(rego.metadata.rule(), [segment.argv[0], _max_shells], {}) if {
	some segment in input.exec.segments
	_shells(segment) > _max_shells
}

# METADATA
# title: Nobody vouches for the wrapper
# description: a program that is reached through somebody's own shell is not what was seen
# custom:
#   code: exec.offer_wrapper
#   message: '%s stands around %s, and nobody vouches for it'
#   fix: call the program itself
refused contains reason.from(rego.metadata.rule(), [wrapper.argv[0], segment.argv[0]], {}) if {
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	not exec.vouched(wrapper)
	not _raises(wrapper)
}

# What raises rights is derived from as the documents say; it needs an entry of its own
# all the same (R22).
_raises(wrapper) if {
	wrapper.kind == "privilege"
	exec.unalterable(wrapper.executable)
}

# METADATA
# title: Words are made when it runs
# description: what is approved has words that nobody has seen
# custom:
#   code: exec.offer_dynamic
#   message: '%s is given words that are made when it runs'
#   fix: approve it once
refused contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	not segment.dynamic == []
}

# METADATA
# title: Wrapper sets variables
# description: an entry knows nothing of the variables that a wrapper sets or takes away
# custom:
#   code: exec.offer_environment
#   message: '%s changes the environment of %s'
#   fix: leave the variables out
refused contains reason.from(rego.metadata.rule(), [wrapper.argv[0], segment.argv[0]], {}) if {
	some segment in input.exec.segments
	some wrapper in segment.wrappers
	some i, word in wrapper.argv
	i > 0
	_sets(wrapper, word)
}

_sets(_, word) if regex.match(`^[A-Za-z_][A-Za-z0-9_]*=`, word)

_sets(wrapper, word) if {
	wrapper.executable.name in data.gavel.catalog.exec.offer.environment
	not word in {"-", "--"}
}

# METADATA
# title: Argument cannot be accepted for good
# description: to accept the argument by name would accept every value of it
# custom:
#   code: exec.offer_hazard
#   message: '%s is given %s, which %s: an entry would have to accept that with any value'
#   fix: 'approve it once, or list it under args of an entry'
refused contains reason.from(rego.metadata.rule(), [segment.argv[0], hazard.option, _meaning(hazard)], {}) if {
	some segment in input.exec.segments
	not interpreter(segment.executable)
	some hazard in segment.hazards
	not _passes(hazard.kind)
	not hazard.kind in data.gavel.catalog.exec.offer.acceptable
}

_meaning(hazard) := meaning if {
	meaning := data.gavel.catalog.exec.hazards.meaning[hazard.kind]
} else := "is of an unknown kind"

# METADATA
# title: Path is a pattern
# description: a path with a wildcard in it cannot be written as an entry for itself
# custom:
#   code: exec.offer_wildcard
#   message: '%q would stand for other paths too'
#   fix: list it in the configuration, or give the file a plain name
refused contains reason.from(rego.metadata.rule(), [segment.executable.real], {}) if {
	some segment in input.exec.segments
	not _plain_path(segment.executable.real)
}

_plain_path(path) if {
	not regex.match(`[*?]`, path)
	trim_space(path) == path
}

# METADATA
# description: the program runs what it is given; python3.12 and node20 are what they begin with
interpreter(executable) if {
	some name in executable.programs
	name in data.gavel.catalog.exec.offer.interpreters
}

# With strictInlineEval an interpreter that is given no code may be listed: code asks
# all the same (openclaw-semantics §5.1).
_strict_and_plain(segment) if {
	config.exec_setting(tools.self.id, "strictInlineEval").value == true
	every hazard in segment.hazards { not hazard.kind in {"inline", "code", "unknown"} }
}

# The segment is the file that a shell was given.
_operand(segment) if {
	some script in segment.scripts
	script.real == segment.executable.real
}

_shells(segment) := count([1 | some wrapper in segment.wrappers; wrapper.kind in {"shell", "login"}])

_max_shells := data.gavel.catalog.exec.offer.max_shells

# METADATA
# description: |
#   a narrower entry for each segment: the sub-command as it is, the flags that were
#   seen, any other words. None where its program could not be listed at all.
templates := [template |
	_templatable
	some template in {_template(segment) | some segment in input.exec.segments}
]

_templatable if {
	codes := {r.code | some r in refused}
	codes - {"exec.offer_hazard"} == set()
}

_template(segment) := {
	"pattern": segment.executable.real,
	"argv": array.concat(words, ["<args>" | _more(segment, words)]),
	"flags": flags,
	"args": sort({hazard.option | some hazard in segment.hazards; not _passes(hazard.kind)}),
	"admits": _admits(segment, words, flags),
} if {
	words := _commands(segment)
	flags := sort({split(word, "=")[0] | some i, word in segment.argv; i > 0; startswith(word, "-"); not word in {"-", "--"}})
}

_commands(segment) := [segment.subCommand] if {
	segment.subCommand != ""
	segment.argv[1] == segment.subCommand
} else := []

_more(segment, words) if {
	some i, word in segment.argv
	i > count(words)
	not startswith(word, "-")
}

# What the template would admit beyond what was seen, in words.
_admits(segment, words, flags) := sprintf("%s with %s%s, in any directory%s", [
	concat(" ", array.concat([segment.executable.real], words)),
	_flags_shown(flags),
	_words_shown(segment, words),
	_content_shown(segment),
])

_flags_shown(flags) := "no flags" if {
	count(flags) == 0
} else := sprintf("any of the flags %s and any values of theirs", [concat(" ", flags)])

_words_shown(segment, words) := " and any other words" if {
	_more(segment, words)
} else := ""

_content_shown(segment) := ", whatever the file holds by then" if {
	_operand(segment)
} else := ", whatever others put there by then" if {
	count(segment.executable.writable) > 0
} else := ""
