package gavel.agent.admission_test

import data.gavel.agent.admission
import data.gavel.testing

_denials(facts, settings) := denials if {
	denials := admission.deny with input as facts with data.config as settings
}

_permits(facts, settings) if {
	admission.permit with input as facts with data.config as settings
} else := false

_named := {"agents": {"main": {}, "boss": {}}}

_child := testing.call({"agent": {"id": "main", "depth": 1, "parents": [{"id": "boss", "depth": 0}]}})

_orphan := testing.call({"agent": {"id": "main", "depth": 1, "parents": [{"id": "stranger", "depth": 0}]}})

_nobody := testing.call({"agent": {"id": ""}})

test_verdict[name] if {
	some name, c in {
		"a configured agent is permitted": {"facts": testing.facts, "config": _named, "codes": set()},
		"an agent that is not configured is unknown (R4)": {"facts": testing.facts, "config": {}, "codes": {"agent.unknown"}},
		"agents.defaults admits it": {"facts": testing.facts, "config": testing.config, "codes": set()},
		"a blank id is unknown even with agents.defaults (R4)": {"facts": _nobody, "config": testing.config, "codes": {"agent.unknown"}},
		"a known parent is permitted": {"facts": _child, "config": _named, "codes": set()},
		"a parent that is not configured is unknown": {"facts": _orphan, "config": _named, "codes": {"agent.unknown"}},
		"an invalid configuration permits nothing": {
			"facts": testing.facts,
			"config": object.union(_named, {"tools": {"alow": []}}),
			"codes": {"config.invalid"},
		},
		"a missing fact permits nothing": {
			"facts": json.remove(testing.facts, ["sender/owner"]),
			"config": _named,
			"codes": {"agent.incomplete_facts"},
		},
		"no facts at all permit nothing": {
			"facts": {},
			"config": _named,
			"codes": {"agent.incomplete_facts", "agent.unknown"},
		},
	}
	testing.codes(_denials(c.facts, c.config)) == c.codes
	permitted := count(c.codes) == 0
	_permits(c.facts, c.config) == permitted
}

test_reasons_say_what_is_wrong[name] if {
	some name, c in {
		"the unknown agent by name": {"facts": _orphan, "config": _named, "text": `agent "stranger" is not configured`},
		"the missing facts by path": {
			"facts": json.remove(testing.facts, ["sender/owner", "model/id"]),
			"config": _named,
			"text": "the input lacks facts that every call needs: model.id, sender.owner",
		},
	}
	some denial in _denials(c.facts, c.config)
	denial.message == c.text
}

test_the_unknown_rule_names_every_unknown_agent if {
	facts := testing.call({"agent": {"id": "who", "parents": [{"id": "stranger", "depth": 0}, {"id": "boss", "depth": 1}]}})
	unknown := admission.unknown with input as facts with data.config as _named
	unknown == {"who", "stranger"}
}

_requiring(list, own) := testing.configured({"tools": {"require": list}, "agents": {"main": {"tools": {"require": own}}}})

test_required_facts[name] if {
	some name, c in {
		"a fact that was stated": {"facts": testing.facts, "config": _requiring(["model"], ["depth"]), "codes": set()},
		"a fact that was not": {
			"facts": testing.call({"stated": {"model": false}}),
			"config": _requiring(["model"], []),
			"codes": {"agent.fact_required"},
		},
		"one that the agent's own list names": {
			"facts": testing.call({"stated": {"depth": false}}),
			"config": _requiring(["model"], ["depth"]),
			"codes": {"agent.fact_required"},
		},
		"one that no list names": {"facts": testing.call({"stated": {"group": false}}), "config": _requiring(["model"], ["depth"]), "codes": set()},
	}
	testing.codes(_denials(c.facts, c.config)) == c.codes
	permitted := count(c.codes) == 0
	_permits(c.facts, c.config) == permitted
}
