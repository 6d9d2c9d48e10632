package gavel.verifier_test

import data.gavel.decision
import data.gavel.testing
import data.gavel.verifier

_config(changes) := {
	"tools": {"verifier": object.union({"webhook": {"url": "https://v.example/verify"}, "scope": {"include": ["read", "exec"]}}, changes)},
	"agents": {"main": {}},
}

_answered(answers) := object.union(testing.facts, {"verification": {"asked": true, "answers": answers}})

_answer(outcome) := _answered([_said("webhook", outcome)])

_said(name, outcome) := {"verifier": name, "outcome": outcome, "detail": ""}

_decided(facts, settings) := result if {
	result := decision.result with input as facts with data.config as settings
}

test_a_call_in_scope_is_denied_until_its_verifier_was_asked if {
	result := _decided(testing.facts, _config({}))
	result.effect == "deny"
	testing.codes(result.reasons) == {"verifier.unasked"}
	result.verify == {"webhook"}
	result.asks.verifiers == [{"name": "webhook", "endpoint": "tools.verifier.webhook", "timeout": 30}]
	result.asks.scope == "tools.verifier.scope.include"
	result.asks.timeout == 120
	result.asks.redact == []
	result.asks.remember == 0
	testing.codes(result.asks.because) == {"tools.allowed"}
}

test_a_call_out_of_scope_is_not_verified if {
	result := _decided(testing.tool("web_search"), _config({}))
	result.effect == "allow"
	not result.verify
}

test_a_call_out_of_scope_needs_no_verifier if {
	needed := verifier.needed with input as testing.tool("web_search") with data.config as _config({})
	needed == set()
	asks := verifier.asks with input as testing.tool("web_search") with data.config as _config({})
	asks == null
}

test_no_verifier_must_agree_if_none_is_configured if {
	verifier.absent with input as testing.facts with data.config as {"agents": {"main": {}}}
	verifier.permit with input as testing.facts with data.config as {"agents": {"main": {}}}
}

test_an_unknown_tool_needs_no_verifier_if_none_is_configured if {
	verifier.absent with input as testing.tool("lobster") with data.config as {"agents": {"main": {}}}
	verifier.permit with input as testing.tool("lobster") with data.config as {"agents": {"main": {}}}
}

test_no_verifier_must_agree_to_a_call_out_of_scope if {
	verifier.permit with input as testing.tool("web_search") with data.config as _config({})
}

test_settings_that_are_missing_never_permit if {
	permitted := verifier.permit with input as _answered([]) with data.gavel.frozen.result as {}
	permitted == false
}

test_verifiers_are_asked_as_is_configured if {
	asks := verifier.asks with input as testing.facts with data.config as _config({"timeout": 20, "redact": ["/note"], "remember": 60})
	asks.timeout == 20
	asks.redact == ["/note"]
	asks.remember == 60
}

test_a_call_without_a_name_is_verified[path] if {
	some path in ["tool/name", "tool"]
	facts := json.remove(testing.facts, [path])
	needed := verifier.needed with input as facts with data.config as _config({})
	needed == {"webhook"}
	denied := verifier.deny with input as facts with data.config as _config({})
	{r.source.path | some r in denied} == {"tools.verifier.scope.include"}
}

test_a_name_that_is_not_text_is_verified if {
	needed := verifier.needed with input as testing.tool(["web_search"]) with data.config as _config({})
	needed == {"webhook"}
}

test_an_unknown_tool_is_verified if {
	needed := verifier.needed with input as testing.tool("lobster") with data.config as _config({"scope": {"exclude": ["read"]}})
	needed == {"webhook"}
}

