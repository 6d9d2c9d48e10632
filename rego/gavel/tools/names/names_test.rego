package gavel.tools.names_test

import data.gavel.testing
import data.gavel.tools.names

_lobster := testing.call({
	"tool": {"name": "Own"},
	"plugins": {"lobster": ["lobster", "workflow_tool"], "read": ["plugin_read"]},
})

test_normal[name] if {
	some name, c in {
		"an alias is resolved": {"given": "bash", "want": "exec"},
		"case and spaces are dropped first": {"given": " BASH\t", "want": "exec"},
		"a hyphen in apply-patch is an underscore": {"given": "apply-patch", "want": "apply_patch"},
		"nothing else is rewritten": {"given": "web-search", "want": "web-search"},
		"a tool of an MCP server as hosts write it": {"given": "mcp__github__create_issue", "want": "mcp:github/create_issue"},
		"characters of a server that hosts replace": {"given": " MCP:Demo-Srv.example/Get-It ", "want": "mcp:demo_srv_example/get_it"},
		"a tool of an MCP server with more underscores": {"given": "mcp__a__b__c", "want": "mcp:a/b__c"},
		"a tool of an MCP server with another slash": {"given": "mcp:a/b/c", "want": "mcp:a/b_c"},
		"a pattern of MCP tools keeps its stars": {"given": "mcp__my-srv__get-*", "want": "mcp:my_srv/get_*"},
		"an MCP server without a tool": {"given": "mcp:github", "want": "mcp:github"},
		"every tool of every MCP server": {"given": "mcp__*", "want": "mcp:*"},
		"a name that only begins alike": {"given": "mcp-github", "want": "mcp-github"},
		"a blank name is empty": {"given": "  ", "want": ""},
	}
	names.normal(c.given) == c.want
}

test_universe_is_core_plugins_and_the_call if {
	universe := names.universe with input as _lobster
	{"read", "pdf", "workflow_tool", "plugin_read", "Own"} - universe == set()
}

test_universe_of_a_call_without_a_name[name] if {
	some name, facts in {
		"no name": json.remove(testing.facts, ["tool/name"]),
		"an empty name": testing.tool(""),
		"a name that is not a string": testing.call({"tool": {"name": 7}}),
	}
	universe := names.universe with input as facts
	universe == data.gavel.catalog.edition.core_tools
}

_selected(entries) := selected if {
	selected := names.selected(entries) with input as _lobster
}

test_selected[name] if {
	some name, c in {
		"an exact name": {"entries": ["read"], "want": {"read"}},
		"a name in another case": {"entries": [" READ "], "want": {"read"}},
		"an alias": {"entries": ["bash"], "want": {"exec"}},
		"a group": {"entries": ["group:memory"], "want": {"memory_search", "memory_get"}},
		"a group in another case": {"entries": ["GROUP:Memory"], "want": {"memory_search", "memory_get"}},
		"a plugin by its id": {"entries": ["lobster"], "want": {"lobster", "workflow_tool"}},
		"every plugin": {"entries": ["group:plugins"], "want": {"lobster", "workflow_tool", "plugin_read"}},
		"a core tool, although a plugin has its name": {"entries": ["read"], "want": {"read"}},
		"a pattern": {"entries": ["memory_*"], "want": {"memory_search", "memory_get"}},
		"a pattern over plugin tools": {"entries": ["*_tool"], "want": {"workflow_tool"}},
		"a star in the middle": {"entries": ["x*h"], "want": {"x_search"}},
		"a star matches nothing too": {"entries": ["exec*"], "want": {"exec"}},
		"two stars are the same as one": {"entries": ["**nvas"], "want": {"canvas"}},
		"a question mark is literal": {"entries": ["rea?"], "want": set()},
		"a class is literal": {"entries": ["[r]ead*"], "want": set()},
		"braces are literal": {"entries": ["{read,write}*"], "want": set()},
		"an exclamation mark is literal": {"entries": ["[!x]ead*"], "want": set()},
		"a backslash is literal": {"entries": [`\read*`], "want": set()},
		"a hyphen is not an underscore": {"entries": ["web-search"], "want": set()},
		"a group that nothing defines": {"entries": ["group:file"], "want": set()},
		"a blank": {"entries": ["", "  "], "want": set()},
		"nothing": {"entries": [], "want": set()},
	}
	_selected(c.entries) == c.want
}

