package gavel.agent.caller_test

import data.gavel.agent.caller
import data.gavel.decision
import data.gavel.testing

_refused(facts) := refusals if {
	refusals := caller.refused with input as facts with data.config as testing.config
}

_caller(changes) := testing.call({"caller": changes})

_coder := {"kind": "agent", "name": "decide:coder", "agents": ["coder"], "claims": []}

_paused(changes) := testing.call({"pause": object.union({"state": "paused", "agent": "main", "until": "", "why": "loops"}, changes)})

test_who_may_speak_for_an_agent[name] if {
	some name, c in {
		"a gateway speaks for every agent": {"facts": testing.facts, "codes": set()},
		"RT-06: a credential of another agent does not speak for this one": {"facts": _caller(_coder), "codes": {"agent.credential"}},
		"a credential of the agent does": {"facts": _caller(object.union(_coder, {"agents": ["main"]})), "codes": set()},
		"a pattern names several agents": {"facts": _caller(object.union(_coder, {"agents": ["ma*"]})), "codes": set()},
		"a pattern has no braces": {"facts": _caller(object.union(_coder, {"agents": ["{main,coder}*"]})), "codes": {"agent.credential"}},
		"a gateway that is bound speaks for its agents only": {"facts": _caller({"agents": ["coder"]}), "codes": {"agent.credential"}},
		"an unknown kind speaks for nobody": {"facts": _caller({"kind": "person"}), "codes": {"agent.credential"}},
		"a credential without agents speaks for nobody": {"facts": _caller({"agents": []}), "codes": {"agent.credential"}},
		"no caller at all speaks for nobody": {
			"facts": json.remove(testing.facts, ["caller"]),
			"codes": {"agent.credential", "agent.session", "agent.session_bound"},
		},
		"RT-06: a session of another agent is a contradiction": {"facts": _caller({"sessionAgent": "coder"}), "codes": {"agent.session"}},
		"so is a session with a blank agent": {"facts": _caller({"sessionAgent": "?"}), "codes": {"agent.session"}},
		"a session that names no agent fits any agent": {"facts": _caller({"sessionAgent": ""}), "codes": set()},
		"a session outside those that the credential is bound to": {
			"facts": _caller({"sessions": ["agent:main:x"], "inSession": false}),
			"codes": {"agent.session_bound"},
		},
		"a paused agent": {"facts": _paused({}), "codes": {"agent.paused"}},
		"an agent whose pause is unknown": {"facts": _paused({"state": "unknown"}), "codes": {"agent.pause_unknown"}},
		"a pause in an unknown state": {"facts": _paused({"state": "resumed"}), "codes": {"agent.pause_unknown"}},
		"no facts about pauses": {"facts": json.remove(testing.facts, ["pause"]), "codes": {"agent.pause_unknown"}},
	}
	testing.codes(_refused(c.facts)) == c.codes
}

test_a_refusal_applies_to_every_tool[name] if {
	some name, facts in {
		"a tool": _caller(_coder),
		"a command": object.union(testing.exec_facts, {"caller": _coder}),
		"a paused agent's command": object.union(testing.exec_facts, {"pause": {"state": "paused"}}),
		"a command that a person approved": object.union_n([testing.exec_facts, testing.answered("allow-once"), {"pause": {"state": "paused"}}]),
	}
	effect := decision.effect with input as facts with data.config as testing.config
	effect == "deny"
}

test_the_reason_says_until_when_and_why if {
	some refusal in _refused(_paused({"until": "2026-01-02T03:04:05Z"}))
	refusal.message == `agent "main" is paused until 2026-01-02T03:04:05Z: loops`
	refusal.fix == "wait, or have an administrator run gavel agents resume main"
}

test_the_reason_names_credential_and_agent if {
	some refusal in _refused(_caller(_coder))
	refusal.message == `the credential "decide:coder" does not speak for agent "main"`
}
