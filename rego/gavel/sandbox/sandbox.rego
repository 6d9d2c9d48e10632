# METADATA
# title: Sandbox settings
# description: |
#   The sandbox of an agent, by the configuration (SANDBOX-1): its backend, which calls share it,
#   and what it sees of the workspace. It depends on the agent only and belongs to the frozen
#   part. Gavel starts no sandbox; it says where a call must run.
# schemas:
#   - input: schema.facts
package gavel.sandbox

import data.gavel.config
import data.gavel.tools.subjects

# METADATA
# description: |
#   access, backend, scope and mode are {"value", "path", "from"}, with the value "" if nothing is
#   configured. confined: the agent runs in a sandbox, or may do so. disputed: the call says that
#   it runs in a sandbox, but the configuration runs this agent in none
configured := {
	"access": _setting("workspaceAccess"),
	"backend": _setting("backend"),
	"scope": _setting("scope"),
	"mode": _mode,
	"confined": confined,
	"disputed": disputed,
}

# METADATA
# scope: document
# description: the agent runs in a sandbox, or may do so
default confined := false

confined if subjects.in_sandbox(subjects.self)

# METADATA
# scope: document
# description: |
#   the call and the configuration contradict each other; the agent then has the tools of a
#   sandbox, and cannot leave it
default disputed := false

disputed if {
	subjects.self.sandboxed
	subjects.without_sandbox(subjects.self.id)
}

# If the agent has its own switch, that comes before the mode.
_mode := found if {
	found := config.agent_setting(subjects.self.id, ["sandbox", "enabled"])
	found.value == false
} else := _setting("mode")

_setting(key) := found if {
	found := config.setting(subjects.self.id, ["sandbox", key], ["sandboxing", key])
} else := {"value": "", "path": sprintf("sandboxing.%s", [key]), "from": "default"}
