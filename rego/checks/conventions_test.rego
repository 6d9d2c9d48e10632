package checks.conventions_test

import data.checks.conventions

_path(steps) := [{"type": "string", "value": step} | some step in steps]

_note(row, name, annotations) := {
	"annotations": object.union({"scope": "rule"}, annotations),
	"location": {"file": "rego/gavel/x/x.rego", "row": row, "col": 1},
	"path": _path(["data", "gavel", "x", name]),
}

_package := {
	"annotations": {"scope": "package", "title": "X", "description": "what it is"},
	"location": {"file": "rego/gavel/x/x.rego", "row": 1, "col": 1},
	"path": _path(["data", "gavel", "x"]),
}

_words := {"title": "No", "description": "why", "custom": {"code": "x.no", "message": "no", "fix": "do"}}

_files := {
	"data.gavel.x": ["rego/gavel/x/x.rego"],
	"data.gavel.x_test": ["rego/gavel/x/x_test.rego"],
}

_violations(notes) := _violations_in(array.concat([_package], notes), _files)

_violations_in(notes, files) := violations if {
	violations := conventions.violation with input as {"annotations": notes, "namespaces": files}
}

_good := _note(10, "deny", _words)

test_a_policy_that_follows_the_conventions[name] if {
	some name, notes in {
		"a reason": [_good],
		"a rule that passes on reasons": [_good, _note(20, "deny", {"description": "what others found"})],
		"a rule that gives none": [_good, _note(20, "permit", {"description": "lets through"})],
		"a private rule": [_good, _note(20, "_helper", {})],
		"a reason of what permitted": [_good, _note(20, "because", object.union(_words, {"custom": {"code": "x.yes", "fix": ""}}))],
		"a rule of a test": [_good, object.union(_note(20, "deny", {}), {"location": {"file": "rego/gavel/x/x_test.rego"}})],
	}
	_violations(notes) == set()
}

test_each_violation[name] if {
	some name, c in {
		"a reason without custom": {
			"notes": [_good, _note(20, "ask", {"title": "No", "description": "why"})],
			"texts": ["rego/gavel/x/x.rego:20: the rule ask gives a reason without custom.code: add it to its METADATA"],
		},
		"a reason without a code": {
			"notes": [_good, _note(20, "ask", json.remove(_words, ["custom/code"]))],
			"texts": ["rego/gavel/x/x.rego:20: the rule ask gives a reason without custom.code: add it to its METADATA"],
		},
		"a reason without a message": {
			"notes": [_note(20, "miss", json.remove(_words, ["custom/message"]))],
			"texts": ["rego/gavel/x/x.rego:20: the rule miss gives a reason without custom.message: add it to its METADATA"],
		},
		"a reason with an empty fix": {
			"notes": [_note(20, "deny", object.union(_words, {"custom": {"fix": " "}}))],
			"texts": ["rego/gavel/x/x.rego:20: the rule deny gives a reason without custom.fix: add it to its METADATA"],
		},
		"a reason of a function without a message": {
			"notes": [_note(20, "_refused", json.remove(_words, ["custom/message"]))],
			"texts": ["rego/gavel/x/x.rego:20: the rule _refused gives a reason without custom.message: add it to its METADATA"],
		},
		"a reason without a title": {
			"notes": [_note(20, "deny", json.remove(_words, ["title"]))],
			"texts": ["rego/gavel/x/x.rego:20: the reason deny has no title: add one, because the documentation lists reasons by title"],
		},
		"a code in upper case": {
			"notes": [_note(20, "deny", object.union(_words, {"custom": {"code": "x.No"}}))],
			"texts": [`rego/gavel/x/x.rego:20: the code "x.No" is not of the form layer.rule in lower case: rename it`],
		},
		"a code without a layer": {
			"notes": [_note(20, "deny", object.union(_words, {"custom": {"code": "no"}}))],
			"texts": [`rego/gavel/x/x.rego:20: the code "no" is not of the form layer.rule in lower case: rename it`],
		},
		"a fix of which the documentation says nothing": {
			"notes": [_note(20, "deny", object.union(_words, {"custom": {"fix": "%s"}}))],
			"texts": [`rego/gavel/x/x.rego:20: the fix of the reason deny is made by the rule alone: add custom.advises, which describes it for the documentation`],
		},
		"a code twice": {
			"notes": [_good, _note(20, "ask", _words)],
			"texts": [`rego/gavel/x/x.rego:20: the code "x.no" is at rego/gavel/x/x.rego:10 as well: a code belongs to one rule`],
		},
		"a public rule without a description": {
			"notes": [_good, _note(20, "permit", {"title": "lets through"})],
			"texts": ["rego/gavel/x/x.rego:20: the rule permit has no description: say what it means in its METADATA"],
		},
		"a document without a description": {
			"notes": [_good, object.union(_note(20, "permit", {}), {"annotations": {"scope": "document"}})],
			"texts": ["rego/gavel/x/x.rego:20: the rule permit has no description: say what it means in its METADATA"],
		},
		"nothing at all": {
			"notes": [],
			"texts": ["the input names no rules: pipe opa inspect -a -f json rego into the check"],
		},
	}
	want := {text | some text in c.texts}
	want - _violations(c.notes) == set()
	count(_violations(c.notes)) <= count(want) + count([key | some key in ["code", "message", "fix"]; name == "a reason without custom"])
}

test_a_code_that_occurs_in_two_files if {
	other := object.union(_note(5, "deny", _words), {"location": {"file": "rego/gavel/a.rego", "row": 99}})
	violations := _violations([_good, other])
	violations == {`rego/gavel/x/x.rego:10: the code "x.no" is at rego/gavel/a.rego:99 as well: a code belongs to one rule`}
}

test_a_package_without_title_and_description if {
	bare := object.union(_package, {"annotations": {"title": "", "description": ""}})
	_violations_in([bare, _good], _files) == {
		"package data.gavel.x has no title: add it to the METADATA above the package",
		"package data.gavel.x has no description: add it to the METADATA above the package",
	}
}

test_package_without_metadata if {
	count(_violations_in([_good], _files)) == 2
}

test_a_file_without_a_test_is_a_violation if {
	files := {"data.gavel.x": ["rego/gavel/x/x.rego"]}
	_violations_in([_package, _good], files) == {"rego/gavel/x/x.rego has no rego/gavel/x/x_test.rego beside it: add a test"}
}

test_data_needs_no_test if {
	files := object.union(_files, {"data.gavel.catalog": ["rego/gavel/catalog/data.yaml"]})
	_violations_in([_package, _good], files) == set()
}
