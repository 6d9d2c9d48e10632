package gavel.elevated_test

import data.gavel.elevated
import data.gavel.testing

_says(facts) := "deny" if {
	count(elevated.deny) > 0 with input as facts with data.config as testing.config
} else := "permit" if {
	elevated.permit with input as facts with data.config as testing.config
} else := "nothing"

_boxed(changes) := object.union(testing.command({"agent": {"sandboxed": true}}), changes)

test_in_a_sandbox[name] if {
	some name, c in {
		"no request to leave": {"facts": _boxed({}), "want": "permit"},
		"the session says off": {"facts": _boxed({"session": {"elevated": "off"}}), "want": "permit"},
		"the message says off": {"facts": _boxed({"session": {"inline": "off"}}), "want": "permit"},
		"the call asks": {"facts": _boxed({"exec": {"request": {"elevated": true}}}), "want": "deny"},
		"the session says on": {"facts": _boxed({"session": {"elevated": "on"}}), "want": "deny"},
		"the session says ask": {"facts": _boxed({"session": {"elevated": "ask"}}), "want": "deny"},
		"the message says full": {"facts": _boxed({"session": {"inline": "full"}}), "want": "deny"},
		"the message says off, and the session full": {
			"facts": _boxed({"session": {"inline": "off", "elevated": "full"}}),
			"want": "deny",
		},
		"an unknown value asks": {"facts": _boxed({"session": {"elevated": "ful"}}), "want": "deny"},
		"a request that is a string asks": {"facts": _boxed({"exec": {"request": {"elevated": "false"}}}), "want": "deny"},
		"a missing request may be one": {
			"facts": json.remove(_boxed({}), ["exec/request/elevated"]),
			"want": "deny",
		},
		"a missing level may be one": {"facts": json.remove(_boxed({}), ["session/elevated"]), "want": "deny"},
		"a missing directive may be one": {"facts": json.remove(_boxed({}), ["session/inline"]), "want": "deny"},
		"an agent that may be in a sandbox": {
			"facts": json.remove(_boxed({"exec": {"request": {"elevated": true}}}), ["agent/sandboxed"]),
			"want": "deny",
		},
	}
	_says(c.facts) == c.want
}

test_outside_a_sandbox_there_is_nothing_to_leave[name] if {
	some name, changes in {
		"the call asks": {"exec": {"request": {"elevated": true}}},
		"the session says full": {"session": {"elevated": "full"}},
	}
	_says(testing.command(changes)) == "permit"
}

test_reason_says_where_the_setting_would_be if {
	[reason] := [r |
		some r in elevated.deny with input as _boxed({"session": {"elevated": "on"}}) with data.config as testing.config
	]
	reason.code == "elevated.off"
	reason.source == {"path": "tools.elevated", "from": "default"}
}
