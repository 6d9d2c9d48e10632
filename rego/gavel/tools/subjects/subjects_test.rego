package gavel.tools.subjects_test

import data.gavel.testing
import data.gavel.tools.subjects

_self(facts, settings) := self if {
	self := subjects.self with input as facts with data.config as settings
}

test_missing_facts_are_read_as_what_permits_least if {
	self := _self({}, {})
	self.sandboxed
	self.id == ""
	not self.depth == 0
}

test_self_is_the_agent_of_the_facts if {
	facts := testing.call({"agent": {"id": "main", "depth": 1, "maxDepth": 3}})
	_self(facts, {}) == {"id": "main", "depth": 1, "max_depth": 3, "sandboxed": false}
}

_mode(mode) := {"sandboxing": {"mode": mode}}

_agent(settings) := {"agents": {"main": settings}}

test_sandboxed[name] if {
	root := testing.facts
	child := testing.call({"agent": {"depth": 1}})
	some name, c in {
		"nothing says so": {"facts": root, "config": {}, "want": false},
		"the gateway says so": {"facts": testing.call({"agent": {"sandboxed": true}}), "config": {}, "want": true},
		"the gateway says so, and configuration cannot undo it": {
			"facts": testing.call({"agent": {"sandboxed": true}}),
			"config": _agent({"sandbox": {"enabled": false}}),
			"want": true,
		},
		"the fact is missing": {"facts": json.remove(root, ["agent/sandboxed"]), "config": {}, "want": true},
		"mode off": {"facts": child, "config": _mode("off"), "want": false},
		"mode all": {"facts": root, "config": _mode("all"), "want": true},
		"mode non-main leaves the main agent out": {"facts": root, "config": _mode("non-main"), "want": false},
		"mode non-main takes a spawned agent": {"facts": child, "config": _mode("non-main"), "want": true},
		"the agent's mode wins over the global one": {
			"facts": root,
			"config": object.union(_mode("all"), _agent({"sandbox": {"mode": "off"}})),
			"want": false,
		},
		"enabled: true alone means all": {"facts": root, "config": _agent({"sandbox": {"enabled": true}}), "want": true},
		"enabled: false switches the mode off": {
			"facts": child,
			"config": object.union(_mode("all"), _agent({"sandbox": {"enabled": false}})),
			"want": false,
		},
		"the defaults count as well": {
			"facts": root,
			"config": {"agents": {"defaults": {"sandbox": {"mode": "all"}}}},
			"want": true,
		},
	}
	self := _self(c.facts, c.config)
	self.sandboxed == c.want
}

test_parents_are_nearest_first if {
	facts := testing.call({"agent": {"maxDepth": 2, "parents": [{"id": "near", "depth": 1}, {"id": "far", "depth": 0}]}})
	parents := subjects.parents with input as facts with data.config as _mode("non-main")
	parents == [
		{"id": "near", "depth": 1, "max_depth": 2, "sandboxed": true},
		{"id": "far", "depth": 0, "max_depth": 2, "sandboxed": false},
	]
}

test_a_parent_without_facts_permits_least if {
	[parent] := subjects.parents with input as {"agent": {"parents": [{}]}} with data.config as _mode("non-main")
	parent.id == ""
	parent.sandboxed
	not parent.depth == 0
}

# --no-sandbox; a call that says that it is in a sandbox stays in one.
test_no_sandbox[name] if {
	some name, c in {"the mode is off": {"sandboxed": false, "want": false}, "the call says so": {"sandboxed": true, "want": true}}
	facts := testing.call({"agent": {"sandboxed": c.sandboxed}})
	config := {"sandboxing": {"mode": "all"}}
	self := subjects.self with input as facts with data.config as config with data.gavel.overrides as {"sandbox": {"value": "off", "path": "--no-sandbox"}}
	self.sandboxed == c.want
}
