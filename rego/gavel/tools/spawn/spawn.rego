# METADATA
# title: Spawning
# description: |
#   Which agents an agent may start (subagents.allowAgents): itself again unless requireAgentId is
#   set, and the agents that its list names. Its ancestors must be permitted to start them too
#   (R10), so a chain of agents reaches no agent that its first one may not.
# schemas:
#   - input: schema.facts
package gavel.tools.spawn

import data.gavel.config
import data.gavel.reason
import data.gavel.tools.subjects

# METADATA
# title: Agent may not be spawned
# description: the agent's list, or one of its ancestors', does not name the agent that it wants to start
# custom:
#   code: tools.spawn_not_allowed
#   message: agent %q may not spawn %s
#   fix: '%s'
#   advises: 'add the agent to allowAgents of the one that starts it, configure it under agents, or name one agent clearly'
deny contains reason.fixed(
	rego.metadata.rule(),
	[subject.id, _target_shown],
	[_fix(setting)],
	{"path": setting.path, "from": setting.from},
) if {
	_spawning
	some subject in _chain
	not _may_start(subject)
	setting := _list(subject)
}

# METADATA
# title: Spawned agent is not named
# description: requireAgentId refuses a call that does not say which agent it starts
# custom:
#   code: tools.spawn_unnamed
#   message: the call does not say which agent it spawns
#   fix: name the agent in the parameter agentId, or set %s to false
deny contains reason.fixed(rego.metadata.rule(), [], [setting.path], {"path": setting.path, "from": setting.from}) if {
	_spawning
	not _named
	setting := config.agent_setting(subjects.self.id, ["subagents", "requireAgentId"])
	not setting.value == false
	not data.gavel.catalog.spawning[input.tool.name] == false
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: the tool starts no agents, or every agent of the chain may start the one that the call names
permit if _starts_nothing

permit if {
	_spawning
	every subject in _chain { _may_start(subject) }
	count(deny) == 0
}

# A call without a tool name may start any agent; another rule denies it.
_starts_nothing if {
	is_string(input.tool.name)
	not _spawning
}

_spawning if input.tool.name in _spawners

_spawners := object.keys(data.gavel.catalog.spawning)

_chain := array.concat([subjects.self], subjects.parents)

# If the call names no agent, the agent starts itself again. A missing fact names no agent ("?").
default _target := "?"

_target := input.tool.spawns if {
	_named
} else := subjects.self.id if {
	input.tool.spawns == ""
}

_named if not input.tool.spawns == ""

_target_shown := "an agent that the call does not name clearly" if {
	_target == "?"
} else := sprintf("agent %q", [_target])

_fix(setting) := "name one agent, as text, in the parameter agentId" if {
	_target == "?"
} else := sprintf("add it to %s; the agent must be configured, and \"*\" stands for every configured agent", [setting.path]) if {
	config.known_agent(_target)
} else := sprintf("configure it under agents, and add it to %s", [setting.path])

_may_start(subject) if {
	config.known_agent(_target)
	_target in ({lower(trim_space(name)) | some name in _list(subject).value} | {subject.id})
}

_may_start(subject) if {
	config.known_agent(_target)
	"*" in _list(subject).value
}

_list(subject) := found if {
	found := config.agent_setting(subject.id, ["subagents", "allowAgents"])
} else := {"value": [], "path": sprintf("agents.%s.subagents.allowAgents", [subject.id]), "from": "default"}
