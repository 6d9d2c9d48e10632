package gavel.frozen_test

import data.gavel.decision
import data.gavel.frozen
import data.gavel.testing

test_frozen_part_is_used_as_it_is if {
	remembered := {"agent": {"permit": true, "deny": []}, "tools": {}, "exec": {}, "custom": []}
	result := frozen.result with input as testing.call({"frozen": remembered}) with data.config as {}
	result == remembered
}

test_result_is_computed_without_a_frozen_part if {
	result := frozen.result with input as testing.facts with data.config as testing.config
	fresh := frozen.fresh with input as testing.facts with data.config as testing.config
	result == fresh
	result.agent.permit
	result.agent.deny == set()
	result.tools.visible.read
	result.exec.security.value == "allowlist"
}

# The frozen part and a fresh evaluation must give the same decision.
test_remembered_and_fresh_decide_alike[name] if {
	some name, facts in {
		"a call that is allowed": testing.facts,
		"a call that is not": testing.tool("gateway"),
		"an allowlisted command": testing.exec_facts,
		"a command that is not": testing.programs(["/usr/bin/vi"]),
		"an unknown agent": testing.call({"agent": {"id": "no one"}}),
	}
	remembered := frozen.fresh with input as facts with data.config as testing.config
	direct := decision.result with input as facts with data.config as testing.config
	cached := decision.result with input as object.union(facts, {"frozen": remembered}) with data.config as testing.config
	cached.effect == direct.effect
	cached.exec == direct.exec
	_grounds(cached.reasons) == _grounds(direct.reasons)
}

# A snapshot fills in the texts itself; code and source are given.
_grounds(reasons) := {[reason.code, reason.source] | some reason in reasons}

# An invalid configuration has no frozen part, and the decision says so.
test_invalid_configurations_have_a_reason[name] if {
	some name, settings in {
		"tools that are a number": {"tools": 7, "agents": {"main": {}}},
		"agents that are a list": {"agents": ["main"]},
		"a text": "config",
	}
	reasons := decision.reasons with input as testing.facts with data.config as settings
	"config.invalid" in testing.codes(reasons)
}
