package gavel.verifier.settings_test

import data.gavel.testing
import data.gavel.verifier.settings

_global(verifier) := {"tools": {"verifier": object.union({"webhook": {"url": "https://v.example/verify"}}, verifier)}, "agents": {"main": {}}}

_with_agent(verifier, own) := object.union(_global(verifier), {"agents": {"main": {"tools": {"verifier": own}}}})

_configured(settings_of) := found if {
	found := settings.configured with input as testing.facts with data.config as settings_of
}

_of(facts, settings_of) := found if {
	found := settings.configured with input as facts with data.config as settings_of
}

test_which_tools_are_exempt[name] if {
	some name, c in {
		"no scope verifies every tool": {"config": _global({}), "exempt": set()},
		"include verifies its tools only": {"config": _global({"scope": {"include": ["exec", "write"]}}), "verified": {"exec", "write"}},
		"an alias in include": {"config": _global({"scope": {"include": [" BASH ", "apply-patch"]}}), "verified": {"exec", "apply_patch"}},
		"a group in include": {"config": _global({"scope": {"include": ["group:memory"]}}), "verified": {"memory_search", "memory_get"}},
		"a pattern in include": {"config": _global({"scope": {"include": ["memory_*"]}}), "verified": {"memory_search", "memory_get"}},
		"exclude verifies all others": {"config": _global({"scope": {"exclude": ["read", "Bash"]}}), "exempt": {"read", "exec"}},
		"enabled true": {"config": _global({"enabled": true, "scope": {"include": ["exec"]}}), "verified": {"exec"}},
		"an agent adds tools": {
			"config": _with_agent({"scope": {"include": ["exec"]}}, {"scope": {"include": ["write"]}}),
			"verified": {"exec", "write"},
		},
		"an agent that excludes adds the others": {
			"config": _with_agent({"scope": {"include": ["exec"]}}, {"scope": {"exclude": ["read", "exec"]}}),
			"exempt": {"read"},
		},
		"an agent cannot lift the global scope": {
			"config": _with_agent({"scope": {"include": ["exec"]}}, {"enabled": false, "scope": {"include": ["write"]}}),
			"verified": {"exec"},
		},
		"an agent that is enabled without a scope verifies all": {
			"config": _with_agent({"scope": {"include": ["exec"]}}, {"enabled": true}),
			"exempt": set(),
		},
		"an agent's failMode selects nothing": {
			"config": _with_agent({"scope": {"include": ["exec"]}}, {"failMode": "deny"}),
			"verified": {"exec"},
		},
		"the global verifiers are off, and the agent's are on": {
			"config": _with_agent({"enabled": false}, {"scope": {"include": ["write"]}}),
			"verified": {"write"},
		},
		"both lists verify every tool": {"config": _global({"scope": {"include": ["exec"], "exclude": ["read"]}}), "exempt": set()},
		"a list that is none verifies every tool": {"config": _global({"scope": {"include": "exec"}}), "exempt": set()},
		"an odd value of enabled does not switch off": {"config": _global({"enabled": "no"}), "exempt": set()},
	}
	_exempt(c, _configured(c.config).exempt)
}

_exempt(c, exempt) if c.exempt == exempt

_exempt(c, exempt) if data.gavel.tools.names.universe - c.verified == exempt with input as testing.facts

test_nothing_is_verified_without_settings[name] if {
	some name, settings_of in {
		"no section": {"agents": {"main": {}}},
		"switched off": _global({"enabled": false}),
		"only a failMode of the agent": {"agents": {"main": {"tools": {"verifier": {"failMode": "deny"}}}}},
	}
	_configured(settings_of).verifiers == set()
}

test_a_scope_without_a_verifier_denies if {
	_configured({"tools": {"verifier": {"enabled": true}}, "agents": {"main": {}}}).verifiers == {"none"}
}

test_the_settings_of_parents_and_of_defaults_count_too[name] if {
	some name, c in {
		"agents.defaults": {"defaults": {"tools": {"verifier": {"scope": {"include": ["exec"]}}}}},
		"a parent": {"boss": {"tools": {"verifier": {"scope": {"include": ["exec"]}}}}},
	}
	facts := object.union(testing.facts, {"agent": {"parents": [{"id": "boss", "depth": 0}]}})
	found := _of(facts, object.union(_global({"enabled": false}), {"agents": c}))
	not "exec" in found.exempt
	"read" in found.exempt
}

