package gavel.catalog.edition_test

import data.gavel.catalog
import data.gavel.catalog.edition
import data.gavel.testing

_newest := "openclaw-2026.9"

_under(value) := {"tools": {"catalog": value}}

# The editions, by name, and a configuration without the setting.
_settings := {"no setting": {}, "documents": _under("documents"), _newest: _under(_newest)}

test_core_tools_of_each_edition[name] if {
	some name, newer in {"no setting": set(), "documents": set(), _newest: edition.newer}
	tools := edition.core_tools with data.config as _settings[name]
	tools & edition.newer == newer
	{"read", "exec", "pdf", "whatsapp_login"} - tools == set()
	not "bash" in tools
}

test_newer_names_are_known_in_every_edition[name] if {
	some name, config in _settings
	newer := edition.newer with data.config as config
	count(newer) == 28
	{"terminal", "conversations_send", "plugins", "ls"} - newer == set()
	not "cron" in newer
}

# R11, and the same for the tools of newer catalogs.
test_owner_only_tools_hold_in_every_edition[name] if {
	some name, config in _settings
	tools := edition.owner_only with data.config as config
	{"whatsapp_login", "cron", "gateway", "nodes", "plugins", "secrets", "terminal", "computer"} - tools == set()
}

test_every_tool_is_in_its_group[tool] if {
	some tool, group in catalog.tools
	tool in edition.groups[group]
}

test_every_tool_of_an_edition_is_in_its_group[tool] if {
	some tool, group in catalog.editions[_newest].tools
	groups := edition.groups with data.config as _under(_newest)
	tool in groups[group]
}

# TOOLS-2: every tool that the documentation lists, but for those of group:fs, exec and process.
test_the_combined_group_is_the_documented_one if {
	edition.groups["group:openclaw"] == object.keys(catalog.tools) - {"read", "write", "edit", "apply_patch", "exec", "process"}
}

test_the_combined_group_of_an_edition if {
	groups := edition.groups with data.config as _under(_newest)
	outside := {"read", "ls", "write", "edit", "apply_patch", "exec", "process", "canvas"}
	groups["group:openclaw"] == object.keys(object.union(catalog.tools, catalog.editions[_newest].tools)) - outside
}

test_groups_of_the_documents_have_no_newer_tools[group] if {
	some group, tools in edition.groups
	tools & edition.newer == set()
}

test_every_member_of_a_profile_is_a_tool[name] if {
	some name, config in _settings
	profiles := edition.profiles with data.config as config
	tools := edition.core_tools with data.config as config
	every members in profiles {
		{tool | some tool in members} - tools == set()
	}
}

test_profiles_of_an_edition_run_no_code_unseen[profile] if {
	some profile, members in catalog.editions[_newest].profiles
	{tool | some tool in members} & {"code_execution", "terminal"} == set()
}

test_full_is_everything_else_of_an_edition if {
	table := catalog.editions[_newest]
	{tool | some tool in table.profiles.full} == object.keys(table.tools) - {"code_execution", "terminal"}
}

test_every_table_of_an_edition_names_its_tools[list] if {
	table := catalog.editions[_newest]
	some list, members in {
		"owner_only": table.owner_only,
		"sandbox.allow": table.sandbox.allow,
		"sandbox.deny": table.sandbox.deny,
		"deny_always": table.subagents.deny_always,
		"deny_leaf": table.subagents.deny_leaf,
	}
	{tool | some tool in members} - (object.keys(table.tools) | {"whatsapp_login"}) == set()
}

test_the_schema_offers_every_edition if {
	schema := object.get(data.gavel.config.schema, ["definitions", "tools", "properties", "catalog"], {})
	{value | some value in schema.enum} == edition.known
	schema.default == edition.name
}

_seen(facts, settings) if {
	testing.fate(facts, {"tools": settings}, facts.tool.name) == "visible"
} else := false

_owner := {"sender": {"owner": true}}

