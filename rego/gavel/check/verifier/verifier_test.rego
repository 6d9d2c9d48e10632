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
		"a private chat whose person may answer": _settings({"telegram": {"botToken": "${T}", "chatId": 42, "allowedUserIds": [7, 42]}}),
		"a private chat": _settings({"telegram": {"botToken": "${T}", "chatId": "42"}}),
		"Telegram alone": {"tools": {"verifier": {"telegram": {"botToken": "${T}", "chatId": -100, "allowedUserIds": [42], "apiBase": "http://127.0.0.1:8081"}}}},
		"loopback": _settings({"webhook": {"url": "http://127.0.0.1:8080/v", "allowHttp": "loopback"}}),
		"loopback of IPv6": _settings({"webhook": {"url": "http://[::1]:8080/v", "allowHttp": "loopback"}}),
		"an agent with less time": _of_agent({}, {"timeout": 5, "webhook": {"timeout": 5}}),
		"an agent that may": _of_agent({"agentOverrides": ["url", "secret"]}, {"webhook": {"url": "https://w.example", "secret": "${W}"}}),
		"an agent that is switched off, without anybody to ask": {"agents": {"main": {"tools": {"verifier": {"enabled": false, "scope": {"include": ["exec"]}}}}}},
		"an agent that only says what failures mean": {"agents": {"main": {"tools": {"verifier": {"failMode": "deny"}}}}},
		"an agent that adds tools to those of everybody": _of_agent({}, {"enabled": true, "scope": {"include": ["exec"]}}),
		"an agent that adds tools where only Telegram is set": {
			"tools": {"verifier": {"telegram": {"botToken": "${T}", "chatId": 42}}},
			"agents": {"main": {"tools": {"verifier": {"scope": {"include": ["exec"]}}}}},
		},
		"a tool of an MCP server": _settings({"scope": {"include": ["mcp:github/create_issue"]}}),
		"the Bot API over https": _settings({"telegram": {"botToken": "${T}", "chatId": 42, "apiBase": "https://bots.example"}}),
		"a header that holds no credential": _settings({"webhook": {"headers": {"X-Team": "payments"}}}),
		"a secret and the one before": _settings({"webhook": {"previousSecret": "${P}"}}),
		"a whole client certificate": _settings({"webhook": {"tls": {"cert": "/c", "key": "/k"}}}),
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
			"path": "tools.verifier.telegram",
		},
		"a private chat whose person may not answer": {
			"config": _settings({"telegram": {"botToken": "${T}", "chatId": "42", "allowedUserIds": [7, 420]}}),
			"path": "tools.verifier.telegram.allowedUserIds",
		},
		"a private chat whose person may not answer, for an agent with less time": {
			"config": _of_agent({"telegram": {"botToken": "${T}", "chatId": 42, "allowedUserIds": [7]}}, {"telegram": {"timeout": 5}}),
			"path": "tools.verifier.telegram.allowedUserIds",
		},
		"the Bot API over http": {
			"config": _settings({"telegram": {"botToken": "${T}", "chatId": 42, "apiBase": "http://bots.example"}}),
			"path": "tools.verifier.telegram.apiBase",
		},
		"an agent's url": {"config": _of_agent({}, {"webhook": {"url": "https://w.example"}}), "path": "agents.main.tools.verifier.webhook.url"},
		"an agent's secret": {"config": _of_agent({"agentOverrides": ["url"]}, {"webhook": {"secret": "${W}"}}), "path": "agents.main.tools.verifier.webhook.secret"},
		"an agent's bot": {
			"config": _of_agent({"telegram": {"botToken": "${T}", "chatId": 42}}, {"telegram": {"botToken": "${W}"}}),
			"path": "agents.main.tools.verifier.telegram.botToken",
		},
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
		"half a client certificate, its key": {"config": _settings({"webhook": {"tls": {"key": "/k"}}}), "path": "tools.verifier.webhook.tls"},
		"an agent's scope, and nobody to ask": {
			"config": {"agents": {"main": {"tools": {"verifier": {"scope": {"include": ["exec"]}}}}}},
			"path": "agents.main.tools.verifier",
		},
		"a network that is none": {"config": _settings({"webhook": {"allowAddresses": ["10.0.0"]}}), "path": "tools.verifier.webhook.allowAddresses[0]"},
	}
	_found(c.config) == {c.path}
}

test_the_fix_says_what_to_write_instead if {
	found := verifier.problems with data.config as _settings({"scope": {"include": [" Exce "]}}) with input as {}
	some problem in found
	object.remove(problem, ["candidates"]) == {
		"path": "tools.verifier.scope.include[0]",
		"message": "unknown tool \" Exce \"",
		"value": " Exce ",
		"fix": "use a tool that exists; for tools of plugins, use group:plugins or a pattern such as lobster*",
	}
	{"exec", "bash", "*"} - {name | some name in problem.candidates} == set()
}

