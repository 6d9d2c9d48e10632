package gavel.sandbox_test

import data.gavel.sandbox
import data.gavel.testing

_configured(facts, settings) := found if {
	found := sandbox.configured with input as facts with data.config as settings
}

_claims(sandboxed) := testing.call({"agent": {"sandboxed": sandboxed}})

test_settings_of_the_agent_come_before_the_global_ones if {
	found := _configured(testing.facts, {
		"sandboxing": {"backend": "docker", "scope": "session", "workspaceAccess": "rw"},
		"agents": {"main": {"sandbox": {"workspaceAccess": "none"}}},
	})
	found.backend == {"value": "docker", "path": "sandboxing.backend", "from": "global"}
	found.scope == {"value": "session", "path": "sandboxing.scope", "from": "global"}
	found.access == {"value": "none", "path": "agents.main.sandbox.workspaceAccess", "from": "agent"}
}

test_what_is_not_configured_is_empty if {
	found := _configured(testing.facts, {})
	{found[key].value | some key in ["access", "backend", "scope", "mode"]} == {""}
}

# SANDBOX-3: the configuration and the claim of the call, and which of them holds.
test_the_stricter_statement_holds[name] if {
	some name, c in {
		"no mode, not claimed": {"mode": {}, "claim": false, "want": [false, false]},
		"no mode, claimed": {"mode": {}, "claim": true, "want": [true, false]},
		"off, not claimed": {"mode": {"mode": "off"}, "claim": false, "want": [false, false]},
		"off, claimed": {"mode": {"mode": "off"}, "claim": true, "want": [true, true]},
		"non-main of a main agent, claimed": {"mode": {"mode": "non-main"}, "claim": true, "want": [true, false]},
		"non-main of a main agent, not claimed": {"mode": {"mode": "non-main"}, "claim": false, "want": [false, false]},
		"all, not claimed": {"mode": {"mode": "all"}, "claim": false, "want": [true, false]},
		"all, claimed": {"mode": {"mode": "all"}, "claim": true, "want": [true, false]},
	}
	found := _configured(_claims(c.claim), {"sandboxing": c.mode})
	[found.confined, found.disputed] == c.want
}

test_a_switch_that_is_off_disputes_a_claim if {
	found := _configured(_claims(true), {"sandboxing": {"mode": "all"}, "agents": {"main": {"sandbox": {"enabled": false}}}})
	found.disputed
	found.mode == {"value": false, "path": "agents.main.sandbox.enabled", "from": "agent"}
}

test_a_switch_that_is_on_does_not_replace_the_mode if {
	found := _configured(_claims(true), {"sandboxing": {"mode": "non-main"}, "agents": {"main": {"sandbox": {"enabled": true}}}})
	found.mode == {"value": "non-main", "path": "sandboxing.mode", "from": "global"}
}

test_a_subagent_is_confined_by_non_main if {
	found := _configured(
		testing.call({"agent": {"depth": 1, "sandboxed": false}}),
		{"sandboxing": {"mode": "non-main"}},
	)
	found.confined
}

test_a_missing_claim_counts_as_a_sandbox if {
	found := _configured(json.remove(testing.facts, ["agent/sandboxed"]), {})
	found.confined
}
