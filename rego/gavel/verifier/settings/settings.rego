# METADATA
# title: Verifier settings
# description: |
#   The configured verifiers of one agent. An agent's own settings, those of agents.defaults and
#   those of its parents only add to the global ones (VERIFIER-1). They depend on the agent only
#   and belong to the frozen part.
# schemas:
#   - input: schema.facts
package gavel.verifier.settings

import data.gavel.config
import data.gavel.tools.names

# METADATA
# description: |
#   the verifiers of this agent, the tools that need none, which scope selects which tools,
#   and how verifiers are asked
configured := {
	"verifiers": object.keys(_endpoints),
	"endpoints": _endpoints,
	"exempt": names.universe - _selected,
	"scopes": _scopes,
	"fail_mode": fail_mode,
	"timeout": _time(
		object.get(config.section(["tools", "verifier"]), "timeout", null),
		[section.value.timeout | some section in sections],
		data.gavel.catalog.verifier.defaults.timeout,
	),
	"redact": sort({pointer | some section in sections; some pointer in section.value.redact}),
	"remember": _remember,
}

# METADATA
# description: |
#   every verifier section that concerns this agent, as {"path", "from", "value"}: the global
#   one, the agent's, and the ones of the agents that spawned it
sections := [section |
	some section in array.concat([{"path": "tools.verifier", "from": "global", "value": config.section(["tools", "verifier"])}], _agent_sections)
	count(section.value) > 0
]

_agent_sections := [{"path": sprintf("%s.tools.verifier", [scope.path]), "from": scope.from, "value": value} |
	some id in array.concat([input.agent.id], [parent.id | some parent in input.agent.parents])
	some scope in config.scopes(id)
	value := object.get(scope.value, ["tools", "verifier"], {})
]

# METADATA
# scope: document
# description: |
#   what happens to a call if a verifier cannot answer: allow only if the global section sets it
#   and no other section sets anything else
default fail_mode := {"value": "deny", "path": "tools.verifier.failMode"}

fail_mode := {"value": "deny", "path": first.path} if {
	first := objecting[0]
} else := {"value": "allow", "path": "tools.verifier.failMode"} if {
	config.section(["tools", "verifier", "failMode"]) == "allow"
}

# METADATA
# description: sections whose failMode is set, and is not allow
objecting := [{"path": sprintf("%s.failMode", [section.path])} |
	some section in sections
	object.get(section.value, "failMode", "allow") != "allow"
]

# METADATA
# description: |
#   the settings of every verifier of the configuration, for the code that asks them, and the
#   names of the tools that they may be asked about
everything := {
	"tools": names.known,
	"maxWaiting": object.get(config.section(["tools", "verifier"]), "maxWaiting", data.gavel.catalog.verifier.defaults.max_waiting),
	"webhooks": {path: webhook.settings | some path, webhook in webhooks},
	"telegrams": {path: bot.settings | some path, bot in telegrams},
}

# METADATA
# description: every Telegram section of the configuration, by the path of its most specific section
telegrams[bot.path] := bot if {
	some id in (config.agents | {""})
	bot := _bot(id)
}

# METADATA
# description: every webhook of the configuration, by the path of its most specific section
webhooks[webhook.path] := webhook if {
	some id in (config.agents | {""})
	webhook := _webhook(id)
}

# The selecting sections, global first. A section with neither list selects every tool.
_scopes := [{"path": _scope_path(section), "from": section.from, "tools": _tools(section.value)} |
	some section in sections
	_selects_tools(section)
]

_selects_tools(section) if {
	section.path == "tools.verifier"
	object.get(section.value, "enabled", true) != false
}

_selects_tools(section) if {
	object.get(section.value, "enabled", true) != false
	count({"enabled", "scope"} & object.keys(section.value)) > 0
}

_scope_path(section) := sprintf("%s.scope.%s", [section.path, kind]) if {
	some kind in ["include", "exclude"]
	_is_only_list(section.value, kind)
} else := section.path

