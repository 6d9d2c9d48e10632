package gavel.change_test

import data.gavel.change
import data.gavel.testing

_result(facts, changes) := result if {
	result := change.result with input as facts
		with data.config as testing.configured(changes)
		with data.gavel.check.problems as set()
}

_unlisted := {"tools": {"exec": {"allowlist": []}}}

test_edits_of_commands_and_of_settings_come_together if {
	facts := testing.execution({"constructs": [{"kind": "compound", "construct": "for", "start": 0, "end": 7}]})
	result := _result(facts, _unlisted)
	{edit.path | some edit in result.edits} == {"tools.exec.rules", "tools.exec.constructs.compound"}
	result.none == set()
	result.settled == false
}

test_a_reason_without_an_edit_says_why if {
	result := _result(testing.programs([]), {"tools": {"exec": {"security": "deny"}}})
	{r.code | some r in result.none} == {"exec.security_deny"}
}

test_commands_that_no_rule_should_permit_are_reported if {
	result := _result(testing.execution({"segments": [testing.hazardous("/usr/bin/cat", "reads", "secret")]}), _unlisted)
	{r.code | some r in result.none} == {"exec.hazard"}
}

test_an_intended_question_is_settled if {
	result := _result(testing.exec_facts, {"tools": {"exec": {"ask": "always"}}})
	result.settled == true
	result.none == set()
}

test_a_miss_beside_an_intended_question_is_not_settled if {
	_result(testing.exec_facts, {"tools": {"exec": {"ask": "always", "allowlist": []}}}).settled == false
}

test_an_ask_of_the_policys_own_rego_is_settled if {
	result := change.result with input as testing.exec_facts
		with data.config as testing.configured({})
		with data.gavel.check.problems as set()
		with data.gavel.decision.effect as "ask"
		with data.gavel.decision.reasons as {{"code": "custom.mine"}}
	result.settled == true
}

test_a_deny_of_the_policys_own_rego_has_no_edit if {
	result := change.result with input as testing.exec_facts
		with data.config as testing.configured({})
		with data.gavel.check.problems as set()
		with data.gavel.decision.effect as "deny"
		with data.gavel.decision.reasons as {{"code": "custom.mine"}}
	result.none == {{"code": "custom.mine", "why": "the policy's own Rego objects, and no setting changes that"}}
}

_verified := {"tools": {"verifier": {"webhook": {"url": "https://v.example"}, "scope": {"include": ["read"]}}}}

test_only_missing_answers_of_verifiers_are_reported_as_such if {
	result := _result(testing.facts, _verified)
	startswith(result.verifiers, "nothing in the configuration forbids the call: verifier webhook must agree, because tools.verifier.scope.include selects its tool")
	result.edits == set()
}
