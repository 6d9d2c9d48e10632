# METADATA
# title: Exec settings
# description: |
#   What the configuration says about an agent's commands. It depends on the agent
#   only and is part of the frozen set; nothing here looks at the call.
package gavel.exec.settings

import data.gavel.config
import data.gavel.tools

# METADATA
# description: |
#   the agent's exec settings. security, ask, host and node are {"value", "path",
#   "from"}; a value that nobody configured is the default of the catalog, and
#   security has none here, since its default depends on the host (R12).
configured := {
	"security": _setting("security", ""),
	"ask": _setting("ask", data.gavel.catalog.exec.defaults.ask),
	"host": _setting("host", data.gavel.catalog.exec.defaults.host),
	"node": _setting("node", ""),
	"full_on_miss": _setting("fullAskOnMiss", "unseen"),
	"sandboxed": tools.self.sandboxed,
	"allowlist": _allowlist_path,
	"unasked_host": _unasked_host,
	"unasked_security": _unasked_security,
}

# Where commands run, and how they are gated, when neither session nor call asks
# for something else (R12, R30).
_unasked_host := host if {
	host := _setting("host", data.gavel.catalog.exec.defaults.host).value
	host in {"gateway", "node"}
} else := "sandbox" if {
	tools.self.sandboxed
} else := "gateway"

_unasked_security := mode if {
	mode := _setting("security", "").value
	mode != ""
} else := data.gavel.catalog.exec.defaults.security[_unasked_host]

_setting(key, fallback) := found if {
	found := config.exec_setting(tools.self.id, key)
} else := {"value": fallback, "path": sprintf("tools.exec.%s", [key]), "from": "default"}

# Where an entry for this agent belongs.
_allowlist_path := path if {
	path := config.agent_setting(tools.self.id, ["exec", "allowlist"]).path
} else := "tools.exec.allowlist"
