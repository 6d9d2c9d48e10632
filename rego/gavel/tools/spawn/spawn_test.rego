package gavel.tools.spawn_test

import data.gavel.testing
import data.gavel.tools
import data.gavel.tools.spawn

_config(main) := {"agents": {"main": {"subagents": main}, "coder": {}, "helper": {}}}

_spawning(target) := testing.call({"tool": {"name": "sessions_spawn", "given": "sessions_spawn", "spawns": target}})

_codes(facts, settings) := codes if {
	found := spawn.deny with input as facts with data.config as settings
	codes := {reason.code | some reason in found}
}

_permits(facts, settings) if {
	spawn.permit with input as facts with data.config as settings
} else := false

test_who_may_spawn_whom[name] if {
	some name, c in {
		"its own kind, without a name": {"list": {}, "target": "", "want": true},
		"its own kind, by name": {"list": {}, "target": "main", "want": true},
		"its own kind, beside a list": {"list": {"allowAgents": ["coder"]}, "target": "", "want": true},
		"an agent that is listed": {"list": {"allowAgents": ["coder"]}, "target": "coder", "want": true},
		"an agent that is listed in another case": {"list": {"allowAgents": [" Coder "]}, "target": "coder", "want": true},
		"an agent that is not listed": {"list": {"allowAgents": ["coder"]}, "target": "helper", "want": false},
		"another agent, without a list": {"list": {}, "target": "coder", "want": false},
		"another agent, with an empty list": {"list": {"allowAgents": []}, "target": "coder", "want": false},
		"every configured agent": {"list": {"allowAgents": ["*"]}, "target": "helper", "want": true},
		"an agent that is not configured": {"list": {"allowAgents": ["*"]}, "target": "ghost", "want": false},
		"a listed agent that is not configured": {"list": {"allowAgents": ["ghost"]}, "target": "ghost", "want": false},
		"an agent that could not be read": {"list": {"allowAgents": ["*", "?"]}, "target": "?", "want": false},
		"a pattern is not a name": {"list": {"allowAgents": ["cod*"]}, "target": "coder", "want": false},
	}
	_permits(_spawning(c.target), _config(c.list)) == c.want
	_codes(_spawning(c.target), _config(c.list)) == {code | code := "tools.spawn_not_allowed"; not c.want}
}

test_a_refusal_names_the_list if {
	found := spawn.deny with input as _spawning("helper") with data.config as _config({"allowAgents": ["coder"]})
	every reason in found {
		reason.message == `agent "main" may not spawn agent "helper"`
		reason.fix == `add it to agents.main.subagents.allowAgents; the agent must be configured, and "*" stands for every configured agent`
		reason.source == {"path": "agents.main.subagents.allowAgents", "from": "agent"}
	}
	count(found) == 1
}

test_what_to_do_about_an_agent_that_may_not_be_spawned[target] if {
	some target, c in {
		"?": {"message": "an agent that the call does not name clearly", "fix": "name one agent, as text, in the parameter agentId"},
		"ghost": {"message": `agent "ghost"`, "fix": "configure it under agents, and add it to agents.main.subagents.allowAgents"},
	}
	[reason] := [r | some r in spawn.deny with input as _spawning(target) with data.config as _config({"allowAgents": ["coder"]})]
	reason.message == sprintf(`agent "main" may not spawn %s`, [c.message])
	reason.fix == c.fix
}

test_the_defaults_hold_for_agents_without_a_list[name] if {
	some name, c in {
		"the defaults": {"own": {}, "want": true},
		"the agent's own list": {"own": {"subagents": {"allowAgents": []}}, "want": false},
	}
	config := {"agents": {"defaults": {"subagents": {"allowAgents": ["coder"]}}, "main": c.own, "coder": {}}}
	_permits(_spawning("coder"), config) == c.want
}

# R10: a chain reaches no agent that its first agent may not start.
test_ancestors_must_be_permitted_too[name] if {
	some name, c in {
		"both may": {"main": ["coder", "helper"], "want": set()},
		"the parent may not": {"main": ["helper"], "want": {"tools.spawn_not_allowed"}},
		"the parent may start everything": {"main": ["*"], "want": set()},
	}
	facts := object.union(_spawning("coder"), {"agent": {"id": "helper", "depth": 1, "maxDepth": 3, "parents": [{"id": "main", "depth": 0}]}})
	config := {"agents": {"main": {"subagents": {"allowAgents": c.main}}, "helper": {"subagents": {"allowAgents": ["coder"]}}, "coder": {}}}
	_codes(facts, config) == c.want
}

test_require_agent_id[name] if {
	some name, c in {
		"without a name": {"tool": "sessions_spawn", "spawns": "", "value": true, "want": {"tools.spawn_unnamed"}},
		"with a name": {"tool": "sessions_spawn", "spawns": "main", "value": true, "want": set()},
		"not required": {"tool": "sessions_spawn", "spawns": "", "value": false, "want": set()},
		"nonsense requires it": {"tool": "sessions_spawn", "spawns": "", "value": "maybe", "want": {"tools.spawn_unnamed"}},
		"a tool that lists subagents": {"tool": "subagents", "spawns": "", "value": true, "want": set()},
	}
	facts := testing.call({"tool": {"name": c.tool, "spawns": c.spawns}})
	_codes(facts, _config({"requireAgentId": c.value})) == c.want
}

test_other_tools_start_nothing if {
	_permits(testing.call({"tool": {"name": "read", "spawns": "coder"}}), _config({}))
	_codes(testing.facts, _config({})) == set()
}

test_a_missing_fact_permits_nothing[name] if {
	some name, path in {"the agent to spawn": "/tool/spawns", "the tool": "/tool/name", "the agent": "/agent/id"}
	facts := json.remove(_spawning(""), [path])
	not _permits(facts, _config({"allowAgents": ["*"]}))
}

test_the_layer_of_tools_asks[name] if {
	some name, c in {
		"a listed agent": {"target": "coder", "want": true},
		"another agent": {"target": "helper", "want": false},
	}
	permitted := tools.permit with input as _spawning(c.target) with data.config as _config({"allowAgents": ["coder"]})
	permitted == c.want
}
