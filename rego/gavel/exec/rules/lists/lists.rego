# METADATA
# title: Lists of rules
# description: |
#   Where the rules about commands stand, and which of them may be about a program. A
#   snapshot finds these through an index and puts them into the facts as
#   segment.match.rules; stock OPA finds them here. A test holds the two together.
package gavel.exec.rules.lists

import data.gavel.config
import data.gavel.exec.allowlist
import data.gavel.resources.patterns

# METADATA
# description: |
#   the rules that may be about a segment or a wrapper, as the configuration has them, with
#   the place that each stands at as "path", and as "target" where its program led
candidates(part) := [rule |
	some ref in part.match.rules
	rule := _at(ref.list, ref.index, ref.target)
] if {
	is_array(part.match.rules)
} else := [rule |
	some rule in of_agent(input.agent.id)
	concerns(rule, part)
]

# METADATA
# description: every rule for an agent
of_agent(id) := [rule |
	some list in _lists(id)
	some i, given in _rules(list.name)
	_holds(list, given)
	rule := _at(list.name, i, "")
]

# The lists that hold for an agent. Where it has rules of its own, those of agents.defaults
# permit nothing to it, and forbid as ever.
_lists(id) := array.concat(
	array.concat([{"name": "tools.exec", "allows": true}], [{"name": sprintf("packs.%s", [name]), "allows": true} | some name in _packs(id)]),
	[{"name": sprintf("%s.exec", [scope.path]), "allows": allows} |
		some i, scope in config.scopes(id)
		allows := count([other | some j, other in config.scopes(id); j < i; object.get(other.value, ["exec", "rules"], null) != null]) == 0
	],
)

_holds(list, _) if list.allows

_holds(_, rule) if not rule.effect == "allow"

# The packs for everybody, and those of the agent or of agents.defaults, in this order.
_packs(id) := array.concat(_named(config.section(["tools", "exec", "packs"])), _own_packs(id))

_own_packs(id) := _named(config.agent_setting(id, ["exec", "packs"]).value) if {
	config.agent_setting(id, ["exec", "packs"])
} else := []

_named(list) := [name | some name in list; is_string(name)] if {
	is_array(list)
} else := []

_rules(name) := list if {
	startswith(name, "packs.")
	list := data.gavel.catalog.packs[trim_prefix(name, "packs.")].rules
} else := list if {
	list := object.get(config.section(split(name, ".")), "rules", [])
	is_array(list)
} else := []

_at(name, i, target) := object.union(_rules(name)[i], {"path": sprintf("%s.rules[%d]", [name, i]), "target": target})

# METADATA
# scope: document
# description: |
#   the rule may be about the segment: it is about its program, or, unless it permits, about
#   one that its words name and that it may run
concerns(rule, part) if not another(rule, part.executable)

concerns(rule, part) if {
	not rule.effect == "allow"
	carries(rule, part)
}

concerns(rule, part) if {
	not rule.effect == "allow"
	anything(part)
}

# METADATA
# scope: document
# description: the rule is surely about another program than this one
another(rule, executable) if {
	not contains(rule.program, "/")
	is_array(executable.programs)
	_otherwise(rule.program, executable.name)
	_otherwise(rule.program, executable.realName)
	not lower(rule.program) in executable.programs
}

another(rule, executable) if {
	contains(rule.program, "/")
	is_string(executable.path)
	is_string(executable.real)
	rule.target == ""
	every path in [executable.path, executable.real] {
		not _matches(rule.program, path)
	}
}

another(rule, executable) if {
	contains(rule.program, "/")
	is_string(executable.path)
	is_string(executable.real)
	not rule.target in {executable.path, executable.real}
	every path in [executable.path, executable.real] {
		not _matches(rule.program, path)
	}
}

_matches(program, path) if allowlist.matches(program, path, input.environment.home)

# Below ./ are the programs of the workspace.
_matches(program, path) if {
	startswith(program, "./")
	patterns.matches(program, path, input.environment.home)
}

# A version behind the name, and an ending of Windows, are not another program.
_otherwise(program, name) if {
	is_string(name)
	plain := trim_suffix(lower(name), ".exe")
	not plain == lower(program)
	not _versioned(plain, lower(program))
}

_versioned(name, program) if {
	startswith(name, program)
	regex.match(`^[-.]?[0-9][0-9.]*$`, substring(name, count(program), -1))
}

# METADATA
# scope: document
# description: |
#   the segment may run any command: a shell reads it from its standard input, or it is a word
#   of eval, chroot and the like that is produced at run time
anything(segment) if unread(segment)

anything(segment) if {
	some hazard in segment.hazards
	hazard.kind == "runs"
	hazard.index == 0
	not segment.dynamic == []
	not segment.kind
}

# METADATA
# description: the segment runs commands that nobody took apart. A wrapper never does
unread(segment) if {
	not segment.opaque == ""
	not segment.kind
}

# METADATA
# scope: document
# description: |
#   the segment runs commands that nobody took apart, and its words name the rule's program,
#   or are produced at run time
carries(rule, segment) if {
	_runs_unread(segment)
	some i, word in segment.argv
	i > 0
	not _machine(segment, i)
	regex.match(sprintf(`(^|^-[A-Za-z]|[^A-Za-z0-9_.-])%s($|[^A-Za-z0-9_-])`, [_quoted(_name(rule.program))]), word)
}

carries(_, segment) if {
	unread(segment)
	not segment.dynamic == []
	segment.executable
}

carries(_, segment) if {
	_runs_unread(segment)
	not _has_words(segment)
}

# The word names a machine and no program, as in ssh host ls.
_machine(segment, i) if {
	some hazard in segment.hazards
	hazard.option == "HOST"
	hazard.index == i
}

_runs_unread(segment) if unread(segment)

_runs_unread(segment) if not _has_hazards(segment)

_runs_unread(segment) if {
	some hazard in segment.hazards
	hazard.kind in {"runs", "inline", "carried", "unread"}
}

_has_words(segment) if is_array(segment.argv)

_has_hazards(segment) if is_array(segment.hazards)

_name(program) := parts[count(parts) - 1] if parts := split(program, "/")

_quoted(text) := regex.replace(text, `[.+*?\[\]()|^$\\{}]`, `\$0`)
