# METADATA
# title: Agent
# description: |
#   Before any layer: is the configuration usable, are the facts complete, and is the
#   agent one that the configuration knows (R3, R4)?
# schemas:
#   - input: schema.facts
package gavel.agent

import data.gavel.config
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Configuration is invalid
# description: a configuration with a problem permits nothing
# custom:
#   code: config.invalid
#   message: the configuration is invalid
#   fix: run gavel check and correct what it names
deny contains reason.from(rego.metadata.rule(), [], {}) if {
	not config.valid
}

# METADATA
# title: Facts are incomplete
# description: facts that the analyzer always gives are missing, so nothing can be told
# custom:
#   code: agent.incomplete_facts
#   message: 'the input lacks facts that every call has: %s'
#   fix: send the facts as the analyzer makes them
deny contains reason.from(rego.metadata.rule(), [concat(", ", sort(missing))], {}) if {
	missing := frozen.missing
	count(missing) > 0
}

# METADATA
# title: Agent is unknown
# description: an agent that is not configured is denied, unless agents.defaults exists (R4)
# custom:
#   code: agent.unknown
#   message: agent %q is not configured
#   fix: add it under agents, or add agents.defaults to admit agents that are not named
deny contains reason.from(rego.metadata.rule(), [id], {"path": "agents"}) if {
	some id in unknown
}

# METADATA
# description: nothing permits unless a rule below says so
default permit := false

# METADATA
# description: the agent and all its ancestors are known, by complete facts and a valid configuration
permit if {
	config.valid
	count(frozen.missing) == 0
	count(unknown) == 0
}

# METADATA
# description: agents of the chain that the configuration does not admit
unknown contains id if {
	some id in _chain
	not config.known_agent(id)
}

_chain contains object.get(input, ["agent", "id"], "")

_chain contains parent.id if some parent in input.agent.parents