test_fail_mode[name] if {
	some name, c in {
		"nothing is deny": {"config": _global({}), "want": "deny"},
		"deny": {"config": _global({"failMode": "deny"}), "want": "deny"},
		"allow": {"config": _global({"failMode": "allow"}), "want": "allow"},
		"an odd value is deny": {"config": _global({"failMode": "alow"}), "want": "deny"},
		"an agent cannot weaken deny": {"config": _with_agent({"failMode": "deny"}, {"failMode": "allow"}), "want": "deny"},
		"an agent cannot weaken the default": {"config": _with_agent({}, {"failMode": "allow"}), "want": "deny"},
		"an agent can be stricter": {"config": _with_agent({"failMode": "allow"}, {"failMode": "deny"}), "want": "deny"},
		"a section of an agent that says nothing objects to nothing": {"config": _with_agent({"failMode": "allow"}, {"timeout": 5}), "want": "allow"},
		"both allow": {"config": _with_agent({"failMode": "allow"}, {"failMode": "allow"}), "want": "allow"},
		"an odd value of the agent is deny": {"config": _with_agent({"failMode": "allow"}, {"failMode": 1}), "want": "deny"},
	}
	_configured(c.config).fail_mode.value == c.want
}

test_the_smallest_times_count if {
	found := _configured(_with_agent(
		{"timeout": 60, "remember": 300, "webhook": {"url": "https://v.example", "timeout": 20}},
		{"timeout": 40, "remember": 100, "webhook": {"timeout": 10}},
	))
	found.timeout == 40
	found.remember == 100
	found.endpoints.webhook.timeout == 10
}

test_a_time_may_be_longer_than_the_default if {
	found := _configured(_with_agent(
		{"timeout": 600, "webhook": {"url": "https://v.example", "timeout": 300}, "telegram": {"chatId": "1", "timeout": 400}},
		{"webhook": {"timeout": 301}, "telegram": {"timeout": 200}},
	))
	found.timeout == 600
	found.endpoints.webhook.timeout == 300
	found.endpoints.telegram.timeout == 200
}

test_an_agents_time_is_not_longer_than_the_default_of_the_general_section if {
	found := _configured(_with_agent(
		{"webhook": {"url": "https://v.example"}, "telegram": {"chatId": "1"}},
		{"timeout": 600, "webhook": {"timeout": 600}, "telegram": {"timeout": 600}},
	))
	found.timeout == 120
	found.endpoints.webhook.timeout == 30
	found.endpoints.telegram.timeout == 120
}

test_a_time_that_is_not_a_number_does_not_count[name] if {
	some name, value in {"false": false, "null": null, "text": "5", "a list": [1]}
	found := _configured(_global({"timeout": value, "remember": value, "webhook": {"url": "https://v.example", "timeout": value}, "telegram": {"chatId": "1", "timeout": value}}))
	found.timeout == 120
	found.remember == 0
	found.endpoints.webhook.timeout == 30
	found.endpoints.telegram.timeout == 120
}

test_nonsense_in_the_settings_of_an_agent_never_loosens[name] if {
	some name, value in {"false": false, "null": null, "text": "5", "a list": [1]}
	found := _configured(_with_agent({"remember": 60, "timeout": 20}, {"remember": value, "timeout": value, "webhook": value, "telegram": value}))
	found.remember == 0
	found.timeout == 20
	found.verifiers == {"webhook"}
	found.endpoints.webhook.path == "tools.verifier.webhook"
}

test_at_most_an_hour_is_remembered if {
	_configured(_global({"remember": 86400})).remember == 3600
}

test_each_scope_has_its_tools_and_its_path if {
	found := _configured(_with_agent({"scope": {"include": ["exec"]}}, {"scope": {"include": ["write"]}}))
	found.scopes == [
		{"path": "tools.verifier.scope.include", "from": "global", "tools": {"exec"}},
		{"path": "agents.main.tools.verifier.scope.include", "from": "agent", "tools": {"write"}},
	]
}

test_everything_that_must_be_opened if {
	found := settings.everything with data.config as _with_agent(
		{"maxWaiting": 7, "telegram": {"chatId": "1"}},
		{"webhook": {"secret": "${B}"}},
	)
	found.maxWaiting == 7
	found.tools.bash == "exec"
	found.tools.web_fetch == "web_fetch"
	object.keys(found.webhooks) == {"tools.verifier.webhook", "agents.main.tools.verifier.webhook"}
	found.webhooks["tools.verifier.webhook"].url == "https://v.example/verify"
	object.keys(found.telegrams) == {"tools.verifier.telegram"}
	found.telegrams["tools.verifier.telegram"].chatId == "1"
	found.telegrams["tools.verifier.telegram"].maxWaiting == 100
}

test_how_many_may_wait_by_default if {
	found := settings.everything with data.config as _global({})
	found.maxWaiting == 2000
	found.webhooks["tools.verifier.webhook"].maxWaiting == 1000
	found.telegrams == {}
}

test_an_agent_cannot_switch_remembering_on if {
	_configured(_with_agent({}, {"remember": 100})).remember == 0
}

test_defaults if {
	found := _configured(_global({}))
	found.timeout == 120
	found.remember == 0
	found.redact == []
	found.endpoints.webhook == {"path": "tools.verifier.webhook", "timeout": 30}
}

