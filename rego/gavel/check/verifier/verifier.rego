# METADATA
# title: Problems of verifier settings
# description: |
#   Problems of tools.verifier and of the verifier settings of agents. Settings under which no
#   verifier can answer, or that verify less than their author thinks, must not take effect.
package gavel.check.verifier

import data.gavel.config
import data.gavel.tools.names
import data.gavel.verifier.settings

# METADATA
# scope: document
# description: every problem, as in gavel.check
problems contains _problem(
	sprintf("%s.scope", [section.path]),
	"include and exclude exclude one another, and both are set",
	"keep one of them",
) if {
	some section in _sections
	count({"include", "exclude"} & object.keys(section.value.scope)) == 2
}

problems contains _problem(sprintf("%s.scope", [section.path]), "the scope is empty", "add include or exclude, or remove scope to verify all tools") if {
	some section in _sections
	section.value.scope == {}
}

problems contains {
	"path": sprintf("%s.scope.%s[%d]", [section.path, kind, i]),
	"message": sprintf("unknown tool %q", [entry]),
	"value": entry,
	"candidates": sort(object.keys(names.known) | {"*"}),
	"fix": "use a tool that exists; for tools of plugins, use group:plugins or a pattern such as lobster*",
} if {
	some section in _sections
	some kind in ["include", "exclude"]
	some i, entry in section.value.scope[kind]
	name := names.normal(entry)
	not contains(name, "*")
	not startswith(name, "group:")
	not names.is_mcp(name)
	not names.known[name]
}

problems contains _problem(
	"tools.verifier",
	"nobody can answer: no verifier is configured",
	"add webhook or telegram, or set enabled to false",
) if {
	section := config.section(["tools", "verifier"])
	count(section) > 0
	object.get(section, "enabled", true) != false
	not section.webhook
	not _telegram_on(section)
}

problems contains _problem(
	section.path,
	"nobody can answer: no verifier is configured",
	"add tools.verifier.webhook with a url, or tools.verifier.telegram",
) if {
	some section in _agent_sections
	object.get(section.value, "enabled", true) != false
	count({"enabled", "scope"} & object.keys(section.value)) > 0
	not _verifier_configured(section)
}

problems contains _problem(webhook.path, "url is missing", "add the https URL of the verifier") if {
	some webhook in settings.webhooks
	not webhook.settings.url
}

problems contains _problem(bot.path, sprintf("%s is missing", [key]), fix) if {
	some bot in settings.telegrams
	some key, fix in {"botToken": "add the token of a bot, as ${VARIABLE}, file or command", "chatId": "add the number of the chat"}
	object.get(bot.settings, key, "") == ""
}

problems contains _problem("tools.verifier.telegram.chatId", "the chat is not a number", "write the chat's number; names of chats can change hands") if {
	bot := settings.telegrams["tools.verifier.telegram"]
	bot.settings.chatId != ""
	not regex.match(`^-?[1-9][0-9]{0,18}$`, bot.settings.chatId)
}

problems contains _problem(
	"tools.verifier.telegram",
	"allowedUserIds is missing, and the chat is a group, where everybody could answer",
	"list in allowedUserIds the numbers of those who may answer",
) if {
	bot := settings.telegrams["tools.verifier.telegram"]
	startswith(bot.settings.chatId, "-")
	not bot.settings.allowedUserIds
}

problems contains _problem(
	"tools.verifier.telegram.allowedUserIds",
	"nobody can answer: in a private chat only its person can, who is not in the list",
	"add the number of the chat, or remove allowedUserIds",
) if {
	bot := settings.telegrams["tools.verifier.telegram"]
	regex.match(`^[1-9]`, bot.settings.chatId)
	count(bot.settings.allowedUserIds) > 0
	not bot.settings.chatId in {sprintf("%v", [id]) | some id in bot.settings.allowedUserIds}
}

problems contains _problem(
	"tools.verifier.telegram.apiBase",
	"the address is http, over which anybody between can answer",
	"use https; http is possible for a loopback address",
) if {
	bot := settings.telegrams["tools.verifier.telegram"]
	startswith(bot.settings.apiBase, "http://")
	not _on_loopback(bot.settings.apiBase)
}

problems contains _problem(
	sprintf("%s.%s.%s", [section.path, kind, key]),
	sprintf("the global section does not let agents set %s", [key]),
	sprintf("remove it, or add %s to tools.verifier.agentOverrides", [key]),
) if {
	some section in _agent_sections
	some kind, key in {"webhook": "url", "telegram": "botToken"}
	section.value[kind][key]
	not key in _permitted
}

