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

# METADATA
# description: every name that a step can keep or remove
universe := (catalog.core_tools | plugin_tools) | _called

default _called := set()

_called := {input.tool.name} if {
	is_string(input.tool.name)
	input.tool.name != ""
}

# METADATA
# description: the tools of every loaded plugin; a plugin tool with a core tool's name is that core tool
plugin_tools := {tool | some tools in input.plugins; some tool in tools} - catalog.core_tools

# METADATA
# description: the normalised spelling of a name or pattern
normal(name) := object.get(catalog.aliases, folded, folded) if folded := lower(trim_space(name))

# METADATA
# description: the known tools that a list of patterns, groups and plugin ids selects
selected(entries) := (exact & universe) | globbed if {
	patterns := {pattern | some entry in entries; some pattern in expanded(normal(entry))}
	exact := {pattern | some pattern in patterns; not contains(pattern, "*")}
	globbed := {name | some pattern in (patterns - exact); some name in universe; _globbed(pattern, name)}
}

# METADATA
# description: the tools that one normalised entry stands for; an undefined group stands for itself
expanded(entry) := {entry} if {
	entry in catalog.core_tools
} else := catalog.groups[entry] if {
	catalog.groups[entry]
} else := plugin_tools if {
	entry == "group:plugins"
} else := ({tool | some tool in input.plugins[entry]} - catalog.core_tools) | {entry} if {
	input.plugins[entry]
} else := {entry}

_globbed("*", _)

_globbed(pattern, name) if {
	pattern != "*"
	glob.match(regex.replace(pattern, `[\[\]{}?\\!]`, `\$0`), null, name)
}

# METADATA
# description: |
#   the kind of an entry, for R6: it matches a core tool, only a plugin tool, or nothing
entry_kind(entry) := "core" if {
	count(_answering(entry) & catalog.core_tools) > 0
} else := "core" if {
	entry == "*"
} else := "plugin" if {
	count(_answering(entry) & plugin_tools) > 0
} else := "unknown"

_answering(entry) := {name |
	some pattern in expanded(entry)
	some name in (catalog.core_tools | plugin_tools)
	answers(pattern, name)
}

# METADATA
# scope: document
# description: the name is the expanded entry, or fits it if it is a pattern
answers(pattern, name) if pattern == name

answers(pattern, name) if {
	contains(pattern, "*")
	_globbed(pattern, name)
}
