package gavel.agent_test

import data.gavel.agent
import data.gavel.testing

_verdict(facts) := [permit, testing.codes(deny)] if {
	permit := agent.permit with input as facts with data.config as {"agents": {"main": {}}}
	deny := agent.deny with input as facts with data.config as {"agents": {"main": {}}}
}

test_an_agent_is_permitted_when_it_is_admitted_and_its_caller_speaks_for_it[name] if {
	some name, c in {
		"both": {"facts": testing.facts, "verdict": [true, set()]},
		"not admitted": {"facts": testing.call({"agent": {"parents": [{"id": "else", "depth": 0}]}}), "verdict": [false, {"agent.unknown"}]},
		"its caller does not speak for it": {"facts": testing.call({"caller": {"agents": []}}), "verdict": [false, {"agent.credential"}]},
		"neither": {
			"facts": testing.call({"agent": {"parents": [{"id": "else", "depth": 0}]}, "caller": {"agents": []}}),
			"verdict": [false, {"agent.unknown", "agent.credential"}],
		},
	}
	_verdict(c.facts) == c.verdict
}

# A frozen part without the agent does not admit it.
test_a_frozen_part_without_the_agent_permits_nothing if {
	not agent.permit with input as testing.call({"frozen": {"agent": {}}})
}