problems contains _problem(
	sprintf("%s.webhook.secret", [section.path]),
	"the global section does not let agents set secret",
	"remove it, or add secret to tools.verifier.agentOverrides",
) if {
	some section in _agent_sections
	section.value.webhook.secret
	not "secret" in _permitted
}

problems contains _problem(
	sprintf("%s.url", [webhook.path]),
	"the URL is http: anyone on the network path could turn a deny into an allow",
	"use https; for a verifier on this machine, use a loopback address and set allowHttp to loopback",
) if {
	some webhook in settings.webhooks
	startswith(webhook.settings.url, "http://")
	not _loopback(webhook.settings)
}

problems contains _problem(
	sprintf("%s.url", [webhook.path]),
	"the URL has a user name or a password in it",
	"send a credential as a header, with ${VARIABLE}",
) if {
	some webhook in settings.webhooks
	regex.match(`^https?://[^/?#]*@`, webhook.settings.url)
}

problems contains _problem(concat(".", path), "a secret comes from a file or from a command, and both are set", "keep one of them") if {
	walk({"tools": config.section(["tools"]), "agents": config.section(["agents"])}, [path, value])
	path[count(path) - 1] in {"secret", "previousSecret", "responseSecret", "botToken"}
	is_object(value)
	count({"file", "command"} & object.keys(value)) == 2
}

problems contains _problem("tools.verifier.webhook.tls", "cert and key belong together, and one is missing", "set both, or neither") if {
	count({"cert", "key"} & object.keys(config.section(["tools", "verifier", "webhook", "tls"]))) == 1
}

problems contains _problem(
	"tools.verifier.webhook.previousSecret",
	"there is a previous secret and no secret",
	"set secret to the new key",
) if {
	webhook := config.section(["tools", "verifier", "webhook"])
	webhook.previousSecret
	not webhook.secret
}

problems contains _problem(
	sprintf("tools.verifier.webhook.headers.%s", [name]),
	"the header holds a credential in plain text",
	"write ${VARIABLE} in its place, and set that variable for Gavel",
) if {
	some name, value in config.section(["tools", "verifier", "webhook", "headers"])
	regex.match(`(?i)authorization|cookie|token|secret|key|password|signature|credential`, name)
	not regex.match(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`, value)
}

problems contains _problem(
	sprintf("tools.verifier.webhook.headers.%s", [name]),
	"Gavel sets this header itself",
	"remove it",
) if {
	some name, _ in config.section(["tools", "verifier", "webhook", "headers"])
	lower(name) in {
		"host", "content-type", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "user-agent",
		"idempotency-key", "x-openclaw-signature", "webhook-id", "webhook-timestamp", "webhook-signature",
	}
}

problems contains _problem(
	sprintf("tools.verifier.webhook.allowAddresses[%d]", [i]),
	sprintf("%q is not a network", [text]),
	"write an address and a length, such as 10.20.0.0/16",
) if {
	some i, text in config.section(["tools", "verifier", "webhook", "allowAddresses"])
	not net.cidr_is_valid(text)
}

_problem(path, message, fix) := {"path": path, "message": message, "value": "", "candidates": [], "fix": fix}

_sections := array.concat([{"path": "tools.verifier", "value": config.section(["tools", "verifier"])}], _agent_sections)

_agent_sections := [{"path": sprintf("agents.%s.tools.verifier", [id]), "value": value} |
	some id, agent in config.section(["agents"])
	value := agent.tools.verifier
]

_permitted := config.section(["tools", "verifier", "agentOverrides"])

_verifier_configured(_) if config.section(["tools", "verifier"]).webhook

_verifier_configured(section) if section.value.webhook.url

_verifier_configured(_) if config.section(["agents", "defaults", "tools", "verifier"]).webhook.url

_verifier_configured(_) if _telegram_on(config.section(["tools", "verifier"]))

_telegram_on(section) if object.get(section.telegram, "enabled", true) != false

_loopback(webhook) if {
	webhook.allowHttp == "loopback"
	_on_loopback(webhook.url)
}

_on_loopback(url) if regex.match(`^http://(127(\.[0-9]{1,3}){3}|\[::1\]|localhost)(:[0-9]+)?([/?#]|$)`, url)
