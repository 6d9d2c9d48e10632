package gavel.custom_test

import data.gavel.custom
import data.gavel.testing

_deny(modules) := deny if {
	deny := custom.deny with data.custom as modules with input as testing.facts
}

_ask(modules) := ask if {
	ask := custom.ask with data.custom as modules with input as testing.facts
}

_objection(path, message) := {
	"layer": "custom",
	"code": sprintf("%s.objection", [path]),
	"message": message,
	"fix": sprintf("see the rules of package %s", [path]),
	"source": {"path": path},
}

_unsaid := "a custom rule objects"

# LAYERS-4: a reason is an object or a text, in custom or below it.
test_denials[name] if {
	some name, c in {
		"a text": {"rule": {"not today"}, "want": {_objection("custom", "not today")}},
		"two strings": {"rule": {"one", "two"}, "want": {_objection("custom", "one"), _objection("custom", "two")}},
		"a list of strings": {"rule": ["one"], "want": {_objection("custom", "one")}},
		"a string instead of a set": {"rule": "no", "want": {_objection("custom", "no")}},
		"true": {"rule": true, "want": {_objection("custom", _unsaid)}},
		"a number": {"rule": 7, "want": {_objection("custom", _unsaid)}},
		"a set of true": {"rule": {true}, "want": {_objection("custom", _unsaid)}},
		"a set of false": {"rule": {false}, "want": {_objection("custom", _unsaid)}},
		"an object": {
			"rule": {{"code": "work.hours", "message": "closed", "fix": "come back"}},
			"want": {{
				"layer": "custom",
				"code": "work.hours",
				"message": "closed",
				"fix": "come back",
				"source": {"path": "custom"},
			}},
		},
		"one object instead of a set": {
			"rule": {"code": "work.hours", "message": "closed", "fix": "come back"},
			"want": {{
				"layer": "custom",
				"code": "work.hours",
				"message": "closed",
				"fix": "come back",
				"source": {"path": "custom"},
			}},
		},
		"an object with missing members": {
			"rule": {{"message": "closed"}},
			"want": {_objection("custom", "closed")},
		},
		"an object without known members": {
			"rule": {{"severity": "high"}},
			"want": {_objection("custom", _unsaid)},
		},
		"an empty object is not an objection": {"rule": {}, "want": set()},
		"an object whose members are not strings": {
			"rule": {{"code": 7, "message": ["x"], "fix": null}},
			"want": {_objection("custom", _unsaid)},
		},
		"false is not an objection": {"rule": false, "want": set()},
		"an empty set is not an objection": {"rule": set(), "want": set()},
		"an empty list is not an objection": {"rule": [], "want": set()},
	}
	_deny({"deny": c.rule}) == c.want
	_ask({"ask": c.rule}) == c.want
	_ask({"deny": c.rule}) == set()
	_deny({"ask": c.rule}) == set()
}

test_packages_below_custom[name] if {
	some name, c in {
		"one level": {"custom": {"block": {"deny": {"x"}}}, "path": "custom.block"},
		"two levels": {"custom": {"a": {"b": {"deny": {"x"}}}}, "path": "custom.a.b"},
		"three levels": {"custom": {"a": {"b": {"c": {"deny": {"x"}}}}}, "path": "custom.a.b.c"},
	}
	_deny(c.custom) == {_objection(c.path, "x")}
}

test_asking_packages_below_custom[name] if {
	some name, c in {
		"one level": {"custom": {"block": {"ask": {"x"}}}, "path": "custom.block"},
		"two levels": {"custom": {"a": {"b": {"ask": {"x"}}}}, "path": "custom.a.b"},
		"three levels": {"custom": {"a": {"b": {"c": {"ask": {"x"}}}}}, "path": "custom.a.b.c"},
	}
	_ask(c.custom) == {_objection(c.path, "x")}
}

test_every_package_counts if {
	testing.codes(_deny({"deny": {"x"}, "a": {"deny": {"x"}}, "b": {"c": {"deny": {"x"}}}})) == {
		"custom.objection",
		"custom.a.objection",
		"custom.b.c.objection",
	}
}

test_no_objection[name] if {
	some name, modules in {
		"no package": {},
		"a package without such rules": {"a": {"permit": true, "allow": true}},
	}
	_deny(modules) == set()
	_ask(modules) == set()
}

test_remembered_packages_are_asked if {
	facts := testing.call({"frozen": {"custom": [["a"]]}})
	deny := custom.deny with data.custom as {"a": {"deny": {"x"}}, "b": {"deny": {"y"}}} with input as facts
	testing.codes(deny) == {"custom.a.objection"}
}
