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
		"guard": "shells may read the command differently from Gavel: a construct (at byte 3)",
		"dialect": `Gavel does not support the shell "a construct"`,
		"syntax": "the command has a syntax error: a construct (at byte 3)",
		"redirect": "a construct is not allowed: Gavel cannot tell which file it is for (at byte 3)",
		"heredoc": "a construct is not allowed: Gavel cannot tell which text it passes on (at byte 3)",
		"substitution": "a construct is not allowed: Gavel cannot tell what it puts into the command (at byte 3)",
		"expansion": "a construct is not allowed here, where a word must be literal (at byte 3)",
		"assignment": "a construct is not allowed: it could change what programs do (at byte 3)",
		"compound": "a construct is not allowed: Gavel cannot tell what it runs (at byte 3)",
		"construct": "Gavel does not understand this: a construct (at byte 3)",
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
	startswith(never.message, "a construct is not allowed: Gavel cannot tell ")
	startswith(closed.message, "a construct is not allowed: the policy permits no ")
	endswith(closed.message, " (at byte 3)")
}

test_a_command_that_was_understood_has_no_reasons if _reasons(testing.exec_facts) == set()

test_a_refusal_of_a_parsed_command_is_ignored if {
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
	reason.message == "a part of the command is not allowed: Gavel cannot tell which file it is for (at byte 0)"
}
