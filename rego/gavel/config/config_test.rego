package gavel.config_test

import data.gavel.config
import data.gavel.testing

test_section[name] if {
	some name, c in {
		"a section is read": {"config": testing.config, "keys": ["tools", "exec", "ask"], "want": "on-miss"},
		"a section that is not there is empty": {"config": testing.config, "keys": ["tools", "fs"], "want": {}},
		"a configuration that is not an object has no sections": {"config": ["tools"], "keys": ["tools"], "want": {}},
		"a path through a value is empty": {"config": {"tools": 7}, "keys": ["tools", "exec"], "want": {}},
	}
	got := config.section(c.keys) with data.config as c.config
	got == c.want
}

_as(n) := concat("", ["a" | some _ in numbers.range(1, n)])

_known(id, agents) if {
	config.known_agent(id) with data.config as {"agents": agents}
} else := false

test_known_agent[name] if {
	some name, c in {
		"a configured agent is known": {"id": "coder", "agents": {"coder": {}}, "want": true},
		"an agent that is not configured is unknown (R4)": {"id": "other", "agents": {"coder": {}}, "want": false},
		"agents.defaults admits an agent that is not configured": {"id": "other", "agents": {"defaults": {}}, "want": true},
		"agents.defaults that is not a section admits nobody": {"id": "other", "agents": {"defaults": true}, "want": false},
		"a blank id is not an agent (R4)": {"id": "", "agents": {"defaults": {}}, "want": false},
		"a space is not an agent": {"id": " ", "agents": {"defaults": {}}, "want": false},
		"an id with a slash is not an agent": {"id": "a/b", "agents": {"defaults": {}}, "want": false},
		"an id with a line break is not an agent": {"id": "main\n", "agents": {"defaults": {}}, "want": false},
		"an upper-case id is not an agent": {"id": "Main", "agents": {"defaults": {}}, "want": false},
		"an id of 64 characters is the longest": {"id": _as(64), "agents": {"defaults": {}}, "want": true},
		"an id of 65 characters is not an agent": {"id": _as(65), "agents": {"defaults": {}}, "want": false},
		"defaults is not an agent": {"id": "defaults", "agents": {"defaults": {}}, "want": false},
		"list is not an agent": {"id": "list", "agents": {"defaults": {}, "list": {}}, "want": false},
		"an agent that is not a section is unknown": {"id": "coder", "agents": {"coder": true}, "want": false},
		"an id that is not text is unknown": {"id": 7, "agents": {"defaults": {}}, "want": false},
	}
	_known(c.id, c.agents) == c.want
}

_layered := {
	"tools": {"profile": "messaging", "exec": {"ask": "off", "node": "global"}},
	"agents": {
		"defaults": {"exec": {"ask": "on-miss", "security": "full"}, "tools": {"profile": "coding"}},
		"main": {"exec": {"security": "allowlist"}},
	},
}

test_scopes[name] if {
	some name, c in {
		"the agent's own entry comes before the defaults": {"config": _layered, "id": "main", "want": ["agents.main", "agents.defaults"]},
		"an agent without an entry has the defaults": {"config": _layered, "id": "other", "want": ["agents.defaults"]},
		"the defaults are not an agent": {"config": _layered, "id": "defaults", "want": ["agents.defaults"]},
		"without either there is no scope": {"config": {}, "id": "main", "want": []},
	}
	scopes := config.scopes(c.id) with data.config as c.config
	[scope.path | some scope in scopes] == c.want
}

_found(id, agent_keys, global_keys) := found if {
	found := config.setting(id, agent_keys, global_keys) with data.config as _layered
} else := "nowhere"

test_setting[name] if {
	some name, c in {
		"the agent's own setting wins": {
			"id": "main",
			"key": "security",
			"want": {"value": "allowlist", "path": "agents.main.exec.security", "from": "agent"},
		},
		"the defaults come next": {
			"id": "main",
			"key": "ask",
			"want": {"value": "on-miss", "path": "agents.defaults.exec.ask", "from": "global"},
		},
		"the global setting comes last": {
			"id": "main",
			"key": "node",
			"want": {"value": "global", "path": "tools.exec.node", "from": "global"},
		},
		"a setting that is not set anywhere": {"id": "main", "key": "host", "want": "nowhere"},
	}
	_found(c.id, ["exec", c.key], ["tools", "exec", c.key]) == c.want
}

test_exec_setting if {
	found := config.exec_setting("main", "security") with data.config as _layered
	found.path == "agents.main.exec.security"
}

test_an_unset_agent_setting_is_undefined if {
	not config.agent_setting("main", ["exec", "host"]) with data.config as _layered
}

test_agent_setting_of_false_is_a_setting if {
	settings := {"agents": {"main": {"sandbox": {"enabled": false}}}}
	found := config.agent_setting("main", ["sandbox", "enabled"]) with data.config as settings
	found == {"value": false, "path": "agents.main.sandbox.enabled", "from": "agent"}
}

_provider(entries, provider, model) := entry.key if {
	entry := config.provider_entry(entries, provider, model)
} else := "none"

test_provider_entry[name] if {
	entries := {"openai": {}, "openai/gpt-5.2": {"deny": ["exec"]}, "vendor/other": {}}
	some name, c in {
		"the longer name wins": {"provider": "openai", "model": "gpt-5.2", "want": "openai/gpt-5.2"},
		"the provider serves its other models": {"provider": "openai", "model": "gpt-4", "want": "openai"},
		"a model id with a slash is a whole name": {"provider": "router", "model": "vendor/other", "want": "vendor/other"},
		"a model id with a slash falls back to the provider": {"provider": "openai", "model": "vendor/unlisted", "want": "openai"},
		"without a model the provider decides": {"provider": "openai", "model": "", "want": "openai"},
		"another provider has no entry": {"provider": "anthropic", "model": "gpt-5.2", "want": "none"},
		"without a provider there is no entry": {"provider": "", "model": "openai/gpt-5.2", "want": "none"},
	}
	_provider(entries, c.provider, c.model) == c.want
}
