# METADATA
# title: Locations in a configuration
# description: The settings that gavel.check examines, each with its path.
package gavel.check.locations

import data.gavel.config

# METADATA
# scope: document
# description: every entry of every list of tool patterns, as {"path", "value"}
patterns contains {"path": sprintf("%s[%d]", [concat(".", steps), i]), "value": entry} if {
	some steps, list in tool_lists
	some i, entry in list
	is_string(entry)
}

patterns contains {"path": tool.path, "value": tool.value} if {
	some key in ["allow", "deny"]
	some tool in config.overriding_tools(key)
}

# METADATA
# scope: document
# description: every list of tool patterns, by the steps of its path
tool_lists[path] := list if {
	walk(object.union(sections, {}), [path, list])
	is_array(list)
	path[count(path) - 1] in {"allow", "alsoAllow", "deny"}
	not _not_for_tools(array.slice(path, count(path) - 3, count(path) - 1))
}

tool_lists[path] := list if {
	some name, list in config.section(["tools", "profiles"])
	path := ["tools", "profiles", name]
	is_array(list)
}

tool_lists[path] := list if {
	walk(object.union(sections, {}), [path, list])
	is_array(list)
	array.slice(path, count(path) - 3, count(path) - 1) == ["verifier", "scope"]
}

# Lists of files, of variables, of programs that take input and of tools with credentials.
_not_for_tools(section) if section in {["tools", "read"], ["tools", "write"], ["exec", "environment"], ["exec", "input"], ["tools", "credential"]}

# METADATA
# description: the sections of a configuration that have settings for tools
sections[key] := config.section([key]) if some key in ["tools", "agents", "channels"]

# METADATA
# scope: document
# description: every use of a profile name, as {"path", "value"}
profile_names contains {"path": concat(".", path), "value": value} if {
	walk(sections, [path, value])
	path[count(path) - 1] == "profile"
	is_string(value)
}

profile_names contains {"path": found.path, "value": found.value} if found := config.override("profile")

# METADATA
# description: every entry of an allowlist of programs, as {"path", "value"}
allowlist_entries contains {"path": sprintf("%s[%d]", [concat(".", path), i]), "value": _pattern(entry)} if {
	walk(sections, [path, list])
	path[count(path) - 1] == "allowlist"
	some i, entry in list
}

_pattern(entry) := entry if is_string(entry)

_pattern(entry) := entry.pattern if is_object(entry)

# METADATA
# description: every section with settings for commands, as {"path", "value"}
exec_sections contains {"path": concat(".", path), "value": value} if {
	walk(sections, [path, value])
	path[count(path) - 1] == "exec"
	is_object(value)
}

# METADATA
# description: every list of tools by sender, as {"path", "value"}
sender_lists contains {"path": concat(".", path), "value": value} if {
	walk(sections, [path, value])
	path[count(path) - 1] == "toolsBySender"
}

# METADATA
# scope: document
# description: every list of files that may be written, as {"path", "value"}
write_lists contains {"path": concat(".", path), "value": list} if {
	walk(sections, [path, list])
	array.slice(path, count(path) - 3, count(path)) == ["tools", "write", "allow"]
	is_array(list)
}

# METADATA
# scope: document
# description: every entry of the lists of senders who may elevate, as {"path", "value"}
elevators contains {"path": sprintf("%s[%d]", [concat(".", path), i]), "value": lower(trim_space(text))} if {
	walk(sections, [path, list])
	_lists_elevators(path)
	is_array(list)
	some i, text in list
	is_string(text)
}

_lists_elevators(path) if array.slice(path, count(path) - 2, count(path)) == ["elevated", "allowFrom"]

_lists_elevators(path) if array.slice(path, count(path) - 3, count(path) - 1) == ["elevated", "allowFrom"]

# METADATA
# scope: document
# description: every entry of the lists of senders who may use /exec or /approve, as {"path", "value", "may"}
commanders contains {"path": sprintf("%s%s[%d]", [name, below, i]), "value": lower(trim_space(text)), "may": may} if {
	some [name, keys, may] in [
		["commands.allowFrom", ["commands", "allowFrom"], "set how commands run in a session"],
		["approvals.exec.allowFrom", ["approvals", "exec", "allowFrom"], "answer questions"],
	]
	walk(config.section(keys), [path, list])
	is_array(list)
	below := concat("", [sprintf(".%s", [part]) | some part in path])
	some i, text in list
	is_string(text)
}

# METADATA
# scope: document
# description: every table of groups of a channel, as {"channel", "path", "value"}
group_lists contains {"channel": channel, "path": sprintf("channels.%s.groups", [channel]), "value": settings.groups} if {
	some channel, settings in config.section(["channels"])
}

group_lists contains {"channel": channel, "path": sprintf("channels.%s.accounts.%s.groups", [channel, account]), "value": value.groups} if {
	some channel, settings in config.section(["channels"])
	some account, value in settings.accounts
}

# METADATA
# description: the normalised name of a tool or group, for comparison
folded(name) := lower(trim_space(name))