# VERIFIER-2: allow proceeds, deny blocks, and the rest is failMode's; the last five never allow.
test_outcomes[name] if {
	some name, c in {
		"allowed": {"deny": "allow", "allow": "allow", "codes": {"tools.allowed", "verifier.allowed"}},
		"denied": {"deny": "deny", "allow": "deny", "codes": {"verifier.denied"}},
		"unreachable": {"deny": "deny", "allow": "allow", "codes": {"verifier.unreachable"}},
		"timeout": {"deny": "deny", "allow": "allow", "codes": {"verifier.timeout"}},
		"status": {"deny": "deny", "allow": "allow", "codes": {"verifier.status"}},
		"redirect": {"deny": "deny", "allow": "deny", "codes": {"verifier.redirect"}},
		"oversize": {"deny": "deny", "allow": "deny", "codes": {"verifier.oversize"}},
		"malformed": {"deny": "deny", "allow": "deny", "codes": {"verifier.malformed"}},
		"mismatch": {"deny": "deny", "allow": "deny", "codes": {"verifier.mismatch"}},
		"busy": {"deny": "deny", "allow": "deny", "codes": {"verifier.busy"}},
		"ended": {"deny": "deny", "allow": "deny", "codes": {"verifier.unasked"}},
		"Allowed": {"deny": "deny", "allow": "deny", "codes": {"verifier.unasked"}},
		"": {"deny": "deny", "allow": "deny", "codes": {"verifier.unasked"}},
	}
	every mode in ["deny", "allow"] {
		result := _decided(_answer(name), _config({"failMode": mode}))
		result.effect == c[mode]
		c.codes - testing.codes(result.reasons) == set()
		result.verify == {"webhook"}
		object.get(result, "asks", null) == null
	}
}

test_an_allow_by_fail_mode_has_the_reason_of_the_failure if {
	result := _decided(_answer("timeout"), _config({"failMode": "allow"}))
	testing.codes(result.reasons) == {"tools.allowed", "verifier.timeout"}
}

_two := {"telegram": {"enabled": true}}

_pair(webhook, telegram) := _answered([_said("webhook", webhook), _said("telegram", telegram)])

test_every_verifier_must_agree[name] if {
	some name, c in {
		"both allow": {"facts": _pair("allowed", "allowed"), "permit": true},
		"one denies": {"facts": _pair("allowed", "denied"), "permit": false},
		"one fails, and failMode is deny": {"facts": _pair("unreachable", "allowed"), "permit": false},
		"one fails, and failMode is allow": {"facts": _pair("unreachable", "allowed"), "mode": "allow", "permit": true},
		"one fails and one denies": {"facts": _pair("unreachable", "denied"), "mode": "allow", "permit": false},
		"one did not answer": {"facts": _answer("allowed"), "permit": false},
		"one says both": {"facts": _answered([_said("webhook", "allowed"), _said("webhook", "denied"), _said("telegram", "allowed")]), "permit": false},
	}
	_permits(c.facts, _config(object.union(_two, {"failMode": object.get(c, "mode", "deny")}))) == c.permit
}

_permits(facts, settings) if {
	verifier.permit with input as facts with data.config as settings
} else := false

test_one_verifiers_allow_does_not_answer_for_the_other if {
	denied := verifier.deny with input as _answer("allowed") with data.config as _config(_two)
	testing.codes(denied) == {"verifier.unasked"}
}

test_an_expired_question_is_not_a_reason_beside_a_denial if {
	denied := verifier.deny with input as _pair("ended", "denied") with data.config as _config(_two)
	testing.codes(denied) == {"verifier.denied"}
}

test_answers_count_only_if_they_were_asked_for if {
	facts := object.union(testing.facts, {"verification": {"asked": false, "answers": [_said("webhook", "allowed")]}})
	_decided(facts, _config({})).effect == "deny"
}

test_what_is_remembered_counts_only_where_that_is_configured[name] if {
	some name, c in {
		"configured": {"changes": {"remember": 60}, "want": "allow", "codes": {"tools.allowed", "verifier.remembered"}},
		"for a second": {"changes": {"remember": 1}, "want": "allow", "codes": {"tools.allowed", "verifier.remembered"}},
		"not configured": {"changes": {}, "want": "deny", "codes": {"verifier.denied"}},
	}
	result := _decided(_answer("remembered"), _config(c.changes))
	result.effect == c.want
	testing.codes(result.reasons) == c.codes
}

test_a_denial_of_a_verifier_leaves_no_reason_to_allow[name] if {
	some name, said in {
		"one allows, one denies": _pair("allowed", "denied"),
		"one remembers, one denies": _pair("remembered", "denied"),
		"one fails, one denies": _pair("timeout", "denied"),
	}
	because := verifier.because with input as said
		with data.config as _config(object.union(_two, {"failMode": "allow", "remember": 60}))
	because == set()
}

