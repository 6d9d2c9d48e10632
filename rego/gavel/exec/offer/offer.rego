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
import data.gavel.exec.bound
import data.gavel.exec.inline
import data.gavel.exec.offer.forms
import data.gavel.reason
import data.gavel.tools

# METADATA
# description: patterns and templates, why there are none, and whether exactly this command could be allowed for good
result := {"patterns": patterns, "templates": templates, "refused": refused, "exact": exact}

# METADATA
# description: the entries, in the order of the segments, each once; none when one is refused
patterns := [entry |
	count(refused) == 0
	some i in _first
	entry := _entry(input.exec.segments[i])
]

# METADATA
# description: those of the entries for what no list has yet
needed := [entry |
	count(refused) == 0
	some i in _first
	segment := input.exec.segments[i]
	not exec.satisfied(segment)
	entry := _entry(segment)
]

# Where an entry comes first. A command of the shell itself needs none.
_first := [i |
	some i, segment in input.exec.segments
	not builtin(segment)
	entry := _entry(segment)
	count([j | some j, other in input.exec.segments; j < i; not builtin(other); _entry(other) == entry]) == 0
]

_entry(segment) := {
	"pattern": segment.executable.real,
	"args": sort({hazard.option | some hazard in segment.hazards; not _passes(hazard.kind)}),
	"only": forms.only(segment),
}

# METADATA
# description: the shell does it by itself, and its words were understood
builtin(segment) if {
	data.gavel.catalog.builtins.commands[segment.builtin]
	segment.opaque == ""
	segment.hazards == []
}

# METADATA
# description: |
#   an answer for good could hold for exactly this command, with its directory and what
#   its files hold: no narrower entry exists, and nothing that runs is left unnamed
default exact := false

exact if {
	exec.ask_mode == "on-miss"
	_understood
	count(refused) > 0
	not _never
	not _carrier
	not _inline
	count(bound.loose) == 0
	not inline.detected
}

# Code on the command line or on standard input may load whatever it names.
_inline if {
	some segment in input.exec.segments
	some hazard in segment.hazards
	hazard.kind == "inline"
}

# A program runs others, and which ones is in none of its files that could be named.
_carrier if {
	some segment in input.exec.segments
	not builtin(segment)
	exec.opaque(segment)
	segment.scripts == []
}

# What no answer for good can cover, not even one to exactly this command.
_never if {
	some r in refused
	not r.code in data.gavel.catalog.exec.offer.exact
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
	not builtin(segment)
}

# METADATA
# title: Code cannot be named
# description: what runs is in no file that could be known again (R41)
# custom:
#   code: exec.offer_unbound
#   message: '%s, so an answer holds for one execution'
#   fix: approve it once, or name the file that runs
refused contains reason.from(rego.metadata.rule(), [sentence], {}) if {
	some found in bound.unnamed
	sentence := bound.sentence(found)
}

# METADATA
# title: Files of code are named
# description: an entry for the program would permit whatever the files hold by then
# custom:
#   code: exec.offer_code
#   message: '%s runs what is in %s, and an entry for the program would permit whatever that holds later'
#   fix: allow exactly this command for good, or approve it once
refused contains reason.from(rego.metadata.rule(), [segment.argv[0], script.path], {}) if {
	some segment in input.exec.segments
	some script in segment.scripts
	not script.real == segment.executable.real
}

# METADATA
# title: Others can change the program
# description: others than root may put another program in its place, and its content is not known (R40)
# custom:
#   code: exec.offer_changeable
#   message: 'others than root may change %s, and what is in it is not known'
#   fix: approve it once, or move the program to a directory that only root can write
refused contains reason.from(rego.metadata.rule(), [segment.executable.real], {}) if {
	some segment in input.exec.segments
	segment.executable.found == true
	not segment.executable.writable == []
	not forms.digest(segment)
}

# METADATA
# title: Place is never allowed for good
# description: what is written there runs by itself later, or in another program's place
# custom:
#   code: exec.offer_target
#   message: '%s would change %s for good; what is there runs by itself later, or in the place of other programs'
#   fix: approve it once
refused contains reason.from(rego.metadata.rule(), [segment.argv[0], target], {}) if {
	some segment in input.exec.segments
	some target in forms.delicate(segment)
}

# METADATA
# title: Mode gives rights away
# description: a program with such a mode runs with the rights of its owner or group
# custom:
#   code: exec.offer_mode
#   message: '%s is given the mode %s, with which a program runs with the rights of its owner'
#   fix: approve it once
refused contains reason.from(rego.metadata.rule(), [segment.argv[0], mode], {}) if {
	some segment in input.exec.segments
	some mode in forms.modes(segment)
}

# METADATA
# title: Directory is not known
# description: words that name files mean something only in a known directory
# custom:
#   code: exec.offer_directory
#   message: it is not known in which directory %s would run
#   fix: name the directory, or approve it once
refused contains reason.from(rego.metadata.rule(), [segment.argv[0]], {}) if {
	some segment in input.exec.segments
	not builtin(segment)
	_plain_path(segment.executable.real)
	not startswith(segment.cwd, "/")
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
	not builtin(segment)
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
# title: Command sets variables
# description: an entry knows nothing of variables
# custom:
#   code: exec.offer_variables
#   message: 'an entry knows nothing of the variables that the call sets: %s'
#   fix: leave the variables out, or allow exactly this command for good
refused contains reason.from(rego.metadata.rule(), [concat(", ", input.exec.env)], {}) if {
	not input.exec.env == []
}

# METADATA
# title: Argument cannot be accepted for good
# description: to accept the argument by name would accept every value of it
# custom:
#   code: exec.offer_hazard
#   message: '%s is given %s, which %s: an entry would have to accept that with any value'
#   fix: 'allow exactly this command for good where that is offered, approve it once, or list it under args of an entry'
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
#   what each entry admits, in words. None where an entry is refused.
templates := [template |
	_templatable
	some template in {_template(segment) | some segment in input.exec.segments}
]

_templatable if count(refused) == 0

_template(segment) := {
	"pattern": segment.executable.real,
	"argv": forms.argv(only),
	"flags": only.options,
	"args": entry.args,
	"admits": forms.admits(segment.executable.real, only),
} if {
	not builtin(segment)
	entry := _entry(segment)
	only := entry.only
}
