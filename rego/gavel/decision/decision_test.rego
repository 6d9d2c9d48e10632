package gavel.decision_test

import data.gavel.decision
import data.gavel.decision.layers
import data.gavel.testing

_result(facts, settings) := result if {
	result := decision.result with input as facts with data.config as settings
}

_exec(changes) := {
	"agents": {"defaults": {}},
	"tools": {"exec": object.union({"host": "gateway", "allowlist": ["/usr/bin/rg"]}, changes)},
}

_mode(security, ask) := _exec({"security": security, "ask": ask})

_vi := testing.programs(["/usr/bin/vi"])

_rg := testing.exec_facts

# LAYERS-1, EXEC-1; R12 to R15. The whole table, with the codes that say why.
test_modes[name] if {
	some name, c in {
		"deny, off, listed": {"security": "deny", "ask": "off", "facts": _rg, "effect": "deny", "codes": {"exec.security_deny"}},
		"deny, off, not listed": {"security": "deny", "ask": "off", "facts": _vi, "effect": "deny", "codes": {"exec.security_deny"}},
		"deny, on-miss, listed": {"security": "deny", "ask": "on-miss", "facts": _rg, "effect": "deny", "codes": {"exec.security_deny"}},
		"deny, on-miss, not listed": {"security": "deny", "ask": "on-miss", "facts": _vi, "effect": "deny", "codes": {"exec.security_deny"}},
		"deny, always, listed": {"security": "deny", "ask": "always", "facts": _rg, "effect": "deny", "codes": {"exec.security_deny"}},
		"deny, always, not listed": {"security": "deny", "ask": "always", "facts": _vi, "effect": "deny", "codes": {"exec.security_deny"}},
		"allowlist, off, listed": {"security": "allowlist", "ask": "off", "facts": _rg, "effect": "allow", "codes": {"tools.allowed", "exec.allowlisted"}},
		"allowlist, off, not listed": {"security": "allowlist", "ask": "off", "facts": _vi, "effect": "deny", "codes": {"exec.allowlist_miss"}},
		"allowlist, on-miss, listed": {"security": "allowlist", "ask": "on-miss", "facts": _rg, "effect": "allow", "codes": {"tools.allowed", "exec.allowlisted"}},
		"allowlist, on-miss, not listed": {"security": "allowlist", "ask": "on-miss", "facts": _vi, "effect": "ask", "codes": {"exec.allowlist_miss"}},
		"allowlist, always, listed": {"security": "allowlist", "ask": "always", "facts": _rg, "effect": "ask", "codes": {"approvals.always"}},
		"allowlist, always, not listed": {"security": "allowlist", "ask": "always", "facts": _vi, "effect": "ask", "codes": {"approvals.always", "exec.allowlist_miss"}},
		"full, off, listed": {"security": "full", "ask": "off", "facts": _rg, "effect": "allow", "codes": {"tools.allowed", "exec.full"}},
		"full, off, not listed": {"security": "full", "ask": "off", "facts": _vi, "effect": "allow", "codes": {"tools.allowed", "exec.full"}},
		"full, on-miss, listed": {"security": "full", "ask": "on-miss", "facts": _rg, "effect": "ask", "codes": {"approvals.unseen"}},
		"full, on-miss, not listed": {"security": "full", "ask": "on-miss", "facts": _vi, "effect": "ask", "codes": {"approvals.unseen"}},
		"full, always, listed": {"security": "full", "ask": "always", "facts": _rg, "effect": "ask", "codes": {"approvals.always"}},
		"full, always, not listed": {"security": "full", "ask": "always", "facts": _vi, "effect": "ask", "codes": {"approvals.always"}},
	}
	result := _result(c.facts, _mode(c.security, c.ask))
	result.effect == c.effect
	testing.codes(result.reasons) == c.codes
}

_boxed := testing.command({"agent": {"sandboxed": true}})

