package gavel.exec.misses.named_test

import data.gavel.exec
import data.gavel.testing

_found(changes) := object.union(testing.segment("/home/u/bin/npm"), {
	"argv": ["npm", "test"],
	"executable": object.union({"name": "npm", "path": "/home/u/bin/npm", "real": "/home/u/bin/npm"}, changes),
	"commands": ["test"], "commandsKnown": "exact", "optionsKnown": "exact", "options": [], "operands": [],
})

_told(changes, settings) := found if {
	config := testing.configured({"tools": {"exec": object.union({"rules": [{"program": "npm", "commands": ["test"], "effect": "allow"}]}, settings)}})
	facts := object.union(testing.execution({"segments": [_found(changes)]}), {"environment": {"home": "/home/u", "workspace": "/srv/app", "claimed": false}})
	found := {[r.code, r.message, r.fix] | some r in exec.miss} with input as facts with data.config as config
}

_trust := "if what is in /home/u/bin is to be trusted, list it under tools.exec.trustedDirs; or permit the program by its path: program: /home/u/bin/npm"

test_a_name_that_does_not_cover_the_program_is_explained[name] if {
	some name, c in {
		"users can change it": {"changes": {"writable": ["file"]}, "why": "users other than root can change", "fix": _trust},
		"a link": {
			"changes": {"writable": [], "real": "/usr/lib/npm/cli.js", "realName": "cli.js", "linkOfRoot": false},
			"why": "is a link that users other than root can change",
			"fix": _trust,
		},
		"a link into the workspace": {
			"changes": {"writable": ["directory"], "real": "/srv/app/npm"},
			"why": "is a file of the workspace",
			"fix": "if it is to be trusted, permit the program by its path: program: /home/u/bin/npm",
		},
		"a program of the workspace": {
			"changes": {"writable": ["directory"], "path": "/srv/app/bin/npm", "real": "/srv/app/bin/npm"},
			"place": "/srv/app/bin/npm",
			"why": "is a file of the workspace",
			"fix": "if the project's programs are to be trusted, list ./bin under tools.exec.trustedDirs; or permit the program by its path: program: /srv/app/bin/npm",
		},
	}
	place := object.get(c, "place", "/home/u/bin/npm")
	message := sprintf("npm test: npm is %s, which %s, so tools.exec.rules[0] does not permit it by its name", [place, c.why])
	_told(c.changes, {}) == {["exec.rule_name", message, c.fix]}
}

test_in_a_trusted_directory_a_name_holds[name] if {
	some name, directories in {
		"the directory": ["/home/u/bin"],
		"one of the home directory": ["~/bin"],
		"a pattern": ["/home/*/bin"],
	}
	_told({"writable": ["file"]}, {"trustedDirs": directories}) == set()
}

test_in_the_workspace_a_name_counts_only_if_the_configuration_lists_its_directory[name] if {
	some name, c in {
		"its directory": [["./bin"], 0],
		"a pattern of the workspace": [["./*"], 0],
		"another directory of the workspace": [["./x"], 1],
		"its directory from the root": [["/srv/app/bin"], 1],
		"everything": [["/**", "~/**"], 1],
	}
	[directories, misses] := c
	changes := {"writable": ["file"], "path": "/srv/app/bin/npm", "real": "/srv/app/bin/npm"}
	count(_told(changes, {"trustedDirs": directories})) == misses
}

# Each: what is different, and what is trusted.
test_elsewhere_it_does_not[name] if {
	some name, c in {
		"another directory": [{}, ["/home/u/other"]],
		"a directory above": [{}, ["/home/u", "~/"]],
		"a directory below": [{}, ["~/bin/x"]],
		"no directory": [{}, [7, "", "bin"]],
		"no list": [{}, "/home/u/bin"],
		"a link into the workspace": [{"real": "/srv/app/npm"}, ["~/bin"]],
		"a link of another name": [{"path": "/home/u/bin/npx", "real": "/home/u/bin/npm"}, ["~/bin"]],
		"a file that was not found": [{"found": false}, ["~/bin"]],
	}
	[changes, directories] := c
	count(_told(object.union({"writable": ["file"]}, changes), {"trustedDirs": directories})) == 1
}

# Where the workspace is, and so what an agent may write, has to be known.
test_without_a_workspace_no_directory_is_trusted[name] if {
	some name, patch in {
		"no fact": {"op": "remove", "path": "/environment/workspace"},
		"unknown": {"op": "replace", "path": "/environment/workspace", "value": ""},
		"the home directory": {"op": "replace", "path": "/environment/workspace", "value": "/home/u"},
	}
	config := testing.configured({"tools": {"exec": {"trustedDirs": ["~/bin"], "rules": [{"program": "npm", "effect": "allow"}]}}})
	facts := object.union(testing.execution({"segments": [_found({"writable": ["file"]})]}), {"environment": {"home": "/home/u", "workspace": "/srv/app"}})
	count(exec.miss) == 0 with input as facts with data.config as config
	"exec.rule_name" in testing.codes(exec.miss) with input as json.patch(facts, [patch]) with data.config as config
}
