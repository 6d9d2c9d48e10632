package gavel.exec.rules.lists_test

import data.gavel.exec.rules.lists
import data.gavel.testing

_git := testing.segment("/usr/bin/git")

_called(name) := object.union(_git, {"executable": {
	"name": name,
	"realName": name,
	"path": sprintf("/opt/%s", [name]),
	"real": sprintf("/opt/%s", [name]),
	"programs": [lower(name)],
}})

_rule(program) := {"program": program, "effect": "deny", "target": ""}

_another(program, part) if {
	lists.other_program(_rule(program), part.executable) with input as testing.exec_facts
}

# The rule's program, the segment, whether the rule surely is about another program.
_programs := {
	"its name": ["git", _git, false],
	"another name": ["rg", _git, true],
	"in capitals": ["git", _called("GIT"), false],
	"with a version": ["python3", _called("python3.12"), false],
	"with a version behind a dash": ["gcc", _called("gcc-12"), false],
	"with an ending of Windows": ["git", _called("git.exe"), false],
	"a name that begins like it": ["git", _called("github"), true],
	"its path": ["/usr/bin/git", _git, false],
	"a glob": ["/usr/*/g*", _git, false],
	"another path": ["/opt/git", _git, true],
}

test_a_rule_is_about_a_program[name] if {
	some name, c in _programs
	[program, part, another] := c
	_says(another, {true | _another(program, part)})
}

test_without_names_any_program_is_meant if {
	nameless := json.remove(_git, ["executable/programs"])
	not _another("rg", nameless)
	not _another("rg", json.remove(_git, ["executable/name"]))
	not _another("/opt/rg", json.remove(_git, ["executable/path"]))
}

_says(true, {true})

_says(false, set())

test_a_rule_follows_where_its_link_led if {
	rule := {"program": "/opt/git", "effect": "deny", "target": "/usr/bin/git"}
	not lists.other_program(rule, _git.executable) with input as testing.exec_facts
}

_config := {
	"tools": {"exec": {"rules": [{"program": "git", "effect": "deny"}, {"program": "rg", "effect": "allow"}]}},
	"agents": {
		"defaults": {"exec": {"rules": [{"program": "git", "effect": "allow"}, {"program": "git", "effect": "ask"}]}},
		"main": {"exec": {"rules": [{"program": "git", "effect": "allow"}]}},
		"plain": {},
	},
}

_paths(id) := paths if {
	paths := {rule.path | some rule in lists.for_agent(id)} with data.config as _config
}

test_the_rules_of_an_agent if {
	_paths("main") == {"tools.exec.rules[0]", "tools.exec.rules[1]", "agents.main.exec.rules[0]", "agents.defaults.exec.rules[1]"}
	_paths("plain") == {"tools.exec.rules[0]", "tools.exec.rules[1]", "agents.defaults.exec.rules[0]", "agents.defaults.exec.rules[1]"}
}

test_the_rules_that_may_be_about_a_program if {
	found := {rule.path | some rule in lists.candidates(_git)} with input as testing.exec_facts with data.config as _config
	found == {"tools.exec.rules[0]", "agents.main.exec.rules[0]", "agents.defaults.exec.rules[1]"}
}

test_an_index_gives_the_location_of_a_rule if {
	part := object.union(_git, {"match": {"found": false, "pattern": "", "path": "", "args": [], "rules": [{"list": "tools.exec", "index": 1, "target": "/x"}]}})
	[rule] = lists.candidates(part) with input as testing.exec_facts with data.config as _config
	rule == {"program": "rg", "effect": "allow", "path": "tools.exec.rules[1]", "target": "/x"}
}

_carrying := {
	"an opaque wrapper that names it": [object.union(_called("env"), {"argv": ["env", "-S", "git push"], "opaque": "env -S"}), true],
	"one that names it behind the letter of an option": [object.union(testing.hazardous("/usr/bin/env", "runs", "-S"), {"argv": ["env", "-Sgit push"]}), true],
	"one that names another": [object.union(_called("env"), {"argv": ["env", "-S", "digits"], "opaque": "env -S"}), false],
	"one with a word produced at run time": [object.union(_called("env"), {"argv": ["env", "-S", "$x"], "opaque": "env -S", "dynamic": [2]}), true],
	"code that names it": [object.union(testing.hazardous("/usr/bin/python3", "inline", "-c"), {"argv": ["python3", "-c", "run('git push')"]}), true],
	"a program that runs others, by its own name only": [object.union(testing.hazardous("/usr/bin/git", "runs", "-i"), {"argv": ["git", "rebase", "-i"]}), false],
	"the name of a machine": [object.union(testing.hazardous("/usr/bin/ssh", "runs", "HOST"), {"argv": ["ssh", "git", "ls"]}), false],
	"a command for a machine of that name": [object.union(testing.hazardous("/usr/bin/ssh", "runs", "HOST"), {"argv": ["ssh", "git", "git push"]}), true],
	"a sub-command of that name": [_subcommand("exact", ["deno", "git", "x"], [[0, "deno"]]), false],
	"a sub-command of that name, and a word": [_subcommand("exact", ["deno", "git", "git"], [[0, "deno"]]), true],
	"a sub-command of that name, and text with it": [_subcommand("exact", ["deno", "git", "x git push"], [[0, "deno"]]), true],
	"a sub-command of that name that runs a program": [_subcommand("exact", ["kubectl", "git", "x"], [[1, "git"]]), true],
	"a sub-command of that name that the catalog does not have": [_subcommand("unlisted", ["deno", "git", "x"], [[0, "deno"]]), true],
	"a sub-command of a wrapper that was not unwrapped": [object.union(_subcommand("exact", ["x", "git", "y"], [[0, "x"]]), {"opaque": "x"}), true],
	"a sub-command of that name, and no hazards are observed": [object.remove(_subcommand("exact", ["deno", "git", "x"], []), {"hazards"}), true],
	"a sub-command of that name, and it is not observed how it is known": [
		object.remove(_subcommand("exact", ["deno", "git", "x"], [[0, "deno"]]), {"commandsKnown"}),
		true,
	],
	"a search for it": [object.union(testing.segment("/usr/bin/rg"), {"argv": ["rg", "git push"]}), false],
	"no hazards are observed": [object.remove(object.union(_called("x"), {"argv": ["x", "git"]}), {"hazards"}), true],
	"no words are observed": [object.remove(object.union(_called("x"), {"opaque": "x"}), {"argv"}), true],
}

# A command with the sub-command git, and hazards of the kind runs at these words.
_subcommand(known, argv, hazards) := object.union(testing.hazardous("/usr/bin/deno", "runs", "deno"), {
	"argv": argv,
	"commands": ["git"],
	"commandsKnown": known,
	"hazards": [{"kind": "runs", "option": name, "argument": "", "index": i, "real": ""} | some [i, name] in hazards],
})

test_what_may_run_the_program[name] if {
	some name, c in _carrying
	[part, carries] := c
	_says(carries, {true | lists.may_run(_rule("git"), part)})
}