test_redacted_pointers_of_all_scopes_count if {
	_configured(_with_agent({"redact": ["/b"]}, {"redact": ["/a"]})).redact == ["/a", "/b"]
}

_webhooks(settings_of) := found if {
	found := settings.webhooks with data.config as settings_of
}

test_an_agents_webhook_is_the_global_one_with_its_changes if {
	found := _webhooks(_with_agent(
		{"webhook": {"url": "https://v.example", "secret": "${A}", "headers": {"X-A": "1"}, "timeout": 20, "requireRequestIdEcho": true}},
		{"webhook": {"secret": "${B}", "timeout": 25, "requireRequestIdEcho": false}},
	))
	object.keys(found) == {"tools.verifier.webhook", "agents.main.tools.verifier.webhook"}
	own := found["agents.main.tools.verifier.webhook"].settings
	own.secret == "${B}"
	own.url == "https://v.example"
	own.headers == {"X-A": "1"}
	own.timeout == 20
	own.requireRequestIdEcho
	found["tools.verifier.webhook"].settings.secret == "${A}"
}

test_an_echo_is_required_if_any_section_requires_it[name] if {
	some name, c in {
		"nowhere": {"webhook": {"url": "https://v.example"}, "want": false},
		"set": {"webhook": {"url": "https://v.example", "requireRequestIdEcho": true}, "want": true},
	}
	_webhooks(_global({"webhook": c.webhook}))["tools.verifier.webhook"].settings.requireRequestIdEcho == c.want
}

test_headers_are_for_the_global_url_only if {
	found := _webhooks(_with_agent({"webhook": {"url": "https://v.example", "headers": {"X-A": "1"}}}, {"webhook": {"url": "https://w.example"}}))
	found["agents.main.tools.verifier.webhook"].settings.headers == {}
}

test_a_telegram_section_that_is_on_needs_an_answer if {
	_configured(_global({"telegram": {"enabled": true}})).verifiers == {"webhook", "telegram"}
	_configured(_global({"telegram": {"chatId": 1}})).verifiers == {"webhook", "telegram"}
	_configured(_global({"telegram": {"enabled": "no"}})).verifiers == {"webhook", "telegram"}
	_configured(_global({"telegram": {"enabled": false}})).verifiers == {"webhook"}
}

test_an_agents_bot_is_the_global_one_with_its_changes if {
	found := settings.telegrams with data.config as _with_agent(
		{"telegram": {"botToken": "${A}", "chatId": -1001234567890, "allowedUserIds": [42], "timeout": 60}},
		{"telegram": {"botToken": "${B}", "timeout": 90}},
	)
	found["tools.verifier.telegram"].settings.botToken == "${A}"
	own := found["agents.main.tools.verifier.telegram"].settings
	own.botToken == "${B}"
	own.chatId == "-1001234567890"
	own.allowedUserIds == [42]
	own.timeout == 60
}

test_a_bot_that_is_off_is_not_opened if {
	found := settings.telegrams with data.config as _global({"telegram": {"enabled": false, "chatId": "1"}})
	found == {}
}

test_which_setting_says_what_a_failure_means[name] if {
	some name, c in {
		"nobody": {"config": _global({}), "path": "tools.verifier.failMode"},
		"the global section": {"config": _global({"failMode": "allow"}), "path": "tools.verifier.failMode"},
		"the agent": {"config": _with_agent({"failMode": "allow"}, {"failMode": "deny"}), "path": "agents.main.tools.verifier.failMode"},
	}
	_configured(c.config).fail_mode.path == c.path
}

test_a_scope_that_excludes_has_its_path if {
	[scope.path | some scope in _configured(_global({"scope": {"exclude": ["read"]}})).scopes] == ["tools.verifier.scope.exclude"]
}

test_without_a_verifier_the_time_limit_is_one_second if {
	found := _configured({"tools": {"verifier": {"enabled": true}}, "agents": {"main": {}}})
	found.endpoints == {"none": {"path": "tools.verifier", "timeout": 1}}
}

test_an_agent_with_settings_of_its_own_has_an_endpoint_of_its_own if {
	found := _configured(_with_agent({"telegram": {"chatId": 1}}, {"webhook": {"timeout": 10}, "telegram": {"timeout": 20}}))
	found.endpoints == {
		"webhook": {"path": "agents.main.tools.verifier.webhook", "timeout": 10},
		"telegram": {"path": "agents.main.tools.verifier.telegram", "timeout": 20},
	}
}

test_verifiers_are_opened_without_any_agent if {
	found := settings.everything with data.config as {"tools": {"verifier": {
		"webhook": {"url": "https://v.example/verify", "maxWaiting": 7},
		"telegram": {"botToken": "${T}", "enabled": true},
	}}}
	found.webhooks["tools.verifier.webhook"].maxWaiting == 7
	found.telegrams["tools.verifier.telegram"] == {"botToken": "${T}", "chatId": "", "timeout": 120, "maxWaiting": 100}
}
