# METADATA
# title: Configuration
# description: |
#   The only reader of data.config. It imports nothing and judges nothing: gavel.check finds
#   what is wrong with a configuration, and an invalid configuration permits nothing. Readers
#   return a value together with its configuration path.
package gavel.config

# METADATA
# description: a top-level section of the configuration, or {}
section(keys) := object.get(_config, keys, {})

# METADATA
# scope: document
# description: the agent is configured, or agents.defaults admits agents that are not
known_agent(id) if _is_agent(id)

known_agent(id) if {
	is_object(_config.agents.defaults)
	regex.match(`^[a-z0-9][a-z0-9_-]{0,63}$`, id)
	not id in _reserved
}

# METADATA
# description: the ids of the configured agents
agents contains id if {
	some id, _ in _config.agents
	_is_agent(id)
}

# METADATA
# description: |
#   the sections with an agent's settings, most specific first: its own entry, then
#   agents.defaults. Each is {"path": …, "from": agent | global, "value": section}.
scopes(id) := array.concat(_own_section(id), _defaults)

_own_section(id) := [{"path": sprintf("agents.%s", [id]), "from": "agent", "value": _config.agents[id]}] if {
	_is_agent(id)
} else := []

default _defaults := []

_defaults := [{"path": "agents.defaults", "from": "global", "value": _config.agents.defaults}] if {
	is_object(_config.agents.defaults)
}

# METADATA
# description: |
#   every tools section that applies to an agent, the global one first, as {"path", "tools"}
tool_scopes(id) := array.concat(
	[{"path": "tools", "tools": section(["tools"])}],
	[{"path": sprintf("%s.tools", [scope.path]), "tools": object.get(scope.value, "tools", {})} | some scope in scopes(id)],
)

# METADATA
# description: |
#   the setting from the first of the agent's sections that has it, as {"value", "path",
#   "from"}. Undefined when none has it.
agent_setting(id, keys) := found[0] if {
	found := [{"value": value, "path": concat(".", array.concat([scope.path], keys)), "from": scope.from} |
		some scope in scopes(id)
		value := object.get(scope.value, keys, null)
		value != null
	]
	count(found) > 0
}

# METADATA
# description: |
#   the agent's setting, or else the global one, as {"value", "path", "from"}; undefined when
#   neither exists. The keys are relative to agents.<id> and to the root.
setting(id, agent_keys, global_keys) := found if {
	found := agent_setting(id, agent_keys)
} else := {"value": value, "path": concat(".", global_keys), "from": "global"} if {
	value := object.get(_config, global_keys, null)
	value != null
}

# METADATA
# description: |
#   the sections with an agent's exec settings, most specific first: its own, agents.defaults,
#   then tools.exec. Each is {"path", "from", "value": section}.
exec_scopes(id) := array.concat(_agent_exec(id), _global_exec)

_agent_exec(id) := [{"path": sprintf("%s.exec", [scope.path]), "from": scope.from, "value": scope.value.exec} |
	some scope in scopes(id)
	is_object(scope.value.exec)
]

default _global_exec := []

_global_exec := [{"path": "tools.exec", "from": "global", "value": _config.tools.exec}] if is_object(_config.tools.exec)

# METADATA
# description: |
#   the value that a flag or an environment variable of gavel sets in place of the configuration,
#   as {"value", "path", "from"}; the path is the flag or the variable. It takes precedence: the
#   person who starts Gavel chooses the configuration, too. Undefined if there is none.
override(key) := object.union(data.gavel.overrides[key], {"from": "global"})

# METADATA
# description: the tools that --allow-tool (allow) or --deny-tool (deny) name, in the same form
overriding_tools(key) := [object.union(tool, {"from": "global"}) | some tool in data.gavel.overrides[key]]

# METADATA
# description: an exec setting of an agent, from its own section or from tools.exec
exec_setting(id, key) := setting(id, ["exec", key], ["tools", "exec", key])

# METADATA
# description: |
#   the entry of a byProvider section that matches the model, the longer name first, as
#   {"key", "value"}; undefined when none matches
provider_entry(entries, provider, model) := found[0] if {
	provider != ""
	found := [{"key": key, "value": entries[key]} | some key in provider_keys(provider, model); entries[key]]
	count(found) > 0
}

# METADATA
# scope: document
# description: the names under which byProvider may list a model, most specific first
provider_keys(provider, "") := [provider]

provider_keys(provider, model) := [sprintf("%s/%s", [provider, model]), model, provider] if contains(model, "/")

provider_keys(provider, model) := [sprintf("%s/%s", [provider, model]), provider] if {
	model != ""
	not contains(model, "/")
}

# Keys under agents that are not agent ids.
_reserved := {"defaults", "entries", "list"}

_is_agent(id) if {
	is_object(_config.agents[id])
	not id in _reserved
}

default _config := {}

_config := data.config if is_object(data.config)
