package gavel.check.verifier_test

import data.gavel.check
import data.gavel.check.verifier
import data.gavel.testing

_settings(changes) := {"tools": {"verifier": object.union({"webhook": {"url": "https://v.example/verify", "secret": "${S}"}}, changes)}, "agents": {"main": {}}}

_of_agent(changes, own) := object.union(_settings(changes), {"agents": {"main": {"tools": {"verifier": own}}}})

_found(settings) := {problem.path | some problem in found} if {
	found := verifier.problems with data.config as settings with input as {}
}

test_valid_settings[name] if {
	some name, settings in {
		"nothing": {},
		"a webhook": _settings({}),
		"the document's example": _settings({
			"enabled": true,
			"scope": {"include": ["exec", "write", "edit", "apply_patch"]},
			"failMode": "deny",
			"webhook": {"url": "https://my-verifier.example.com/verify", "timeout": 30, "headers": {"Authorization": "Bearer ${VERIFIER_TOKEN}"}, "secret": "${VERIFIER_HMAC_SECRET}"},
			"telegram": {"enabled": false, "botToken": "${T}", "chatId": "123456789", "timeout": 120, "allowedUserIds": [123456789]},
		}),
		"groups, patterns, aliases and tools of MCP servers": _settings({"scope": {"exclude": ["group:fs", "lobster*", "bash", "mcp:github/*", "group:plugins"]}}),
		"a private chat": _settings({"telegram": {"botToken": "${T}", "chatId": "42"}}),
		"Telegram alone": {"tools": {"verifier": {"telegram": {"botToken": "${T}", "chatId": -100, "allowedUserIds": [42], "apiBase": "http://127.0.0.1:8081"}}}},
		"loopback": _settings({"webhook": {"url": "http://127.0.0.1:8080/v", "allowHttp": "loopback"}}),
		"loopback of IPv6": _settings({"webhook": {"url": "http://[::1]:8080/v", "allowHttp": "loopback"}}),
		"an agent with less time": _of_agent({}, {"timeout": 5, "webhook": {"timeout": 5}}),
		"an agent that may": _of_agent({"agentOverrides": ["url", "secret"]}, {"webhook": {"url": "https://w.example", "secret": "${W}"}}),
		"switched off without a webhook": {"tools": {"verifier": {"enabled": false}}},
		"networks": _settings({"webhook": {"allowAddresses": ["10.20.0.0/16", "fd00::/8"]}}),
		"files and commands": _settings({"webhook": {"secret": {"file": "/etc/s"}, "responseSecret": {"command": ["/usr/bin/pass", "x"]}}}),
	}
	problems := check.problems with data.config as settings with input as {}
	problems == set()
}

