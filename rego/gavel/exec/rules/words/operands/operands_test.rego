package gavel.exec.rules.words.operands_test

import data.gavel.exec.rules.words.operands
import data.gavel.testing

_push(texts) := object.union(testing.segment("/usr/bin/git"), {
	"argv": array.concat(["git", "push"], texts),
	"commands": ["push"],
	"commandsKnown": "exact",
	"optionsKnown": "exact",
	"options": [],
	"operands": [operand |
		some i, text in texts
		operand := {"text": text, "path": sprintf("/srv/app/%s", [text]), "dynamic": false, "index": i + 2}
	],
})

_rule := {"operands": ["origin", "feature/*"]}

test_every_operand_is_named if {
	operands.match(_rule, _push(["origin", "feature/x"])) with input as testing.exec_facts
	not operands.match(_rule, _push(["origin", "main"])) with input as testing.exec_facts
}

test_one_operand_may_be_named if {
	not operands.differ(_rule, _push(["origin", "main"])) with input as testing.exec_facts
	operands.differ(_rule, _push(["upstream", "main"])) with input as testing.exec_facts
}

test_a_rule_that_names_no_operands if {
	operands.match({}, _push(["origin"])) with input as testing.exec_facts
	not operands.differ({}, _push(["origin"])) with input as testing.exec_facts
}

# Each: the operands of the rule, what the segment is, whether the rule may be about it.
_spelled := {
	"a target behind ./": {"rule": ["deploy"], "part": _push(["./deploy"]), "may": true},
	"a target behind several ./": {"rule": ["deploy"], "part": _push([".//././deploy"]), "may": true},
	"a target in a directory": {"rule": ["deploy"], "part": _push(["x/deploy"]), "may": false},
	"a file in a directory that is not known": {"rule": ["./x.js"], "part": _nowhere(["../x.js"]), "may": true},
	"another file there": {"rule": ["./x.js"], "part": _nowhere(["../y.js"]), "may": false},
	"a file there by a pattern": {"rule": ["./src/**"], "part": _nowhere(["y.js"]), "may": true},
	"an absolute path there": {"rule": ["./x.js"], "part": _nowhere(["/opt/x.js"]), "may": false},
	"a file of a root elsewhere": {"rule": ["/opt/x.js"], "part": _nowhere(["x.js"]), "may": true},
	"a rule about what begins with a slash": {"rule": ["/**"], "part": _nowhere(["build"]), "may": false},
	"code without its ending": {"rule": ["./x.js"], "part": _code("script", "/srv/app/x.js"), "may": true},
	"code that an option names": {"rule": ["./x.js"], "part": _code("module", "/srv/app/x.js"), "may": true},
	"other code": {"rule": ["./x.js"], "part": _code("script", "/srv/app/y.js"), "may": false},
	"a file of the project": {"rule": ["./x.js"], "part": _code("project", "/srv/app/x.js"), "may": false},
}

_nowhere(texts) := object.union(_push([]), {
	"cwd": "",
	"operands": [{"text": text, "path": "", "real": "", "dynamic": false, "index": i + 2} | some i, text in texts],
})

_code(role, path) := object.union(_push(["x"]), {"scripts": [{"role": role, "path": path, "real": path}]})

test_how_an_operand_is_spelled_does_not_matter[name] if {
	some name, c in _spelled
	got := {true | not operands.differ({"operands": c.rule}, c.part) with input as testing.exec_facts}
	got == {true | c.may}
}
