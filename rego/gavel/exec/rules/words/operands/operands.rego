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
# description: certainly no operand matches a pattern of the rule
differ(rule, part) if {
	object.get(rule, "operands", null) != null
	part.optionsKnown in {"exact", "none"}
	is_array(part.operands)
	every operand in part.operands { not _may_match(rule, operand) }
	not _may_name_file_elsewhere(rule, part)
	not _runs_named_code(rule, part)
	not options.operands_elsewhere(part)
}

differ(rule, part) if {
	object.get(rule, "operands", null) != null
	part.optionsKnown == "unsure"
	is_array(part.operands)
	is_array(part.argv)
	every operand in part.operands { not _may_match(rule, operand) }
	every word in part.argv { not _matches(rule, word) }
	not _may_name_file_elsewhere(rule, part)
	not _runs_named_code(rule, part)
	not options.operands_elsewhere(part)
}

# In an unknown directory, a relative operand may be any file whose base name matches that of the
# pattern.
_may_name_file_elsewhere(rule, part) if {
	not startswith(part.cwd, "/")
	some pattern in _path_patterns(rule)
	some operand in part.operands
	operand.path == ""
	not startswith(operand.text, "/")
	globs.matches(_base_name(pattern), _base_name(operand.text))
}

# Code files may be named otherwise than by an operand, or without their suffix.
_runs_named_code(rule, part) if {
	some pattern in _path_patterns(rule)
	some script in part.scripts
	script.role in {"script", "module"}
	_may_be_below(pattern, object.union(script, {"dynamic": false}))
}

# Patterns for paths. /** is not one of them: it matches the text of every operand that begins
# with /.
_path_patterns(rule) := {pattern |
	some pattern in rule.operands
	some root in ["./", "~/", "/"]
	startswith(pattern, root)
	pattern != "/**"
}

_base_name(path) := parts[count(parts) - 1] if parts := split(path, "/")

_matches(rule, word) if {
	some pattern in rule.operands
	globs.matches(pattern, word)
}

_may_match(rule, operand) if {
	some pattern in rule.operands
	some text in {operand.text, regex.replace(operand.text, `^(\./+)+`, "")} # make ./x is make x
	globs.may_match(pattern, text, operand.dynamic)
}

_may_match(rule, operand) if {
	some pattern in rule.operands
	globs.matches(pattern, operand.path)
}

_may_match(rule, operand) if {
	some pattern in rule.operands
	startswith(pattern, "./")
	_may_be_below(pattern, operand)
}

_may_match(_, operand) if not _has_text(operand)

_may_be_below(_, operand) if not operand.dynamic == false

_may_be_below(pattern, operand) if {
	some path in [operand.path, operand.real]
	_path_may_match(pattern, path)
}

_path_may_match(pattern, path) if patterns.matches(pattern, path, input.environment.home)

_path_may_match(pattern, path) if {
	path != ""
	patterns.may_match(pattern, path)
}

# METADATA
# scope: document
# description: every operand certainly matches a pattern of the rule
match(rule, _) if object.get(rule, "operands", null) == null

match(rule, part) if {
	part.optionsKnown in {"exact", "none"}
	not options.operands_elsewhere(part)
	every operand in part.operands { _certainly_matches(rule, operand, part) }
}

# METADATA
# description: the operands that do not certainly match a pattern of the rule
unlisted(rule, part) := {operand | some operand in part.operands; not _certainly_matches(rule, operand, part)} if {
	object.get(rule, "operands", null) != null
} else := set()

# A text that climbs out of a directory with .. is not in it, whatever it begins with.
_certainly_matches(rule, operand, _) if {
	operand.dynamic == false
	some pattern in rule.operands
	not startswith(pattern, "./")
	globs.matches(pattern, operand.text)
	not regex.match(`(^|/)\.\.(/|$)`, operand.text)
}

_certainly_matches(rule, operand, _) if {
	operand.dynamic == false
	operand.text in rule.operands
}

# Below ./ are the files of the workspace, by their real paths.
_certainly_matches(rule, operand, part) if {
	_path_known(operand, part)
	some pattern in rule.operands
	startswith(pattern, "./")
	links.unchanged(part, operand.real)
	patterns.matches(pattern, operand.real, input.environment.home)
}

_path_known(operand, _) if operand.dynamic == false

_path_known(operand, part) if operand.index in part.patterns

_path_known(operand, part) if operand.index in part.homed

_has_text(operand) if is_string(operand.text)
