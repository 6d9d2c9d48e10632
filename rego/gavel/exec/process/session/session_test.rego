package gavel.exec.process.session_test

import data.gavel.exec.process.session
import data.gavel.testing

_less := object.union(testing.config, {"tools": {"exec": {"input": {"allow": ["/usr/bin/less"]}}}})

_text(changes) := testing.typing("write", "text", changes)

_keys(changes) := testing.typing("send-keys", "keys", object.union({"keys": ["C-c"]}, changes))

test_a_session_is_known_only_as_a_whole[name] if {
	some name, changes in {
		"not stated": {"stated": false},
		"of another agent": {"agent": "other"},
		"a program by its name": {"program": "less"},
		"no program": {"program": ""},
		"an unknown host": {"host": "elsewhere"},
		"another host than that of exec": {"host": "sandbox"},
	}
	session.known with input as _text({}) with data.config as testing.config
	not session.known with input as _text(changes) with data.config as testing.config
}

test_an_agent_without_an_id_owns_no_session if {
	facts := object.union(_text({"agent": ""}), {"agent": {"id": ""}})
	not session.own with input as facts with data.config as testing.config
}

test_an_action_that_may_send_something_counts_as_sending[name] if {
	some name, facts in {
		"text": _text({}),
		"an action for input that has none": testing.typing("write", "none", {}),
		"an unknown action with an unknown input": testing.typing("inject", null, {}),
	}
	session.sends with input as facts with data.config as testing.config
	not session.sends with input as testing.typing("poll", "none", {}) with data.config as testing.config
}

test_input_needs_no_answer_if_the_policy_or_the_keys_say_so[name] if {
	some name, c in {
		"a listed program": {"facts": _text({}), "config": _less, "judged": true},
		"a program that is not listed": {"facts": _text({}), "config": testing.config, "judged": false},
		"a listed program that may be a shell": {"facts": _text({"shell": "bash"}), "config": _less, "judged": false},
		"a harmless key": {"facts": _keys({}), "config": testing.config, "judged": true},
		"a harmless key and another one": {"facts": _keys({"keys": ["C-c", "x"]}), "config": testing.config, "judged": false},
		"no key": {"facts": _keys({"keys": []}), "config": testing.config, "judged": false},
	}
	_judged(c.facts, c.config) == c.judged
}

_judged(facts, settings) if {
	session.needs_no_answer with input as facts with data.config as settings
} else := false
