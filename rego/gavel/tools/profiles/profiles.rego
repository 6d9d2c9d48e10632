# METADATA
# title: Tool profiles
# description: |
#   A profile is a named list of tools: one of the catalog's, or one that the configuration
#   defines under tools.profiles (R1, R2).
package gavel.tools.profiles

import data.gavel.catalog.edition
import data.gavel.config

# METADATA
# description: the profile of an agent, as {"value", "path", "from"}
of(subject) := config.override("profile") if {
	config.override("profile")
	_is_main(subject.id)
} else := found if {
	found := config.setting(subject.id, ["tools", "profile"], ["tools", "profile"])
} else := {"value": data.gavel.catalog.default_profile, "path": "tools.profile", "from": "default"}

# The main agent is main, or the configured default agent.
_is_main("main")

_is_main(id) if config.agent_setting(id, ["default"]).value == true

# METADATA
# description: the tools of a profile; none for an undefined name
tools(name) := list if {
	list := _defined(name)
} else := []

_defined(name) := list if {
	list := config.section(["tools", "profiles"])[name]
} else := edition.profiles[name]

# METADATA
# description: every profile that exists
known := object.keys(edition.profiles) | object.keys(config.section(["tools", "profiles"]))