test_an_allow_never_overrides_an_earlier_denial if {
	settings := object.union(_config({}), {"tools": {"deny": ["read"]}})
	result := _decided(_answer("allowed"), settings)
	testing.codes(result.reasons) == {"tools.denied"}
}

test_a_call_that_is_denied_anyway_is_not_verified if {
	settings := object.union(_config({}), {"tools": {"deny": ["read"]}})
	result := _decided(testing.facts, settings)
	testing.codes(result.reasons) == {"tools.denied"}
	not result.asks
	verdicts := decision.verdicts with input as testing.facts with data.config as settings
	verdicts.verifier.deny == set()
}

test_no_verdict_is_shown_of_verifiers_that_are_not_reached[name] if {
	some name, changes in {
		"a layer that can only object denies": {"tool": {"parameters": ["file_path", "path"]}},
		"a required layer denies": {"tool": {"name": "gateway"}},
	}
	facts := object.union(testing.facts, changes)
	settings := _config({"scope": {"exclude": ["canvas"]}})
	verdicts := decision.verdicts with input as facts with data.config as settings
	verdicts.verifier.deny == set()
	verdicts.verifier.required == false
}

_asking := object.union(_config({}), {"tools": {"exec": {"host": "gateway", "ask": "always", "allowlist": ["/usr/bin/rg"]}}})

test_a_person_is_asked_first if {
	result := _decided(testing.exec_facts, _asking)
	result.effect == "ask"
	result.verify == {"webhook"}
	not result.asks
	answered := _decided(object.union(testing.exec_facts, testing.answered("allow-once")), _asking)
	answered.effect == "deny"
	testing.codes(answered.reasons) == {"verifier.unasked"}
	count(answered.asks.verifiers) == 1
	both := object.union_n([testing.exec_facts, testing.answered("allow-once"), {"verification": {"asked": true, "answers": [_said("webhook", "allowed")]}}])
	_decided(both, _asking).effect == "allow"
}

test_messages[name] if {
	some name, c in {
		"a reason of the verifier": {"answer": {"verifier": "webhook", "outcome": "denied", "detail": "not on a Friday"}, "want": "verifier webhook has denied this call: not on a Friday"},
		"no reason": {"answer": _said("webhook", "denied"), "want": "verifier webhook has denied this call"},
		"a failure": {
			"answer": {"verifier": "webhook", "outcome": "status", "detail": "500"},
			"want": "verifier webhook answered with an HTTP error: 500; failMode is deny",
		},
	}
	some r in _decided(_answered([c.answer]), _config({})).reasons
	r.message == c.want
}

test_the_source_is_the_scope_that_selected_the_tool[name] if {
	some name, c in {
		"the global one": {"agents": {"main": {}}, "want": "tools.verifier.scope.include"},
		"the agent's": {
			"agents": {"main": {"tools": {"verifier": {"scope": {"include": ["web_search"]}}}}},
			"tool": "web_search",
			"want": "agents.main.tools.verifier.scope.include",
		},
	}
	settings := object.union(_config({}), {"agents": c.agents})
	some r in _decided(testing.tool(object.get(c, "tool", "read")), settings).reasons
	r.source.path == c.want
}

test_each_reason_names_the_setting_behind_it[name] if {
	scope := {"path": "tools.verifier.scope.include", "from": "global"}
	some name, c in {
		"an answer, the scope that asked for it": {"facts": _answer("denied"), "source": scope},
		"a call without a name, the first scope": {"facts": json.remove(_answer("denied"), ["tool/name"]), "source": scope},
		"a failure, failMode": {"facts": _answer("timeout"), "source": {"path": "tools.verifier.failMode"}},
	}
	found := verifier.deny with input as c.facts with data.config as _config({})
	[object.filter(r.source, object.keys(c.source)) | some r in found] == [c.source]
}

test_what_is_remembered_names_its_setting if {
	found := verifier.because with input as _answer("remembered") with data.config as _config({"remember": 60})
	{r.source.path | some r in found} == {"tools.verifier.remember"}
}

test_a_missing_part_of_the_facts_never_permits[path] if {
	some path in ["verification", "verification/asked", "verification/answers"]
	_decided(json.remove(_answer("allowed"), [path]), _config({})).effect == "deny"
}
