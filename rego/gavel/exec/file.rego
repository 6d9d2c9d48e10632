# What the approvals file says about this agent's commands (document 000 §16). It can
# only tighten what the configuration says (R13); its entries widen the allowlist.
package gavel.exec

# METADATA
# description: |
#   the first of the file's sections that says something, the agent's before that of *
#   before the defaults, as {"value", "path", "from"}; "" where none does
file_setting(key) := found[0] if {
	found := [{"value": section[key], "path": sprintf("%s.%s", [section.path, key]), "from": "global"} |
		some section in input.approvalsFile.settings
		not section[key] == ""
	]
	count(found) > 0
} else := {"value": "", "path": "", "from": "default"}

_file_silent if input.approvalsFile.settings == []

# METADATA
# description: where the ask mode in force comes from
default ask_setting := {"value": "always", "path": "tools.exec.ask", "from": "default"}

ask_setting := configured.ask if {
	_file_silent
} else := configured.ask if {
	configured.ask.value == ask_mode
} else := found if {
	found := file_setting("ask")
	found.value == ask_mode
} else := configured.ask
