package gavel.testing

import data.gavel.exec
import data.gavel.tools.effective

# METADATA
# description: the strictest verdict of the exec layer, and the codes of its objections
verdict(facts, settings) := {"says": _says(deny, ask, permit), "codes": codes(deny | ask)} if {
	deny := exec.deny with input as facts with data.config as settings with data.gavel.check.problems as set()
	ask := exec.ask with input as facts with data.config as settings with data.gavel.check.problems as set()
	permit := exec.permit with input as facts with data.config as settings with data.gavel.check.problems as set()
}

_says(deny, ask, permit) := "deny" if {
	count(deny) > 0
} else := "ask" if {
	count(ask) > 0
} else := "permit" if {
	permit
} else := "nothing"

# METADATA
# description: a configuration with these settings for commands
execs(settings) := {"tools": {"exec": settings}}

# METADATA
# description: a configuration with an allowlist of two programs, and these changes
listing(changes) := execs(object.union(
	{"host": "gateway", "security": "allowlist", "ask": "on-miss", "allowlist": ["/usr/bin/rg", "/usr/bin/head"]},
	changes,
))

# METADATA
# description: whether a tool is visible, or else how it was removed, as [kind, step, path, from]
fate(facts, settings, name) := "visible" if {
	found := effective.result with input as facts with data.config as settings
	found.visible[name]
} else := [why.kind, why.step, why.path, why.from] if {
	found := effective.result with input as facts with data.config as settings
	why := found.removed[name]
} else := "nowhere"

# METADATA
# description: the tools that are visible
visible(facts, settings) := object.keys(found) if {
	found := effective.result.visible with input as facts with data.config as settings
}
