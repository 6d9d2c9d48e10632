# METADATA
# title: Lists of rules
# description: |
#   Where the rules about commands are listed, and which of them may be about a program. A
#   snapshot finds these through an index and puts them into the facts as segment.match.rules;
#   stock OPA finds them here. A test checks that both agree.
package gavel.exec.rules.lists

import data.gavel.config
import data.gavel.exec.allowlist
import data.gavel.resources.patterns

# METADATA
# description: |
#   the rules that may be about a segment or a wrapper, as the configuration has them, with two
#   more members: "path", the configuration path, and "target", the file that the rule's program
#   was a link to
candidates(part) := [rule |
	some ref in part.match.rules
	rule := _at(ref.list, ref.index, ref.target)
] if {
	is_array(part.match.rules)
} else := [rule |
	some rule in for_agent(input.agent.id)
	concerns(rule, part)
]

# METADATA
# description: every rule for an agent
for_agent(id) := [rule |
	some list in _lists(id)
	some i, given in _rules(list.name)
	_applies(list, given)
	rule := _at(list.name, i, "")
]

# The lists that apply to an agent. If the agent has its own rules, those of agents.defaults no
# longer permit anything, but still ask and deny.
_lists(id) := array.concat(
	array.concat([{"name": "tools.exec", "allows": true}], [{"name": sprintf("packs.%s", [name]), "allows": true} | some name in _packs(id)]),
	[{"name": sprintf("%s.exec", [scope.path]), "allows": allows} |
		some i, scope in config.scopes(id)
		allows := count([other | some j, other in config.scopes(id); j < i; object.get(other.value, ["exec", "rules"], null) != null]) == 0
	],
)

_applies(list, _) if list.allows

_applies(_, rule) if not rule.effect == "allow"

# The global packs, then those of the agent or of agents.defaults.
_packs(id) := array.concat(_strings(config.section(["tools", "exec", "packs"])), _own_packs(id))

_own_packs(id) := _strings(config.agent_setting(id, ["exec", "packs"]).value) if {
	config.agent_setting(id, ["exec", "packs"])
} else := []

_strings(list) := [name | some name in list; is_string(name)] if {
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
#   the rule may be about the segment: it names the segment's program or, if it asks or denies, a
#   program that the segment may run
concerns(rule, part) if not other_program(rule, part.executable)

concerns(rule, part) if {
	not rule.effect == "allow"
	may_run(rule, part)
}

concerns(rule, part) if {
	not rule.effect == "allow"
	runs_anything(part)
}

# METADATA
# scope: document
# description: the rule is certainly about a program other than this one
other_program(rule, executable) if {
	not contains(rule.program, "/")
	is_array(executable.programs)
	_other_name(rule.program, executable.name)
	_other_name(rule.program, executable.realName)
	not lower(rule.program) in executable.programs
}

other_program(rule, executable) if {
	contains(rule.program, "/")
	is_string(executable.path)
	is_string(executable.real)
	rule.target == ""
	every path in [executable.path, executable.real] {
		not _matches(rule.program, path)
	}
}

other_program(rule, executable) if {
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

# A version at the end of the name, or the suffix .exe, does not make it another program.
_other_name(program, name) if {
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
#   the segment may run any command: a shell that reads commands from standard input, or eval,
#   chroot and the like with a word that is produced at run time
runs_anything(segment) if runs_unread_commands(segment)

runs_anything(segment) if {
	some hazard in segment.hazards
	hazard.kind == "runs"
	hazard.index == 0
	not segment.dynamic == []
	not segment.kind
}

# METADATA
# description: the segment runs commands that the analyzer did not read. A wrapper never does
runs_unread_commands(segment) if {
	not segment.opaque == ""
	not segment.kind
}

# METADATA
# scope: document
# description: |
#   the segment may run commands that the analyzer did not read, and its words contain the name of
#   the rule's program, or are produced at run time or unknown
may_run(rule, segment) if {
	_may_run_unread(segment)
	some i, word in segment.argv
	i > 0
	not _names_host(segment, i)
	not _names_subcommand(segment, i)
	regex.match(sprintf(`(^|^-[A-Za-z]|[^A-Za-z0-9_.-])%s($|[^A-Za-z0-9_-])`, [_escaped(_base_name(rule.program))]), word)
}

may_run(_, segment) if {
	runs_unread_commands(segment)
	not segment.dynamic == []
	segment.executable
}

may_run(_, segment) if {
	_may_run_unread(segment)
	not _has_words(segment)
}

# The word names a machine, not a program, as in ssh host ls.
_names_host(segment, i) if {
	some hazard in segment.hazards
	hazard.option == "HOST"
	hazard.index == i
}

# The word is a sub-command that the catalog has, as the word task of deno task, and is not itself
# what a program is run for.
_names_subcommand(segment, i) if {
	segment.opaque == ""
	segment.commandsKnown == "exact"
	segment.argv[i] in segment.commands
	count([j | some j, word in segment.argv; word == segment.argv[i]]) == 1
	is_array(segment.hazards)
	not _hazardous_at(segment, i)
}

_hazardous_at(segment, i) if {
	some hazard in segment.hazards
	hazard.index == i
}

_may_run_unread(segment) if runs_unread_commands(segment)

_may_run_unread(segment) if not _has_hazards(segment)

_may_run_unread(segment) if {
	some hazard in segment.hazards
	hazard.kind in {"runs", "inline", "carried", "unread"}
}

_has_words(segment) if is_array(segment.argv)

_has_hazards(segment) if is_array(segment.hazards)

_base_name(program) := parts[count(parts) - 1] if parts := split(program, "/")

_escaped(text) := regex.replace(text, `[.+*?\[\]()|^$\\{}]`, `\$0`)
