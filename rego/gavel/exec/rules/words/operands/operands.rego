# METADATA
# title: Operands of a rule
# description: Whether the operands that a rule names are those of a segment or of a wrapper
package gavel.exec.rules.words.operands

import data.gavel.exec.links
import data.gavel.exec.rules.words.globs
import data.gavel.exec.rules.words.options
import data.gavel.resources.patterns

# METADATA
# scope: document
# description: the words surely hold no operand that the rule names
other(rule, part) if {
	object.get(rule, "operands", null) != null
	part.optionsKnown in {"exact", "none"}
	is_array(part.operands)
	every operand in part.operands { not _may_be_named(rule, operand) }
	not _unplaced(rule, part)
	not _runs(rule, part)
	not options.optioned(part)
}

other(rule, part) if {
	object.get(rule, "operands", null) != null
	part.optionsKnown == "unsure"
	is_array(part.operands)
	is_array(part.argv)
	every operand in part.operands { not _may_be_named(rule, operand) }
	every word in part.argv { not _is_named(rule, word) }
	not _unplaced(rule, part)
	not _runs(rule, part)
	not options.optioned(part)
}

# In a directory that is not known, an operand may be any file with the last name of the pattern.
_unplaced(rule, part) if {
	not startswith(part.cwd, "/")
	some pattern in _files(rule)
	some operand in part.operands
	operand.path == ""
	not startswith(operand.text, "/")
	globs.matches(_last(pattern), _last(operand.text))
}

# Code may be named in another way than as an operand, or without its ending.
_runs(rule, part) if {
	some pattern in _files(rule)
	some script in part.scripts
	script.role in {"script", "module"}
	_may_be_below(pattern, object.union(script, {"dynamic": false}))
}

# Any path begins with /, so /** is about the text.
_files(rule) := {pattern |
	some pattern in rule.operands
	some root in ["./", "~/", "/"]
	startswith(pattern, root)
	pattern != "/**"
}

_last(path) := parts[count(parts) - 1] if parts := split(path, "/")

_is_named(rule, word) if {
	some pattern in rule.operands
	globs.matches(pattern, word)
}

_may_be_named(rule, operand) if {
	some pattern in rule.operands
	some text in {operand.text, regex.replace(operand.text, `^(\./+)+`, "")} # make ./x is make x
	globs.may_match(pattern, text, operand.dynamic)
}

_may_be_named(rule, operand) if {
	some pattern in rule.operands
	globs.matches(pattern, operand.path)
}

_may_be_named(rule, operand) if {
	some pattern in rule.operands
	startswith(pattern, "./")
	_may_be_below(pattern, operand)
}

_may_be_named(_, operand) if not _has_text(operand)

_may_be_below(_, operand) if not operand.dynamic == false

_may_be_below(pattern, operand) if {
	some path in [operand.path, operand.real]
	_below(pattern, path)
}

_below(pattern, path) if patterns.matches(pattern, path, input.environment.home)

_below(pattern, path) if {
	path != ""
	patterns.may_match(pattern, path)
}

# METADATA
# scope: document
# description: every operand is surely one that the rule names
these(rule, _) if object.get(rule, "operands", null) == null

these(rule, part) if {
	part.optionsKnown in {"exact", "none"}
	not options.optioned(part)
	every operand in part.operands { _surely_named(rule, operand, part) }
}

# METADATA
# description: the operands that are not surely among those that the rule names
unlisted(rule, part) := {operand | some operand in part.operands; not _surely_named(rule, operand, part)} if {
	object.get(rule, "operands", null) != null
} else := set()

# What climbs out of a directory is not in it, whatever it begins with.
_surely_named(rule, operand, _) if {
	operand.dynamic == false
	some pattern in rule.operands
	not startswith(pattern, "./")
	globs.matches(pattern, operand.text)
	not regex.match(`(^|/)\.\.(/|$)`, operand.text)
}

_surely_named(rule, operand, _) if {
	operand.dynamic == false
	operand.text in rule.operands
}

# Below ./ are the files of the workspace, by their real paths.
_surely_named(rule, operand, part) if {
	_settled(operand, part)
	some pattern in rule.operands
	startswith(pattern, "./")
	links.known(part, operand.real)
	patterns.matches(pattern, operand.real, input.environment.home)
}

_settled(operand, _) if operand.dynamic == false

_settled(operand, part) if operand.index in part.patterns

_settled(operand, part) if operand.index in part.homed

_has_text(operand) if is_string(operand.text)
