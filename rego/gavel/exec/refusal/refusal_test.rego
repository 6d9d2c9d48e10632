package gavel.exec.refusal_test

import data.gavel.exec.refusal
import data.gavel.testing

_reasons(facts) := reasons if {
	reasons := refusal.reasons with input as facts
}

# EXEC-4, R19: each kind has its own code, with construct and position.
test_each_kind[kind] if {
	some kind, message in {
		"limit": "the command exceeds a limit: a construct",
		"guard": "a construct at byte 3: shells and parsers may read this differently",
		"dialect": `Gavel does not support the shell "a construct"`,
		"syntax": "the command has a syntax error: a construct, at byte 3",
		"redirect": "a construct at byte 3: this redirection is not allowed",
		"heredoc": "a construct at byte 3: this here-document is not allowed",
		"substitution": "a construct at byte 3: this substitution is not allowed",
		"expansion": "a construct at byte 3: this word must be literal",
		"assignment": "a construct at byte 3: this assignment is not allowed",
		"compound": "a construct at byte 3: this compound command is not allowed",
		"construct": "a construct at byte 3 is not understood",
		"parameters": "a construct",
	}
	some reason in _reasons(testing.refused(kind))
	count(_reasons(testing.refused(kind))) == 1
	reason.code == sprintf("exec.%s", [kind])
	reason.layer == "exec"
	reason.message == message
	reason.fix != ""
}

# A setting is named only where it would open the construct.
test_what_to_do_depends_on_whether_a_setting_opens_the_construct[kind] if {
	some kind in ["redirect", "heredoc", "substitution", "compound"]
	some never in _reasons(testing.refused(kind))
	not contains(never.fix, "tools.exec")
	closed := refusal.closed(kind, "a construct", 3)
	contains(closed.fix, sprintf("tools.exec.constructs.%s", [kind]))
	closed.message == never.message
}

test_a_command_that_was_understood_has_no_reasons if _reasons(testing.exec_facts) == set()

test_refusal_beside_a_parsed_command_says_nothing if {
	facts := object.union(testing.refused("redirect"), {"exec": {"parsed": true}})
	_reasons(facts) == set()
}

test_a_kind_without_a_rule if testing.codes(_reasons(testing.refused("novel"))) == {"exec.refused"}

test_refusal_without_a_kind if {
	_reasons(json.remove(testing.refused("redirect"), ["exec/refusal/kind"])) != set()
	testing.codes(_reasons(json.remove(testing.refused("redirect"), ["exec/refusal/kind"]))) == {"exec.refused"}
}

test_parsed_that_is_not_a_boolean if {
	facts := object.union(testing.refused("redirect"), {"exec": {"parsed": "no"}})
	testing.codes(_reasons(facts)) == {"exec.refused"}
}

test_a_missing_position_is_reported_as_the_start if {
	[reason] := [r | some r in _reasons(json.remove(testing.refused("redirect"), ["exec/refusal/start", "exec/refusal/construct"]))]
	reason.message == " at byte 0: this redirection is not allowed"
}
