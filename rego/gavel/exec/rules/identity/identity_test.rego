package gavel.exec.rules.identity_test

import data.gavel.exec.rules.identity
import data.gavel.testing

_git := testing.segment("/usr/bin/git").executable

_tool := testing.segment("/opt/x/tool").executable

_python := object.union(
	testing.segment("/usr/local/bin/python3.12").executable,
	{"name": "python3", "path": "/usr/local/bin/python3", "writable": [], "linkOfRoot": true},
)

# Each: the program of the rule, the executable, whether it is surely that one.
_cases := {
	"its name, in a trusted directory": ["git", _git, true],
	"its path": ["/usr/bin/git", _git, true],
	"another name": ["rg", _git, false],
	"its name, and others than root can change it": ["tool", object.union(_tool, {"writable": ["/opt/x/tool"]}), false],
	"its name, in a directory that only root can change": ["tool", object.union(_tool, {"writable": []}), true],
	"a glob of its path": ["/opt/x/*", _tool, true],
	"a path where nothing was found": ["/opt/x/tool", object.union(_tool, {"found": false}), false],
	"below the workspace": ["./tool", testing.segment("/srv/app/tool").executable, true],
	"a link that only root can change": ["python3", _python, true],
	"a link that others can change": ["python3", object.union(_python, {"linkOfRoot": false}), false],
	"a link to a file that others can replace": ["python3", object.union(_python, {"writable": ["file"]}), false],
	"a link of another name": ["python3", object.union(_python, {"name": "py", "path": "/usr/local/bin/py"}), false],
	"a name that was not looked for": ["python3", object.union(_python, {"path": ""}), false],
	"elsewhere": ["./tool", _tool, false],
}

test_a_rule_names_a_program[name] if {
	some name, c in _cases
	[program, executable, want] := c
	got := {true | identity.certainly_named_by({"program": program, "target": ""}, executable) with input as testing.exec_facts}
	got == {true | want}
}

test_a_link_that_a_rule_names_stands_for_its_target if {
	identity.certainly_named_by({"program": "/usr/local/bin/t", "target": "/opt/x/tool"}, _tool) with input as testing.exec_facts
	not identity.certainly_named_by({"program": "/usr/local/bin/t", "target": "/opt/x/other"}, _tool) with input as testing.exec_facts
}

# An agent that is root writes what belongs to root.
_root_writes(executable) := {true |
	identity.certainly_named_by({"program": "tool", "target": ""}, executable) with input as testing.exec_facts
		with data.config as testing.configured({"tools": {"write": {"allow": ["./**", "/opt/mine/**"], "deny": ["/opt/mine/bin/**"]}}})
}

test_what_the_agent_may_write_is_not_what_only_root_can_change if {
	own := object.union(_tool, {"writable": []})
	_root_writes(own) == {true}
	_root_writes(object.union(own, {"path": "/opt/mine/tool", "real": "/opt/mine/tool"})) == set()
	_root_writes(object.union(own, {"path": "/opt/mine/bin/tool", "real": "/opt/mine/bin/tool"})) == {true}
	_root_writes(object.union(own, {"path": "/opt/mine/tool", "linkOfRoot": true})) == set()
	_root_writes(object.union(own, {"writable": ["workspace"]})) == set()
}
