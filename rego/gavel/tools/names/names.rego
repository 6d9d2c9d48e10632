# METADATA
# title: Names of tools
# description: |
#   Names and patterns of tools (TOOLS-1): aliases, groups, plugin groups, and
#   case-insensitive patterns in which * matches any run of characters and everything else is
#   literal.
# schemas:
#   - input: schema.facts
package gavel.tools.names

import data.gavel.catalog
import data.gavel.catalog.edition

# METADATA
# description: every name that a step can keep or remove
universe := (edition.core_tools | plugin_tools) | _called_tool

default _called_tool := set()

_called_tool := {input.tool.name} if {
	is_string(input.tool.name)
	input.tool.name != ""
}

# METADATA
# description: every name that Gavel knows a tool by, of any edition and of hosts, with the name that it stands for
known[name] := normal(name) if some name in (((edition.core_tools | edition.newer) | object.keys(catalog.aliases)) | {name | some name in catalog.host_tools})

# METADATA
# description: the tools of every loaded plugin; a plugin tool with a core tool's name is that core tool
plugin_tools := {tool | some tools in input.plugins; some tool in tools} - edition.core_tools

# METADATA
# description: |
#   the normalised spelling of a name or pattern. A tool of an MCP server has one name,
#   mcp:<server>/<tool>, in which characters other than letters and digits are underscores;
#   the analyzer does the same to the tool of a call.
normal(name) := _spelling(lower(trim_space(name)))

_spelling(folded) := _server_tool(trim_prefix(folded, "mcp:"), "/") if {
	startswith(folded, "mcp:")
} else := _server_tool(trim_prefix(folded, "mcp__"), "__") if {
	startswith(folded, "mcp__")
} else := object.get(catalog.aliases, folded, folded)

_server_tool(text, separator) := sprintf("mcp:%s/%s", [_mcp_spelling(substring(text, 0, at)), _mcp_spelling(substring(text, at + count(separator), -1))]) if {
	at := indexof(text, separator)
	at >= 0
} else := sprintf("mcp:%s", [_mcp_spelling(text)])

_mcp_spelling(text) := regex.replace(text, `[^a-z0-9*]`, "_")

# METADATA
# description: the known tools that a list of patterns, groups and plugin ids selects
selected(entries) := (exact & universe) | globbed if {
	patterns := {pattern | some entry in entries; some pattern in expanded(normal(entry))}
	exact := {pattern | some pattern in patterns; not contains(pattern, "*")}
	globbed := {name | some pattern in (patterns - exact); some name in universe; _glob_matches(pattern, name)}
}

# METADATA
# description: |
#   the same for the entries of a deny list. There a group means newer tools too that the
#   catalog in force does not have.
denied(entries) := selected(entries) | {tool |
	some entry in entries
	some tool in edition.denied_groups[normal(entry)]
	tool in universe
}

# METADATA
# description: the tools that one normalised entry stands for; an undefined group stands for itself
expanded(entry) := {entry} if {
	entry in edition.core_tools
} else := edition.groups[entry] if {
	edition.groups[entry]
} else := plugin_tools if {
	entry == "group:plugins"
} else := {"mcp:*"} if {
	entry == "group:mcp"
} else := ({tool | some tool in input.plugins[entry]} - edition.core_tools) | {entry} if {
	input.plugins[entry]
} else := {entry}

_glob_matches("*", _)

_glob_matches(pattern, name) if {
	pattern != "*"
	_glob_fits(pattern, name)
}

# A pattern such as *__delete_* still means the tools of MCP servers as hosts write them.
_glob_matches(pattern, name) if {
	startswith(name, "mcp:")
	contains(pattern, "__")
	_glob_fits(pattern, concat("__", ["mcp", replace(trim_prefix(name, "mcp:"), "/", "__")]))
}

_glob_fits(pattern, name) if glob.match(regex.replace(pattern, `[\[\]{}?\\!]`, `\$0`), null, name)

# METADATA
# scope: document
# description: the normalised entry names tools of MCP servers only
is_mcp("group:mcp")

is_mcp(entry) if startswith(entry, "mcp:")

# METADATA
# description: |
#   the kind of an entry, for R6: it names tools of MCP servers, matches a core tool, only a
#   plugin tool, or nothing
entry_kind(entry) := "mcp" if {
	is_mcp(entry)
} else := "core" if {
	count(_matching_tools(entry) & edition.core_tools) > 0
} else := "core" if {
	entry == "*"
} else := "plugin" if {
	count(_matching_tools(entry) & plugin_tools) > 0
} else := "unknown"

_matching_tools(entry) := {name |
	some pattern in expanded(entry)
	some name in (edition.core_tools | plugin_tools)
	matches(pattern, name)
}

# METADATA
# scope: document
# description: the name is the expanded entry, or fits it if it is a pattern
matches(pattern, name) if pattern == name

matches(pattern, name) if {
	contains(pattern, "*")
	_glob_matches(pattern, name)
}