test_decisions[name] if {
	some name, c in {
		"a tool that passes every step": {
			"facts": testing.facts,
			"config": testing.config,
			"effect": "allow",
			"codes": {"tools.allowed"},
		},
		"a tool that a list denies": {
			"facts": testing.facts,
			"config": testing.configured({"tools": {"deny": ["read"]}}),
			"effect": "deny",
			"codes": {"tools.denied"},
		},
		"exec is a tool as well, and deny wins over ask": {
			"facts": _vi,
			"config": testing.configured({"tools": {"deny": ["exec"]}}),
			"effect": "deny",
			"codes": {"tools.denied"},
		},
		"an unknown agent": {
			"facts": testing.facts,
			"config": {"agents": {"other": {}}},
			"effect": "deny",
			"codes": {"agent.unknown"},
		},
		"no configuration": {"facts": testing.facts, "config": {}, "effect": "deny", "codes": {"agent.unknown"}},
		"a command that was refused": {
			"facts": testing.refused("redirect"),
			"config": _mode("allowlist", "always"),
			"effect": "deny",
			"codes": {"exec.redirect"},
		},
		"a command without segments": {
			"facts": testing.execution({"segments": []}),
			"config": _mode("allowlist", "off"),
			"effect": "deny",
			"codes": {"decision.silent"},
		},
		"a command without segments that would be asked about": {
			"facts": testing.execution({"segments": []}),
			"config": _mode("allowlist", "always"),
			"effect": "deny",
			"codes": {"decision.silent"},
		},
		"a blocked variable denies in full mode": {
			"facts": testing.execution({"env": ["LD_PRELOAD"]}),
			"config": _mode("full", "off"),
			"effect": "deny",
			"codes": {"exec.environment"},
		},
		"the sandbox's default": {
			"facts": _boxed,
			"config": {"agents": {"defaults": {}}},
			"effect": "deny",
			"codes": {"exec.security_deny"},
		},
		"a request to leave the sandbox": {
			"facts": object.union(_boxed, {"exec": {"request": {"elevated": true}}}),
			"config": _exec({"host": "sandbox", "security": "full", "ask": "off"}),
			"effect": "deny",
			"codes": {"elevated.off"},
		},
		"a call without a name": {
			"facts": json.remove(testing.facts, ["tool/name"]),
			"config": testing.config,
			"effect": "deny",
			"codes": {"agent.incomplete_facts", "credentials.not_listed", "credentials.unread", "exec.refused", "exec.security_deny", "tools.unnamed"},
		},
	}
	result := _result(c.facts, c.config)
	result.effect == c.effect
	testing.codes(result.reasons) == c.codes
}

test_invalid_configuration_denies[name] if {
	some name, settings in {
		"a misspelt key": {"tols": {}, "tools": {"alow": []}, "agents": {"defaults": {}}},
		"a number": {"tools": {"exec": 7}, "agents": {"defaults": {}}},
		"a misspelt profile": testing.configured({"tools": {"profile": "codding"}}),
		"not an object": [],
	}
	result := _result(testing.facts, settings)
	result.effect == "deny"
	"config.invalid" in testing.codes(result.reasons)
}

# Custom rules only tighten (LAYERS-4).
test_custom_rules[name] if {
	some name, c in {
		"ask tightens an allow": {"facts": testing.facts, "custom": {"ask": {"sure?"}}, "effect": "ask"},
		"deny tightens an allow": {"facts": testing.facts, "custom": {"deny": {"no"}}, "effect": "deny"},
		"deny tightens an ask": {"facts": _vi, "custom": {"deny": {"no"}}, "effect": "deny"},
		"ask loosens no deny": {"facts": testing.tool("gateway"), "custom": {"ask": {"sure?"}}, "effect": "deny"},
		"ask of a command": {"facts": _rg, "custom": {"work": {"ask": {"sure?"}}}, "effect": "ask"},
		"permit is ignored": {"facts": testing.tool("gateway"), "custom": {"permit": true, "allow": true}, "effect": "deny"},
		"silence changes nothing": {"facts": testing.facts, "custom": {"deny": set(), "ask": set()}, "effect": "allow"},
	}
	result := decision.result with input as c.facts with data.config as testing.config with data.custom as c.custom
	result.effect == c.effect
}

# Any layer that says nothing denies.
test_silent_layers[name] if {
	agent := decision.result with input as _rg with data.config as testing.config with data.gavel.agent.permit as false
	tools := decision.result with input as _rg with data.config as testing.config with data.gavel.tools.permit as false
	exec := decision.result with input as _rg with data.config as testing.config with data.gavel.exec.permit as false
	approvals := decision.result with input as _rg with data.config as testing.config with data.gavel.approvals.permit as false
	boxed := object.union(_rg, {"agent": {"sandboxed": true}})
	elevated := decision.result with input as boxed with data.config as testing.config with data.gavel.elevated.permit as false
	some name, result in {"agent": agent, "tools": tools, "exec": exec, "approvals": approvals, "elevated": elevated}
	result.effect == "deny"
	{reason.message | some reason in result.reasons; reason.code == "decision.silent"} == {sprintf("layer %s neither permits nor objects", [name])}
}

test_effect_and_reasons_match_the_result if {
	effect := decision.effect with input as _vi with data.config as testing.config
	effect == "ask"
	reasons := decision.reasons with input as _vi with data.config as testing.config
	testing.codes(reasons) == {"exec.allowlist_miss"}
}

# A layer that can only object and is missing must not count as consent.
test_an_undefined_layer_denies[name] if {
	some name in ["guard", "custom", "tools"]
	says := layers.verdict with input as _rg with data.config as testing.config
	result := decision.result with input as _rg
		with data.config as testing.config
		with layers.verdict as object.remove(says, [name])
	result.effect == "deny"
	testing.codes(result.reasons) == {"decision.silent"}
}

# A yes to a question that people may not decide permits nothing, and there is a reason.
test_an_answer_about_what_people_may_not_decide_permits_nothing if {
	result := decision.result with input as object.union(_vi, testing.answered("allow-once"))
		with data.config as testing.config
		with data.gavel.exec.approvable as false
	result.effect == "deny"
	testing.codes(result.reasons) == {"decision.silent"}
}
