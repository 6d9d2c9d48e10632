package gavel.frozen_test

import data.gavel.decision
import data.gavel.frozen
import data.gavel.testing

test_remembered_part_is_used_as_it_is if {
	remembered := {"agent": {"permit": true, "deny": []}, "tools": {}, "exec": {}, "custom": []}
	result := frozen.result with input as testing.call({"frozen": remembered}) with data.config as {}
	result == remembered
}

test_result_is_computed_without_a_remembered_part if {
	result := frozen.result with input as testing.facts with data.config as testing.config
	fresh := frozen.fresh with input as testing.facts with data.config as testing.config
	result == fresh
	result.agent.permit
	result.agent.deny == set()
	result.tools.visible.read
	result.exec.security.value == "allowlist"
}

# A remembered part must decide the same.
test_remembered_and_fresh_decide_alike[name] if {
	some name, facts in {
		"a call that is allowed": testing.facts,
		"a call that is not": testing.tool("gateway"),
		"a command on the list": testing.exec_facts,
		"a command that is not": testing.programs(["/usr/bin/vi"]),
		"an agent that is not known": testing.call({"agent": {"id": "no one"}}),
	}
	remembered := frozen.fresh with input as facts with data.config as testing.config
	direct := decision.result with input as facts with data.config as testing.config
	cached := decision.result with input as object.union(facts, {"frozen": remembered}) with data.config as testing.config
	cached.effect == direct.effect
	cached.exec == direct.exec
	_grounds(cached.reasons) == _grounds(direct.reasons)
}

# The words are filled in elsewhere for a snapshot; code and source are not.
_grounds(reasons) := {[reason.code, reason.source] | some reason in reasons}

test_missing[name] if {
	some name, c in {
		"complete facts lack nothing": {"facts": testing.facts, "want": set()},
		"complete facts of a command lack nothing": {"facts": testing.exec_facts, "want": set()},
		"a snapshot's own context lacks nothing": {"facts": {"snapshot": true}, "want": set()},
		"a member that is missing": {"facts": json.remove(testing.facts, ["agent/depth"]), "want": {"agent.depth"}},
		"a member that is null": {"facts": testing.call({"agent": {"depth": null}}), "want": {"agent.depth"}},
		"a false one is there": {"facts": testing.call({"agent": {"sandboxed": false}}), "want": set()},
		"a command needs its request": {
			"facts": json.remove(testing.exec_facts, ["exec/request/host"]),
			"want": {"exec.request.host"},
		},
		"a segment needs its executable": {
			"facts": json.remove(testing.exec_facts, ["exec/segments/0/executable/found"]),
			"want": {"exec.segments[0].executable.found"},
		},
		"a call without a name may be a command": {
			"facts": json.remove(testing.exec_facts, ["tool/name", "exec/parsed"]),
			"want": {"tool.name", "exec.parsed"},
		},
	}
	missing := frozen.missing with input as c.facts
	missing == c.want
}

test_every_fact_of_the_fixtures_is_one_that_calls_must_have if {
	every path in data.gavel.catalog.facts.every {
		missing := frozen.missing with input as json.remove(testing.facts, [replace(path, ".", "/")])
		path in missing
	}
}

test_every_fact_of_a_command_must_be_there if {
	every path in data.gavel.catalog.facts.exec {
		missing := frozen.missing with input as json.remove(testing.exec_facts, [replace(path, ".", "/")])
		path in missing
	}
}

# A configuration that is none leaves nothing to freeze, and says so.
test_nonsense_configurations_have_a_reason[name] if {
	some name, settings in {
		"tools that are a number": {"tools": 7, "agents": {"main": {}}},
		"agents that are a list": {"agents": ["main"]},
		"a text": "config",
	}
	reasons := decision.reasons with input as testing.facts with data.config as settings
	"config.invalid" in testing.codes(reasons)
}

test_facts_of_parents_that_are_missing if {
	facts := testing.call({"agent": {"parents": [{"id": "main"}, {"depth": 0}]}})
	missing := frozen.missing with input as facts with data.config as testing.config
	missing == {"agent.parents[0].depth", "agent.parents[1].id"}
}