test_a_problem_has_every_member if {
	found := verifier.problems with data.config as {"tools": {"verifier": {"enabled": true}}} with input as {}
	found == {{
		"path": "tools.verifier",
		"message": "nobody can answer: no verifier is configured",
		"value": "",
		"candidates": [],
		"fix": "add webhook or telegram, or set enabled to false",
	}}
}

# An agent can be asked about by its own webhook, and by that of agents.defaults.
test_an_agent_with_its_own_webhook_can_be_asked[name] if {
	some name, agents in {
		"the agent": {"main": {"tools": {"verifier": {"scope": {"include": ["exec"]}, "webhook": {"url": "https://w.example"}}}}},
		"agents.defaults": {
			"defaults": {"tools": {"verifier": {"webhook": {"url": "https://w.example"}}}},
			"main": {"tools": {"verifier": {"scope": {"include": ["exec"]}}}},
		},
	}
	not "agents.main.tools.verifier" in _found({"agents": agents})
}

test_gavels_own_headers_cannot_be_set[name] if {
	some name in [
		"host", "content-type", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "User-Agent",
		"Idempotency-Key", "X-OpenClaw-Signature", "Webhook-Id", "webhook-timestamp", "webhook-signature",
	]
	found := verifier.problems with data.config as _settings({"webhook": {"headers": {name: "${V}"}}}) with input as {}
	{[problem.path, problem.message] | some problem in found} == {[sprintf("tools.verifier.webhook.headers.%s", [name]), "Gavel sets this header itself"]}
}

test_a_header_that_holds_a_credential_names_a_variable[name] if {
	some name in ["Authorization", "Cookie", "X-Token", "x-secret", "X-Api-Key", "Password", "X-Signature", "X-Credential"]
	_found(_settings({"webhook": {"headers": {name: "abc"}}})) == {sprintf("tools.verifier.webhook.headers.%s", [name])}
	_found(_settings({"webhook": {"headers": {name: "Bearer ${A_1}"}}})) == set()
}

test_a_secret_has_one_source[name] if {
	both := {"file": "/a", "command": ["/b"]}
	some name, c in {
		"a secret": {"config": _settings({"webhook": {"secret": both}}), "path": "tools.verifier.webhook.secret"},
		"the previous secret": {"config": _settings({"webhook": {"secret": "${S}", "previousSecret": both}}), "path": "tools.verifier.webhook.previousSecret"},
		"the secret of answers": {"config": _settings({"webhook": {"responseSecret": both}}), "path": "tools.verifier.webhook.responseSecret"},
		"the token of a bot": {"config": _settings({"telegram": {"chatId": 42, "botToken": both}}), "path": "tools.verifier.telegram.botToken"},
		"an agent's": {
			"config": _of_agent({"agentOverrides": ["secret"]}, {"webhook": {"secret": both}}),
			"path": "agents.main.tools.verifier.webhook.secret",
		},
	}
	_found(c.config) == {c.path}
}

test_settings_other_than_secrets_may_have_a_file_and_a_command if {
	_found(_settings({"plugin": {"file": "/a", "command": ["/b"]}})) == set()
}

test_what_the_schema_refuses[name] if {
	some name, settings in {
		"an empty include": _settings({"scope": {"include": []}}),
		"a secret in plain text": _settings({"webhook": {"secret": "hunter2"}}),
		"two sources of one secret": _settings({"webhook": {"secret": {"file": "/a", "command": ["/b"]}}}),
		"an agent's address": _of_agent({}, {"webhook": {"allowAddresses": ["10.0.0.0/8"]}}),
		"a file by a relative path": _settings({"webhook": {"secret": {"file": "a"}}}),
		"more than an hour": _settings({"remember": 3601}),
		"nobody who may answer": _settings({"telegram": {"botToken": "${T}", "chatId": 42, "allowedUserIds": []}}),
		"somebody with a number that nobody has": _settings({"telegram": {"botToken": "${T}", "chatId": -100, "allowedUserIds": [0]}}),
		"an unknown failMode": _settings({"failMode": "open"}),
	}
	problems := check.problems with data.config as settings with input as {}
	count(problems) > 0
}

test_an_unknown_group_in_a_scope_is_a_problem if {
	problems := check.problems with data.config as _settings({"scope": {"include": ["group:fss"]}}) with input as testing.facts
	{problem.path | some problem in problems} == {"tools.verifier.scope.include[0]"}
}