test_star_selects_everything if {
	universe := names.universe with input as _lobster
	_selected(["*"]) == universe
}

test_selected_of_mcp[name] if {
	tool := "mcp:my_srv/get_it"
	some name, c in {
		"its name": {"entry": "mcp:my_srv/get_it", "want": {tool}},
		"its name as hosts write it": {"entry": "mcp__My-Srv__get_it", "want": {tool}},
		"every tool of its server": {"entry": "mcp:my-srv/*", "want": {tool}},
		"the same as hosts write it": {"entry": "mcp__my-srv__*", "want": {tool}},
		"the group of MCP tools": {"entry": "Group:MCP", "want": {tool}},
		"a verb of every server": {"entry": "mcp:*/get_*", "want": {tool}},
		"a verb behind two underscores": {"entry": "*__get_*", "want": {tool}},
		"another server": {"entry": "mcp:my/*", "want": set()},
		"a server whose name begins alike": {"entry": "mcp:my_sr/*", "want": set()},
		"another verb behind two underscores": {"entry": "*__put_*", "want": set()},
		"another tool": {"entry": "mcp:my_srv/get", "want": set()},
	}
	selected := names.selected([c.entry]) with input as testing.tool(tool)
	selected == c.want
}

test_a_tool_of_no_server_is_not_in_the_group if {
	selected := names.selected(["group:mcp"]) with input as testing.tool("mcp-github")
	selected == set()
}

test_group_plugins_without_plugins_selects_nothing if {
	selected := names.selected(["group:plugins"]) with input as testing.facts
	selected == set()
}

test_entry_kind[name] if {
	some name, c in {
		"a core tool": {"entry": "read", "want": "core"},
		"a group": {"entry": "group:fs", "want": "core"},
		"everything": {"entry": "*", "want": "core"},
		"a pattern that a core tool answers to": {"entry": "mem*", "want": "core"},
		"a plugin": {"entry": "lobster", "want": "plugin"},
		"a tool of a plugin": {"entry": "workflow_tool", "want": "plugin"},
		"a pattern that only a plugin answers to": {"entry": "workflow*", "want": "plugin"},
		"every plugin": {"entry": "group:plugins", "want": "plugin"},
		"a tool of an MCP server": {"entry": "mcp:github/get_issue", "want": "mcp"},
		"the group of MCP tools": {"entry": "group:mcp", "want": "mcp"},
		"a name that nothing answers to": {"entry": "lobsters", "want": "unknown"},
		"a pattern that nothing answers to": {"entry": "zzz*", "want": "unknown"},
	}
	kind := names.entry_kind(c.entry) with input as _lobster
	kind == c.want
}

test_entry_kind_of_a_plugin_that_is_not_loaded_is_unknown if {
	kind := names.entry_kind("lobster") with input as testing.facts
	kind == "unknown"
}

# The names of a plugin or its tools must not remove a name from a list.
test_plugins_shadow_nothing[name] if {
	some name, c in {
		"an id that is a pattern": {"plugins": {"*": ["x"]}, "entries": ["*"], "has": "read"},
		"an id that is some of a pattern": {"plugins": {"web_*": ["x"]}, "entries": ["web_*"], "has": "web_fetch"},
		"an id that is another plugin's tool": {"plugins": {"deploy": ["x"], "other": ["deploy"]}, "entries": ["deploy"], "has": "deploy"},
	}
	selected := names.selected(c.entries) with input as testing.call({"plugins": c.plugins})
	c.has in selected
}

test_plugins_add_no_core_tools[name] if {
	some name, entries in {"by the group of plugins": ["group:plugins"], "by the plugin's id": ["evil"]}
	selected := names.selected(entries) with input as testing.call({"plugins": {"evil": ["browser", "own"]}})
	selected & {"browser", "own"} == {"own"}
}
