# METADATA
# title: Approvals file
# description: |
#   The approvals file's settings for this agent's commands (APPROVALS-5). The file can only
#   tighten the configuration (R13); its entries extend the allowlist.
# schemas:
#   - input: schema.facts
package gavel.exec.file

# METADATA
# description: |
#   the setting from the first of the file's sections that has it, as {"value", "path",
#   "from"}; the order is the agent, then *, then defaults. The value is "" where none has it.
setting(key) := found[0] if {
	found := [{"value": section[key], "path": sprintf("%s.%s", [section.path, key]), "from": "global"} |
		some section in input.approvalsFile.settings
		not section[key] == ""
	]
	count(found) > 0
} else := {"value": "", "path": "", "from": "default"}

# METADATA
# description: no section of the file has a setting
without_settings if input.approvalsFile.settings == []
