# METADATA
# title: Agent
# description: |
#   Before any other layer: may anything be decided for this agent? Most of it depends on
#   the context only and is part of the frozen part. Who speaks for the agent, and
#   whether it is paused, is judged again for each call.
# schemas:
#   - input: schema.facts
package gavel.agent

import data.gavel.agent.caller
import data.gavel.frozen

# METADATA
# description: the configuration, the facts or the agent itself are not admitted
deny contains r if some r in frozen.result.agent.deny

# METADATA
# description: nobody speaks for the agent, or it is paused
deny contains r if some r in caller.refused

# METADATA
# description: nothing permits unless a rule below says so
default permit := false

# METADATA
# description: the agent is admitted, and whoever calls speaks for it
permit if {
	frozen.result.agent.permit == true
	count(caller.refused) == 0
}
