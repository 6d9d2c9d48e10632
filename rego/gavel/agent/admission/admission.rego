# METADATA
# title: Admission
# description: |
#   Whether the configuration is usable, the facts are complete, and the agent is configured
#   (R3, R4). These rules look only at the context, so they belong to the frozen part.
# schemas:
#   - input: schema.facts
package gavel.agent.admission

import data.gavel.agent.complete
import data.gavel.check
import data.gavel.config
import data.gavel.reason

# METADATA
# title: Configuration is invalid
# description: an invalid configuration permits nothing
# custom:
#   code: config.invalid
#   message: the configuration is invalid
#   fix: run gavel check and correct what it names
deny contains reason.from(rego.metadata.rule(), [], {}) if {
	not check.valid
}

# METADATA
# title: Facts are incomplete
# description: facts that the analyzer always provides are missing, so the call cannot be judged
# custom:
#   code: agent.incomplete_facts
#   message: 'the input lacks facts that every call needs: %s'
#   fix: send the facts exactly as the analyzer produces them
deny contains reason.from(rego.metadata.rule(), [concat(", ", sort(missing))], {}) if {
	missing := complete.missing
	count(missing) > 0
}

# METADATA
# title: Agent is unknown
# description: an agent that is not configured is denied, unless agents.defaults exists (R4)
# custom:
#   code: agent.unknown
#   message: agent %q is not configured
#   fix: add it under agents, or add agents.defaults to admit agents that are not listed
deny contains reason.from(rego.metadata.rule(), [id], {"path": "agents"}) if {
	some id in unknown
}

# METADATA
# title: Fact is required
# description: the call lacks a fact that tools.require demands for this agent (R43)
# custom:
#   code: agent.fact_required
#   message: 'the call does not state %s, which %s requires'
#   fix: have the gateway state it, or remove it from %s
deny contains reason.fixed(rego.metadata.rule(), [fact, demand.path], [demand.path], {"path": demand.path, "from": demand.from}) if {
	some demand in _demands
	some fact in demand.value
	_required_of_every_call(fact)
	not input.stated[fact] == true
}

# Only a call of the tool process has a session to state; gavel.exec.process judges that.
_required_of_every_call(fact) if not _of_process(fact)

_of_process("process")

# The demands of the global list and of the agent's own list, combined.
_demands contains {"path": "tools.require", "from": "global", "value": config.section(["tools"]).require}

_demands contains {"path": sprintf("%s.tools.require", [scope.path]), "from": scope.from, "value": scope.value.tools.require} if {
	some scope in config.scopes(object.get(input, ["agent", "id"], ""))
}

_required_fact_missing if {
	some demand in _demands
	some fact in demand.value
	_required_of_every_call(fact)
	not input.stated[fact] == true
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: the configuration is valid, the facts are complete, and the agent and its ancestors are known
permit if {
	check.valid
	count(complete.missing) == 0
	count(unknown) == 0
	not _required_fact_missing
}

# METADATA
# description: agents in the chain that the configuration does not admit
unknown contains id if {
	some id in _chain
	not config.known_agent(id)
}

_chain contains object.get(input, ["agent", "id"], "")

_chain contains parent.id if some parent in input.agent.parents
