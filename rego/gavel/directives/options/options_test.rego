package gavel.directives.options_test

import data.gavel.directives.options
import data.gavel.testing

_open := {"tools": {"exec": {"host": "auto"}}}

_blank := {"name": "", "options": [], "level": "", "words": [], "problem": ""}

_exec(options) := object.union(_blank, {"name": "exec", "options": [{"key": key, "value": value} | some key, value in options]})

_codes(facts, config) := {r.code | some [_, r] in found} if {
	found := options.refused with input as facts with data.config as object.union(testing.config, config)
}

_message(directive, changes) := object.union_n([
	testing.facts,
	{"message": {"mentioned": false, "rest": false, "directives": [directive]}},
	changes,
])

test_values_that_a_session_cannot_have[name] if {
	some name, c in {
		"a value that does not exist": {"said": _exec({"host": "x"}), "changes": {}, "want": {"directives.unknown_value"}},
		"a node without a name": {"said": _exec({"node": ""}), "changes": {}, "want": {"directives.no_node"}},
		"security full": {"said": _exec({"security": "full"}), "changes": {}, "want": {"directives.loosens"}},
		"ask off": {"said": _exec({"ask": "off"}), "changes": {}, "want": {"directives.loosens"}},
	}
	_codes(_message(c.said, c.changes), _open) == c.want
}

test_values_that_a_session_can_have[name] if {
	some name, said in {
		"none": _exec({}),
		"ask always": _exec({"ask": "always"}),
		"security deny": _exec({"security": "deny"}),
		"a host that the configuration leaves open, and a node": _exec({"host": "node", "node": "mac-1"}),
	}
	_codes(_message(said, {}), _open) == set()
}

test_the_host_and_the_node_are_those_of_the_configuration if {
	bound := {"tools": {"exec": {"host": "gateway", "node": "n1"}}}
	found := options.refused with input as _message(_exec({"host": "node", "node": "n2"}), {}) with data.config as object.union(testing.config, bound)
	{[r.code, r.message, r.fix] | some [_, r] in found} == {
		["directives.host", `this agent's commands do not run on host "node"`, "leave host out, or set tools.exec.host"],
		["directives.node", `node "n2" is not this agent's node, "n1"`, "leave node out, or change tools.exec.node"],
	}
}
