package gavel.exec.values_test

import data.gavel.decision
import data.gavel.exec.modes
import data.gavel.exec.values
import data.gavel.testing

_blank := {"security": "", "ask": "", "host": "", "node": "", "elevated": ""}

_stored(own, others) := object.union(testing.exec_facts, {"sessionValues": {
	"state": "read",
	"own": object.union(_blank, own),
	"others": [object.union(_blank, one) | some one in others],
}})

_result(facts, config) := result if {
	result := decision.result with input as facts with data.config as object.union(testing.config, config)
}

# R13.
test_values_of_a_session_only_tighten[name] if {
	some name, c in {
		"nothing": {"own": {}, "others": [], "want": "allow"},
		"ask always": {"own": {"ask": "always"}, "others": [], "want": "ask"},
		"ask off changes nothing for a program of the list": {"own": {"ask": "off"}, "others": [], "want": "allow"},
		"security deny": {"own": {"security": "deny"}, "others": [], "want": "deny"},
		"security full is not more than the configuration": {"own": {"security": "full"}, "others": [], "want": "allow"},
		"of a session that may be the call's": {"own": {}, "others": [{"security": "deny"}, {"ask": "always"}], "want": "deny"},
		"a question of a session that may be the call's": {"own": {}, "others": [{"ask": "always"}], "want": "ask"},
		"a word that no setting has": {"own": {"security": "none"}, "others": [], "want": "deny"},
	}
	_result(_stored(c.own, c.others), {}).effect == c.want
}

test_a_stored_value_never_loosens[key] if {
	some key, c in {
		"security": {"own": {"security": "full"}, "config": {"tools": {"exec": {"security": "deny"}}}, "want": "deny"},
		"ask": {"own": {"ask": "off"}, "config": {"tools": {"exec": {"ask": "always"}}}, "want": "ask"},
		"the call's own": {"own": {"security": "full", "ask": "off"}, "config": {}, "want": "ask"},
	}
	facts := {"security": testing.exec_facts, "ask": testing.exec_facts, "the call's own": testing.programs(["/usr/bin/vi"])}[key]
	_result(object.union(facts, {"sessionValues": _stored(c.own, []).sessionValues}), c.config).effect == c.want
}

test_host_and_node_are_those_of_the_session_itself[name] if {
	some name, c in {
		"a node": {"own": {"host": "node", "node": "mac-1"}, "request": {}, "want": ["node", "mac-1"]},
		"the call says another host": {"own": {"host": "node", "node": "mac-1"}, "request": {"host": "gateway"}, "want": ["gateway", "mac-1"]},
	}
	facts := object.union(_stored(c.own, []), {"exec": {"request": c.request}})
	settings := object.union(testing.config, {"tools": {"exec": {"host": "auto"}}})
	got := [modes.host, modes.requested_node] with input as facts with data.config as settings
	got == c.want
}

test_a_host_that_the_configuration_does_not_have_is_denied if {
	result := _result(_stored({"host": "node", "node": "n"}, []), {"tools": {"exec": {"host": "gateway"}}})
	testing.codes(result.reasons) == {"exec.host_not_allowed"}
}

test_values_that_cannot_be_read_deny[name] if {
	some name, facts in {
		"unknown": object.union(testing.exec_facts, {"sessionValues": {"state": "unknown"}}),
		"another word": object.union(testing.exec_facts, {"sessionValues": {"state": "lost"}}),
	}
	result := _result(facts, {})
	result.effect == "deny"
	"exec.session_unknown" in testing.codes(result.reasons)
}

test_missing_values_deny[path] if {
	some path in ["sessionValues", "sessionValues/state", "sessionValues/own", "sessionValues/others", "sessionValues/own/security"]
	_result(json.remove(testing.exec_facts, [path]), {}).effect == "deny"
}

# Snapshots never leave a fact out; whatever else does must not loosen anything by it.
test_missing_values_are_not_silent[path] if {
	some path in ["sessionValues", "sessionValues/state", "sessionValues/own", "sessionValues/others", "sessionValues/own/security"]
	not values.none_stored with input as json.remove(testing.exec_facts, [path])
}

test_values_are_named_by_setting if {
	values.of("ask") == {"", "always", "off"} with input as _stored({"ask": "always"}, [{"ask": "off"}, {"security": "deny"}])
	values.own("ask") == "always" with input as _stored({"ask": "always"}, [{"ask": "off"}])
}
