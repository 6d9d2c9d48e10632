# METADATA
# title: Agent
# description: |
#   The first layer: can anything be decided for this agent? Most of it depends only on the
#   context and belongs to the frozen part. Whether the caller may speak for the agent, and
#   whether the agent is paused, is checked for each call.
# schemas:
#   - input: schema.facts
package gavel.agent

import data.gavel.agent.caller
import data.gavel.frozen

# METADATA
# description: the configuration, the facts or the agent are not admitted
deny contains r if some r in frozen.result.agent.deny

# METADATA
# description: the caller does not speak for the agent, or the agent is paused
deny contains r if some r in caller.refused

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: the agent is admitted, and the caller speaks for it
permit if {
	frozen.result.agent.permit == true
	count(caller.refused) == 0
}