# What the documents' catalog permits of newer tools, a newer catalog permits too.
test_the_documents_place_newer_tools_as_strictly[name] if {
	samples := {
		"a main agent": {},
		"a subagent": {"agent": {"depth": 1, "maxDepth": 3}},
		"in a sandbox": {"agent": {"sandboxed": true}},
		"the owner": _owner,
	}
	lists := {
		"no list": {},
		"everything": {"alsoAllow": ["*"]},
		"by name": {"alsoAllow": sort(edition.newer)},
		"a group": {"alsoAllow": ["group:sessions", "group:ui", "group:automation"]},
		"a denied group": {"alsoAllow": sort(edition.newer), "deny": ["group:sessions", "group:ui", "canvas"]},
	}
	some sample, changes in samples
	some list, tools in lists
	some tool in ["agents_wait", "computer", "conversations_send", "show_widget"]
	name := sprintf("%s, %s, %s", [sample, list, tool])
	facts := object.union(testing.tool(tool), changes)
	permitted := {value | some value in edition.known; _seen(facts, object.union(tools, {"catalog": value}))}
	permitted != {"documents"}
}

test_newer_tools_under_the_documents[name] if {
	some name, c in {
		"a profile has none": {"tool": "conversations_list", "tools": {}, "facts": _owner, "want": false},
		"a group that is allowed means none": {"tool": "agents_wait", "tools": {"alsoAllow": ["group:sessions"]}, "facts": {}, "want": false},
		"a name allows one": {"tool": "agents_wait", "tools": {"alsoAllow": ["agents_wait"]}, "facts": {}, "want": true},
		"a pattern allows none for others than the owner": {"tool": "agents_wait", "tools": {"alsoAllow": ["*"]}, "facts": {}, "want": false},
		"a pattern allows one for the owner": {"tool": "agents_wait", "tools": {"alsoAllow": ["*"]}, "facts": _owner, "want": true},
		"a group that is denied means them": {
			"tool": "agents_wait",
			"tools": {"alsoAllow": ["agents_wait"], "deny": ["group:sessions"]},
			"facts": {},
			"want": false,
		},
		"control of the gateway is for the owner": {"tool": "plugins", "tools": {"alsoAllow": ["plugins"]}, "facts": {}, "want": false},
		"who denies canvas denies widgets": {
			"tool": "show_widget",
			"tools": {"alsoAllow": ["show_widget"], "deny": ["canvas"]},
			"facts": {},
			"want": false,
		},
		"who denies exec denies terminals": {
			"tool": "terminal",
			"tools": {"alsoAllow": ["terminal"], "deny": ["exec"]},
			"facts": _owner,
			"want": false,
		},
	}
	facts := object.union(testing.tool(c.tool), c.facts)
	_seen(facts, c.tools) == c.want
}

test_an_edition_changes_the_pipeline[name] if {
	some name, c in {
		"coding has newer tools": {"tool": "agents_wait", "config": {"profile": "coding"}, "facts": {}, "want": true},
		"and no tools that run code unseen": {"tool": "terminal", "config": {"profile": "coding"}, "facts": _owner, "want": false},
		"a section adds nothing to a profile": {"tool": "exec", "config": {"profile": "minimal", "exec": {}}, "facts": {}, "want": false},
		"subagents lose message": {"tool": "message", "config": {}, "facts": {"agent": {"depth": 1, "maxDepth": 3}}, "want": false},
		"and keep the memory": {"tool": "memory_get", "config": {}, "facts": {"agent": {"depth": 1, "maxDepth": 3}}, "want": true},
		"the greatest depth is 5": {"tool": "sessions_spawn", "config": {}, "facts": {"agent": {"depth": 4}}, "want": true},
		"a leaf spawns nothing": {"tool": "sessions_spawn", "config": {}, "facts": {"agent": {"depth": 5}}, "want": false},
		"a sandbox shows directories": {"tool": "ls", "config": {}, "facts": {"agent": {"sandboxed": true}}, "want": true},
		"and controls no computers": {"tool": "computer", "config": {}, "facts": object.union(_owner, {"agent": {"sandboxed": true}}), "want": false},
	}
	facts := object.union(testing.tool(c.tool), c.facts)
	_seen(facts, object.union(c.config, {"catalog": _newest})) == c.want
}

test_no_name_restores_a_tool_of_subagents_in_a_newer_edition[name] if {
	some name, want in {"documents": true, _newest: false}
	config := {"tools": {"catalog": name}, "agents": {"main": {"tools": {"allow": ["session_status"]}}}}
	facts := object.union(testing.tool("session_status"), {"agent": {"depth": 1, "maxDepth": 3}})
	fate := testing.fate(facts, config, "session_status")
	visible := fate == "visible"
	visible == want
}
