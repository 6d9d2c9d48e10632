package gavel.exec.inline_test

import data.gavel.decision
import data.gavel.exec.inline
import data.gavel.testing

_config(settings) := testing.configured({"tools": {"exec": object.union({"host": "gateway", "strictInlineEval": true}, settings)}})

_codes(facts, settings) := codes if {
	reasons := inline.reasons with input as facts with data.config as _config(settings)
	codes := {reason.code | some reason in reasons}
}

_python := testing.execution({"segments": [testing.hazardous("/usr/bin/python3", "inline", "-c")]})

test_code_on_the_command_line_asks[kind] if {
	some kind in ["inline", "program", "carried"]
	facts := testing.execution({"segments": [testing.hazardous("/usr/bin/x", kind, "-c")]})
	_codes(facts, {}) == {"exec.inline_eval"}
}

test_other_hazards_do_not_ask[kind] if {
	some kind in ["runs", "writes", "reads", "network", "loads", "unknown"]
	facts := testing.execution({"segments": [testing.hazardous("/usr/bin/x", kind, "-c")]})
	_codes(facts, {}) == set()
}

test_nothing_is_asked_if_strict_inline_eval_is_off if {
	_codes(_python, {"strictInlineEval": false}) == set()
	codes := inline.reasons with input as _python with data.config as testing.config
	codes == set()
}

test_every_mode_asks[name] if {
	some security in ["allowlist", "full"]
	some ask in ["off", "on-miss", "always"]
	name := sprintf("%s, %s", [security, ask])
	result := decision.result with input as _python with data.config as _config({
		"security": security, "ask": ask, "fullAskOnMiss": "never",
		"allowlist": [{"pattern": "/usr/bin/python3", "args": "any"}],
	})
	result.effect == "ask"
	some reason in result.reasons
	reason.code == "exec.inline_eval"
}

test_inline_code_that_is_denied_anyway_stays_denied if {
	effect := decision.result.effect with input as _python with data.config as _config({"ask": "off"})
	effect == "deny"
}

test_a_command_that_was_not_understood_asks_in_full_mode if {
	result := decision.result with input as testing.refused("redirect")
		with data.config as _config({"security": "full", "ask": "off"})
	result.effect == "ask"
	{reason.code | some reason in result.reasons} == {"exec.inline_unseen"}
}

test_a_segment_without_hazard_facts_asks[fact] if {
	some fact in ["hazards", "wrappers"]
	facts := testing.execution({"segments": [json.remove(testing.segment("/usr/bin/ls"), [fact])]})
	_codes(facts, {}) == {"exec.inline_unseen"}
}

test_a_wrapper_that_passes_words_asks if {
	facts := testing.execution({"segments": [testing.wrapped("/usr/bin/rm", ["/usr/bin/xargs"])]})
	_codes(facts, {}) == {"exec.inline_eval"}
	_codes(testing.execution({"segments": [testing.wrapped("/usr/bin/rm", ["/usr/bin/nice"])]}), {}) == set()
}

test_an_agent_may_be_stricter_than_the_global_setting if {
	config := object.union(_config({"strictInlineEval": false}), {"agents": {"main": {"exec": {"strictInlineEval": true}}}})
	reasons := inline.reasons with input as _python with data.config as config
	count(reasons) == 1
}

test_detected_is_never_offered_permanently if {
	inline.detected with input as _python with data.config as _config({})
	not inline.detected with input as testing.exec_facts with data.config as _config({})
}

test_reason_names_the_program_and_the_code if {
	reasons := inline.reasons with input as _python with data.config as _config({})
	{reason.message | some reason in reasons} == {`/usr/bin/python3 evaluates code from its command line: -c "./evil"`}
}

test_of_a_command_that_another_program_completes_the_reason_names_both if {
	facts := testing.execution({"segments": [testing.wrapped("/usr/bin/ls", ["/usr/bin/xargs"])]})
	reasons := inline.reasons with input as facts with data.config as _config({})
	{reason.message | some reason in reasons} == {"xargs evaluates code from its command line: the command /usr/bin/ls"}
}
