package gavel.exec.environment_test

import data.gavel.decision
import data.gavel.exec.environment
import data.gavel.testing

_set(assignment) := testing.execution({"env": [upper(assignment.name)], "assigned": [assignment]})

_codes(facts, config) := {r.code | some r in reasons} if {
	reasons := decision.result.reasons with input as facts with data.config as config
}

_effect(facts, config) := effect if {
	effect := decision.result.effect with input as facts with data.config as config
}

_configured := testing.configured({"tools": {"exec": {"environment": {"allow": ["LISTED", "MINE_*"]}}}})

test_what_a_variable_may_be_given[name] if {
	some name, c in {
		"a plain value": {"set": ["FOO", "plain", true], "want": ["allow", ""]},
		"a variable that is taken away": {"set": ["FOO", "none", true], "want": ["allow", ""]},
		"a value that names a file": {"set": ["GREP", "other", true], "want": ["ask", "exec.environment_value"]},
		"a value that is made at run time": {"set": ["GREP", "dynamic", true], "want": ["ask", "exec.environment_value"]},
		"a value that could be evaluated": {"set": ["FOO", "evaluates", true], "want": ["deny", "exec.environment_evaluated"]},
		"a harmless name": {"set": ["TZ", "other", true], "want": ["allow", ""]},
		"a harmless name with a value that could be evaluated": {"set": ["TZ", "evaluates", true], "want": ["deny", "exec.environment_evaluated"]},
		"a name of the policy": {"set": ["LISTED", "other", true], "want": ["allow", ""]},
		"a name that begins as one of the policy": {"set": ["MINE_X", "dynamic", true], "want": ["allow", ""]},
		"a name that only looks like one of the policy": {"set": ["LISTED_TOO", "other", true], "want": ["ask", "exec.environment_value"]},
		"a name of the policy with a value that could be evaluated": {"set": ["LISTED", "evaluates", true], "want": ["deny", "exec.environment_evaluated"]},
		"a variable of the shell alone": {"set": ["tmp", "dynamic", false], "want": ["allow", ""]},
		"the same once programs get it": {"set": ["tmp", "dynamic", true], "want": ["ask", "exec.environment_value"]},
		"a variable of the shell in capitals that scripts use": {"set": ["FILE", "other", false], "want": ["allow", ""]},
		"a variable of the shell in other capitals": {"set": ["GREP", "other", false], "want": ["ask", "exec.environment_value"]},
		"a name that names code, and a plain value": {"set": ["MIX_EXS", "plain", true], "want": ["ask", "exec.environment_names_code"]},
		"a blocked name": {"set": ["NODE_OPTIONS", "plain", true], "want": ["deny", "exec.environment"]},
		"a form that nobody knows": {"set": ["FOO", "nonsense", true], "want": ["deny", "exec.environment_evaluated"]},
	}
	facts := _set({"name": c.set[0], "form": c.set[1], "exported": c.set[2]})
	_effect(facts, _configured) == c.want[0]
	_said(facts, c.want[1])
}

_said(_, "")

_said(facts, code) if code in _codes(facts, _configured)

test_nothing_is_accepted_without_the_fact if {
	facts := json.remove(testing.exec_facts, ["exec/assigned"])
	not environment.accepted with input as facts with data.config as testing.config
	not environment.answerable with input as facts with data.config as testing.config
	_effect(facts, testing.config) == "deny"
}

test_an_assignment_without_a_member_is_incomplete[key] if {
	some key in ["name", "form", "exported"]
	whole := {"name": "A", "form": "plain", "exported": true}
	facts := _set(whole)
	_effect(json.remove(facts, [sprintf("exec/assigned/0/%s", [key])]), testing.config) == "deny"
}

test_an_entry_cannot_unblock_a_name if {
	config := testing.configured({"tools": {"exec": {"environment": {"allow": ["LD_PRELOAD"]}}}})
	_effect(_set({"name": "LD_PRELOAD", "form": "plain", "exported": true}), config) == "deny"
}

test_an_agents_list_replaces_the_one_for_all if {
	config := testing.configured({
		"tools": {"exec": {"environment": {"allow": ["LISTED"]}}},
		"agents": {"main": {"exec": {"environment": {"allow": ["OWN"]}}}},
	})
	_effect(_set({"name": "OWN", "form": "other", "exported": true}), config) == "allow"
	_effect(_set({"name": "LISTED", "form": "other", "exported": true}), config) == "ask"
}

test_a_command_that_only_sets_variables_runs_nothing if {
	facts := object.union(_set({"name": "A", "form": "plain", "exported": false}), {"exec": {"segments": []}})
	_effect(facts, testing.config) == "allow"
	"exec.no_program" in _codes(facts, testing.config)
	nothing := object.union(testing.exec_facts, {"exec": {"segments": []}})
	_effect(nothing, testing.config) == "deny"
}

test_lists_of_names_do_not_contradict_each_other if {
	lists := data.gavel.catalog.environment
	every name, _ in object.union(lists.harmless, lists.own) {
		not lists.blocked[name]
		not lists.special[name]
		not lists.names_code[name]
	}
}