_tools(value) := names.selected(value.scope.include) if {
	_is_only_list(value, "include")
} else := names.universe - names.selected(value.scope.exclude) if {
	_is_only_list(value, "exclude")
} else := names.universe

_is_only_list(value, kind) if {
	is_array(value.scope[kind])
	count(object.keys(value.scope)) == 1
}

_selected := {tool | some scope in _scopes; some tool in scope.tools}

# Without a scope nothing is verified, whatever else is configured. A scope without a verifier is
# a configuration error; then no verifier can answer.
default _endpoints := {}

_endpoints := found if {
	count(_scopes) > 0
	found := object.union(_own_webhook, _telegram)
	count(found) > 0
}

_endpoints := {"none": {"path": "tools.verifier", "timeout": 1}} if {
	count(_scopes) > 0
	count(object.union(_own_webhook, _telegram)) == 0
}

default _own_webhook := {}

_own_webhook := {"webhook": {"path": webhook.path, "timeout": webhook.settings.timeout}} if {
	webhook := _webhook(input.agent.id)
}

default _telegram := {}

_telegram := {"telegram": {"path": bot.path, "timeout": bot.settings.timeout}} if {
	bot := _bot(input.agent.id)
}

# The sections of one verifier, most general first.
_verifier_sections(kind, id) := [{"path": path, "value": value[kind]} |
	own := [{"path": scope.path, "value": scope.value} | some scope in config.scopes(id)]
	some holder in array.concat([{"path": "", "value": {"tools": config.section(["tools"])}}], array.reverse(own))
	value := object.get(holder.value, ["tools", "verifier"], {})
	is_object(value[kind])
	path := trim_left(sprintf("%s.tools.verifier.%s", [holder.path, kind]), ".")
]

_webhook(id) := {"path": own.path, "settings": object.union(object.remove(merged, ["headers"]), {
	"timeout": _time(
		object.get(parts[0].value, "timeout", null),
		[part.value.timeout | some part in parts],
		data.gavel.catalog.verifier.defaults.webhook.timeout,
	),
	"requireRequestIdEcho": _echo(parts),
	"maxWaiting": object.get(merged, "maxWaiting", data.gavel.catalog.verifier.defaults.webhook.maxWaiting),
	"headers": _headers(parts, merged),
})} if {
	parts := _verifier_sections("webhook", id)
	own := parts[count(parts) - 1]
	merged := object.union_n([part.value | some part in parts])
}

# The most general time limit, or the default if it is not a number. Others can only shorten it.
_time(general, others, fallback) := min({most} | {seconds | some seconds in others; is_number(seconds)}) if {
	most := [seconds | some seconds in [general, fallback]; is_number(seconds)][0]
}

_echo(parts) if {
	some part in parts
	object.get(part.value, "requireRequestIdEcho", false) != false
} else := false

# Headers may hold credentials, which are for the global URL only.
_headers(parts, merged) := object.get(merged, "headers", {}) if {
	every part in parts { object.get(part.value, "url", merged.url) == merged.url }
} else := {}

default _remember := 0

_remember := min({_seconds(section.value.remember) | some section in sections} | {3600}) if {
	is_number(config.section(["tools", "verifier", "remember"]))
}

_seconds(value) := value if {
	is_number(value)
} else := 0

# Telegram is on unless the global section switches it off; an agent can only set its token and
# a shorter time.
_bot(id) := {"path": own.path, "settings": object.union(object.remove(merged, ["enabled"]), {
	"timeout": _time(
		object.get(parts[0].value, "timeout", null),
		[part.value.timeout | some part in parts],
		data.gavel.catalog.verifier.defaults.telegram.timeout,
	),
	"chatId": sprintf("%v", [object.get(merged, "chatId", "")]),
	"maxWaiting": data.gavel.catalog.verifier.defaults.telegram.maxWaiting,
})} if {
	parts := _verifier_sections("telegram", id)
	own := parts[count(parts) - 1]
	merged := object.union_n([part.value | some part in parts])
	object.get(merged, "enabled", true) != false
}
