package gavel.exec.settings_test

import data.gavel.exec.settings
import data.gavel.testing

_configured(facts, config) := configured if {
	configured := settings.configured with input as facts with data.config as config
}

test_defaults_are_the_catalogs if {
	object.subset(_configured(testing.exec_facts, {}), {
		"security": {"value": "", "path": "tools.exec.security", "from": "default"},
		"ask": {"value": "on-miss", "path": "tools.exec.ask", "from": "default"},
		"host": {"value": "sandbox", "path": "tools.exec.host", "from": "default"},
		"node": {"value": "", "path": "tools.exec.node", "from": "default"},
		"full_on_miss": {"value": "unseen", "path": "tools.exec.fullAskOnMiss", "from": "default"},
		"sandboxed": false,
		"allowlist": "tools.exec.allowlist",
	})
}

test_the_agents_setting_wins_over_the_global_one[name] if {
	config := {
		"tools": {"exec": {"security": "deny", "ask": "always", "host": "node", "node": "all", "fullAskOnMiss": "unseen"}},
		"agents": {"main": {"exec": {
			"security": "full",
			"ask": "off",
			"host": "gateway",
			"node": "mine",
			"fullAskOnMiss": "never",
		}}},
	}
	some name, c in {
		"security": {"field": "security", "key": "security", "want": "full"},
		"ask": {"field": "ask", "key": "ask", "want": "off"},
		"host": {"field": "host", "key": "host", "want": "gateway"},
		"node": {"field": "node", "key": "node", "want": "mine"},
		"what full asks about": {"field": "full_on_miss", "key": "fullAskOnMiss", "want": "never"},
	}
	_configured(testing.exec_facts, config)[c.field] == {
		"value": c.want,
		"path": sprintf("agents.main.exec.%s", [c.key]),
		"from": "agent",
	}
}

test_a_global_setting_names_its_path if {
	_configured(testing.exec_facts, {"tools": {"exec": {"ask": "off"}}}).ask == {
		"value": "off",
		"path": "tools.exec.ask",
		"from": "global",
	}
}

test_entries_belong_where_the_agent_has_its_own[name] if {
	some name, c in {
		"the agent has none": {"agents": {"main": {}}, "want": "tools.exec.allowlist"},
		"the agent has one": {"agents": {"main": {"exec": {"allowlist": []}}}, "want": "agents.main.exec.allowlist"},
		"the defaults have one": {"agents": {"defaults": {"exec": {"allowlist": []}}}, "want": "agents.defaults.exec.allowlist"},
	}
	_configured(testing.exec_facts, {"agents": c.agents}).allowlist == c.want
}

test_sandboxed_agent if {
	_configured(testing.command({"agent": {"sandboxed": true}}), {}).sandboxed
}

# tools.exec.mode of newer versions of OpenClaw.
test_a_mode_sets_security_and_ask[mode] if {
	some mode, want in {
		"deny": ["deny", "off"],
		"allowlist": ["allowlist", "off"],
		"ask": ["allowlist", "on-miss"],
		"auto": ["allowlist", "on-miss"],
		"full": ["full", "off"],
		"a mode that does not exist": ["deny", "always"],
	}
	configured := _configured(testing.exec_facts, {"tools": {"exec": {"mode": mode}}})
	configured.security == {"value": want[0], "path": "tools.exec.mode", "from": "global"}
	configured.ask == {"value": want[1], "path": "tools.exec.mode", "from": "global"}
	configured.default_security == want[0]
}

test_the_narrower_section_wins_over_a_mode[name] if {
	some name, c in {
		"a key of the agent": {"own": {"security": "deny"}, "key": "security", "want": ["deny", "agents.main.exec.security"]},
		"a mode of the agent": {"own": {"mode": "allowlist"}, "key": "security", "want": ["allowlist", "agents.main.exec.mode"]},
		"the ask that the agent has not": {"own": {"security": "deny"}, "key": "ask", "want": ["off", "tools.exec.mode"]},
		"a key beside the mode": {"own": {"mode": "ask", "ask": "always"}, "key": "ask", "want": ["always", "agents.main.exec.ask"]},
	}
	config := {"tools": {"exec": {"mode": "full"}}, "agents": {"main": {"exec": c.own}}}
	found := _configured(testing.exec_facts, config)[c.key]
	[found.value, found.path] == c.want
}

test_a_mode_sets_no_other_settings if {
	_configured(testing.exec_facts, {"tools": {"exec": {"mode": "full"}}}).host.from == "default"
}

# What gavel was started with wins, and is the source of the setting.
test_values_set_by_flags_take_precedence[key] if {
	some key, value in {"security": "allowlist", "ask": "always"}
	config := {"tools": {"exec": {"mode": "full"}}, "agents": {"main": {"exec": {"security": "deny", "ask": "off"}}}}
	given := {key: {"value": value, "path": "--flag"}}
	configured := settings.configured with input as testing.exec_facts with data.config as config with data.gavel.overrides as given
	configured[key] == {"value": value, "path": "--flag", "from": "global"}
}

test_other_settings_have_no_flag if {
	given := {"host": {"value": "node", "path": "--flag"}}
	configured := settings.configured with input as testing.exec_facts with data.config as {} with data.gavel.overrides as given
	configured.host.value == "sandbox"
}