test_problems[name] if {
	some name, c in {
		"both lists": {"config": _settings({"scope": {"include": ["exec"], "exclude": ["read"]}}), "path": "tools.verifier.scope"},
		"an empty scope": {"config": _settings({"scope": {}}), "path": "tools.verifier.scope"},
		"an unknown tool": {"config": _settings({"scope": {"include": ["exce"]}}), "path": "tools.verifier.scope.include[0]"},
		"an unknown tool of an agent": {"config": _of_agent({}, {"scope": {"exclude": ["rread"]}}), "path": "agents.main.tools.verifier.scope.exclude[0]"},
		"nobody to ask": {"config": {"tools": {"verifier": {"enabled": true}}}, "path": "tools.verifier"},
		"nobody to ask but Telegram that is off": {"config": {"tools": {"verifier": {"telegram": {"enabled": false}}}}, "path": "tools.verifier"},
		"nobody to ask for an agent": {"config": {"agents": {"main": {"tools": {"verifier": {"enabled": true}}}}}, "path": "agents.main.tools.verifier"},
		"no url": {"config": {"tools": {"verifier": {"webhook": {}}}}, "path": "tools.verifier.webhook"},
		"Telegram without a chat": {"config": _settings({"telegram": {"botToken": "${T}"}}), "path": "tools.verifier.telegram"},
		"Telegram without a token": {"config": _settings({"telegram": {"chatId": 42}}), "path": "tools.verifier.telegram"},
		"a chat by name": {"config": _settings({"telegram": {"botToken": "${T}", "chatId": "@ops"}}), "path": "tools.verifier.telegram.chatId"},
		"a group in which everybody could answer": {
			"config": _settings({"telegram": {"botToken": "${T}", "chatId": -100}}),
			"path": "tools.verifier.telegram.allowedUserIds",
		},
		"the Bot API over http": {
			"config": _settings({"telegram": {"botToken": "${T}", "chatId": 42, "apiBase": "http://bots.example"}}),
			"path": "tools.verifier.telegram.apiBase",
		},
		"an agent's url": {"config": _of_agent({}, {"webhook": {"url": "https://w.example"}}), "path": "agents.main.tools.verifier.webhook.url"},
		"an agent's secret": {"config": _of_agent({"agentOverrides": ["url"]}, {"webhook": {"secret": "${W}"}}), "path": "agents.main.tools.verifier.webhook.secret"},
		"an agent's bot": {"config": _of_agent({}, {"telegram": {"botToken": "${W}"}}), "path": "agents.main.tools.verifier.telegram.botToken"},
		"http": {"config": _settings({"webhook": {"url": "http://v.example"}}), "path": "tools.verifier.webhook.url"},
		"http with the setting": {"config": _settings({"webhook": {"url": "http://v.example", "allowHttp": "loopback"}}), "path": "tools.verifier.webhook.url"},
		"http to loopback without the setting": {"config": _settings({"webhook": {"url": "http://127.0.0.1"}}), "path": "tools.verifier.webhook.url"},
		"a name that begins like loopback": {"config": _settings({"webhook": {"url": "http://localhost.evil.example", "allowHttp": "loopback"}}), "path": "tools.verifier.webhook.url"},
		"a password": {"config": _settings({"webhook": {"url": "https://u:p@v.example"}}), "path": "tools.verifier.webhook.url"},
		"half a client certificate": {"config": _settings({"webhook": {"tls": {"cert": "/c"}}}), "path": "tools.verifier.webhook.tls"},
		"a previous secret alone": {
			"config": {"tools": {"verifier": {"webhook": {"url": "https://v.example", "previousSecret": "${P}"}}}},
			"path": "tools.verifier.webhook.previousSecret",
		},
		"a credential in plain text": {
			"config": _settings({"webhook": {"headers": {"Authorization": "Bearer abc"}}}),
			"path": "tools.verifier.webhook.headers.Authorization",
		},
		"a header of ours": {"config": _settings({"webhook": {"headers": {"Webhook-Id": "1"}}}), "path": "tools.verifier.webhook.headers.Webhook-Id"},
		"a network that is none": {"config": _settings({"webhook": {"allowAddresses": ["10.0.0"]}}), "path": "tools.verifier.webhook.allowAddresses[0]"},
	}
	c.path in _found(c.config)
}

test_what_the_schema_refuses[name] if {
	some name, settings in {
		"an empty include": _settings({"scope": {"include": []}}),
		"a secret in plain text": _settings({"webhook": {"secret": "hunter2"}}),
		"two sources of one secret": _settings({"webhook": {"secret": {"file": "/a", "command": ["/b"]}}}),
		"an agent's address": _of_agent({}, {"webhook": {"allowAddresses": ["10.0.0.0/8"]}}),
		"a file by a relative path": _settings({"webhook": {"secret": {"file": "a"}}}),
		"more than an hour": _settings({"remember": 3601}),
		"an unknown failMode": _settings({"failMode": "open"}),
	}
	problems := check.problems with data.config as settings with input as {}
	count(problems) > 0
}

test_an_unknown_group_in_a_scope_is_a_problem if {
	problems := check.problems with data.config as _settings({"scope": {"include": ["group:fss"]}}) with input as testing.facts
	{problem.path | some problem in problems} == {"tools.verifier.scope.include[0]"}
}
