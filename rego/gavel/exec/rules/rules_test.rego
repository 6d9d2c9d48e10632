package gavel.exec.rules_test

import data.gavel.exec.rules
import data.gavel.testing

_git(command) := object.union(testing.segment("/usr/bin/git"), {
	"argv": ["git", command],
	"commands": [command],
	"commandsKnown": "exact",
})

_config(list) := testing.configured({"tools": {"exec": {"rules": list}}})

_deny := {"program": "git", "commands": ["push"], "effect": "deny", "why": "never"}

_allow := {"program": "git", "commands": ["push"], "effect": "allow", "accepts": ["network"]}

test_a_rule_permits_with_what_it_accepts if {
	facts := testing.execution({"segments": [_git("push")]})
	found := rules.entries(_git("push")) with input as facts with data.config as _config([_allow])
	found == {{"found": true, "pattern": "git", "path": "tools.exec.rules[0]", "args": ["network"], "kinds": ["network"], "rule": true}}
	because := rules.because with input as facts with data.config as _config([_allow])
	testing.codes(because) == {"exec.rule_allowed"}
}

# One reason for each command of the line, in whose order they are shown.
test_every_command_of_a_line_has_a_reason if {
	list := [_allow, {"program": "git", "effect": "allow"}, {"program": "git", "commands": ["log"], "effect": "allow"}]
	log := object.union(_git("log"), {"start": 20, "end": 27})
	facts := testing.execution({"segments": [_git("push"), log]})
	because := rules.because with input as facts with data.config as _config(list)
	{[r.span.start, r.message, r.source.path] | some r in because} == {
		[0, "git push is allowed by tools.exec.rules[0] and tools.exec.rules[1]", "tools.exec.rules[0]"],
		[20, "git log is allowed by tools.exec.rules[1] and tools.exec.rules[2]", "tools.exec.rules[1]"],
	}
}

_elsewhere(changes) := object.union(_git("push"), {"executable": changes})

_says(true, {true})

_says(false, set())

# By its name a program is the one in a trusted directory, by its path that file.
_places := {
	"its name, in a trusted directory": ["git", _git("push"), true],
	"its name, in another directory that only root can change": ["git", _elsewhere({"path": "/opt/git", "real": "/opt/git"}), true],
	"its name, in another directory that others can change": [
		"git",
		_elsewhere({"path": "/opt/git", "real": "/opt/git", "writable": ["above"]}),
		false,
	],
	"its name for a link elsewhere": ["git", _elsewhere({"path": "/opt/bin/git", "real": "/opt/git"}), false],
	"another name there": ["git", _elsewhere({"path": "/opt/hub", "real": "/opt/hub"}), false],
	"a link in a trusted directory to a program of root elsewhere": [
		"npm",
		_elsewhere({"name": "npm", "path": "/usr/bin/npm", "real": "/usr/lib/npm/npm-cli.js"}),
		true,
	],
	"a link in a trusted directory to a program of others": [
		"npm",
		_elsewhere({"name": "npm", "path": "/usr/bin/npm", "real": "/home/u/npm-cli.js", "writable": ["file"]}),
		false,
	],
	"its name, in one that others may write": ["git", _elsewhere({"writable": ["directory"]}), false],
	"a link elsewhere to another program": ["ls", _elsewhere({"name": "ls", "path": "/home/u/bin/ls"}), false],
	"a link in a trusted directory": ["vi", _elsewhere({"name": "vi", "path": "/usr/bin/vi", "real": "/usr/bin/vim.basic"}), true],
	"its path": ["/usr/bin/git", _git("push"), true],
	"a glob of paths": ["/usr/bin/g*", _git("push"), true],
	"another path": ["/opt/git", _git("push"), false],
	"a path that is a link now": ["/usr/bin/x", _elsewhere({"path": "/usr/bin/x"}), false],
}

test_where_a_program_is_permitted[name] if {
	some name, c in _places
	[program, segment, permits] := c
	found := rules.permitting(segment) with input as testing.exec_facts
		with data.config as _config([{"program": program, "effect": "allow"}])
	_says(permits, {true | some _ in found})
}

test_any_hazard_is_accepted_by_name if {
	found := rules.entries(_git("push")) with input as testing.exec_facts
		with data.config as _config([object.union(_allow, {"accepts": "any"})])
	some entry in found
	entry.args == ["any"]
}

test_which_rules_apply_to_a_call if {
	facts := testing.execution({"segments": [_git("push")]})
	met := rules.applied with input as facts with data.config as _config([_deny, _allow, {"program": "rg", "effect": "deny"}])
	met == {"tools.exec.rules[0]", "tools.exec.rules[1]"}
	told := rules.conditions with input as facts with data.config as _config([{"program": "git", "commands": ["pull"], "effect": "deny"}])
	told == {{"path": "tools.exec.rules[0]", "shown": "git push", "program": true, "commands": false, "options": true, "operands": true}}
}

test_rules_that_permit_the_program_with_other_words if {
	found := rules.allowing_program(_git("pull")) with input as testing.exec_facts with data.config as _config([_allow])
	count(found) == 1
}

test_a_claimed_program_elsewhere_is_not_known_by_its_name if {
	found := rules.permitting(_elsewhere({"path": "/opt/git", "real": "/opt/git"})) with input as testing.command({"environment": {"claimed": true}})
		with data.config as _config([{"program": "git", "effect": "allow"}])
	found == set()
}

_full(list) := testing.configured({"tools": {"exec": {"security": "full", "rules": list}}})
