package gavel.decision_test

import data.gavel.decision
import data.gavel.exec
import data.gavel.testing

_approvable(facts, config) if {
	exec.approvable with input as facts with data.config as config
}

test_an_answer_may_permit_a_miss if {
	_approvable(testing.programs(["/usr/bin/vi"]), testing.config)
}

test_what_an_answer_does_not_permit[name] if {
	some name, c in {
		"a refused command": {"facts": testing.refused("redirect"), "config": testing.config},
		"what is on the list anyway": {"facts": testing.exec_facts, "config": testing.config},
		"a parameter that exec does not have": {"facts": _vim({"unknown": ["shell"]}), "config": testing.config},
		"a variable that is blocked": {"facts": _vim({"env": ["LD_PRELOAD"]}), "config": testing.config},
		"ask off": {"facts": _vim({}), "config": testing.configured({"tools": {"exec": {"ask": "off"}}})},
		"security deny": {"facts": _vim({}), "config": testing.configured({"tools": {"exec": {"security": "deny"}}})},
		"another host": {"facts": _vim({"request": {"host": "node"}}), "config": testing.config},
	}
	not _approvable(c.facts, c.config)
}

_vim(changes) := testing.execution(object.union({"segments": [testing.segment("/usr/bin/vi")]}, changes))

_effect_of(facts, config) := effect if {
	effect := decision.result.effect with input as facts with data.config as config
}

test_no_answer_overrides_a_denial[name] if {
	some name, c in {
		"a refused command": {"facts": testing.refused("redirect"), "config": testing.config},
		"a variable that is blocked": {"facts": _vim({"env": ["LD_PRELOAD"]}), "config": testing.config},
		"security deny": {"facts": _vim({}), "config": testing.configured({"tools": {"exec": {"security": "deny"}}})},
		"a tool that is denied": {"facts": _vim({}), "config": testing.configured({"tools": {"deny": ["exec"]}})},
		"a custom rule": {"facts": _vim({}), "config": testing.config, "custom": true},
	}
	every answer in ["allow-once", "allow-always"] {
		objections := {x | c.custom; x := {"code": "mine", "layer": "custom"}}
		effect := decision.result.effect with input as object.union(c.facts, testing.answered(answer))
			with data.config as c.config
			with data.gavel.custom.deny as objections
		effect == "deny"
	}
}

test_an_answer_permits_what_was_asked[name] if {
	some name, c in {
		"a miss": {"facts": _vim({}), "config": testing.config},
		"a hazard": {
			"facts": testing.execution({"segments": [testing.hazardous("/usr/bin/rg", "runs", "--pre")]}),
			"config": testing.config,
		},
		"ask always": {"facts": testing.exec_facts, "config": testing.configured({"tools": {"exec": {"ask": "always"}}})},
		"full mode": {"facts": _vim({}), "config": testing.configured({"tools": {"exec": {"security": "full"}}})},
	}
	_effect_of(c.facts, c.config) == "ask"
	_effect_of(object.union(c.facts, testing.answered("allow-once")), c.config) == "allow"
	_effect_of(object.union(c.facts, testing.answered("deny")), c.config) == "deny"
	_effect_of(object.union(c.facts, testing.lapsed("timeout")), c.config) == "deny"
}

test_an_answer_permits_what_a_custom_rule_asked_about_another_tool if {
	result := decision.result with input as object.union(testing.facts, testing.answered("allow-once"))
		with data.config as testing.config
		with data.gavel.custom.ask as {{"code": "mine", "layer": "custom"}}
	result.effect == "allow"
	testing.codes(result.reasons) & {"approvals.approved"} == {"approvals.approved"}
}

test_a_fallback_does_not_answer_a_custom_rule if {
	config := testing.configured({"tools": {"exec": {"ask": "always", "askFallback": "allowlist"}}})
	facts := object.union(testing.exec_facts, testing.lapsed("timeout"))
	_effect_of(facts, config) == "allow"
	asked := decision.result.effect with input as facts
		with data.config as config
		with data.gavel.custom.ask as {{"code": "mine", "layer": "custom"}}
	asked == "ask"
}

test_segments_say_that_an_answer_permitted_them if {
	result := decision.result with input as object.union(_vim({}), testing.answered("allow-once")) with data.config as testing.config
	result.exec.by == "approval"
}
