package gavel.agent.complete_test

import data.gavel.agent.complete
import data.gavel.testing

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
	missing := complete.missing with input as c.facts
	missing == c.want
}

test_every_fact_of_a_call_is_required if {
	every path in data.gavel.catalog.facts.call {
		missing := complete.missing with input as json.remove(testing.facts, [replace(path, ".", "/")])
		path in missing
	}
}

test_every_fact_of_a_command_is_required if {
	every path in data.gavel.catalog.facts.exec {
		missing := complete.missing with input as json.remove(testing.exec_facts, [replace(path, ".", "/")])
		path in missing
	}
}

test_every_fact_of_a_tool_with_credentials_is_required if {
	every path in data.gavel.catalog.facts.credential {
		missing := complete.missing with input as json.remove(testing.credential({}), [replace(path, ".", "/")])
		missing == {path}
	}
}

test_every_fact_of_an_element_is_required if {
	every path in data.gavel.catalog.facts.elements["exec.segments"] {
		missing := complete.missing with input as json.remove(testing.exec_facts, [sprintf("exec/segments/0/%s", [replace(path, ".", "/")])])
		missing == {sprintf("exec.segments[0].%s", [path])}
	}
}

test_every_fact_of_a_list_in_a_list_is_required if {
	facts := testing.execution({"segments": [testing.hazardous("/usr/bin/rg", "runs", "--pre")]})
	every path in data.gavel.catalog.facts.nested["exec.segments"].hazards {
		missing := complete.missing with input as json.remove(facts, [sprintf("exec/segments/0/hazards/0/%s", [path])])
		missing == {sprintf("exec.segments[0].hazards[0].%s", [path])}
	}
}

test_samples_are_complete[name] if {
	some name, facts in testing.samples
	missing := complete.missing with input as facts
	missing == set()
}

test_missing_facts_of_parents if {
	facts := testing.call({"agent": {"parents": [{"id": "main"}, {"depth": 0}]}})
	missing := complete.missing with input as facts with data.config as testing.config
	missing == {"agent.parents[0].depth", "agent.parents[1].id"}
}
