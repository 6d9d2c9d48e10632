# METADATA
# title: Approvals file
# description: |
#   What the approvals file says about this agent's commands (APPROVALS-5). It can
#   only tighten what the configuration says (R13); its entries widen the allowlist.
# schemas:
#   - input: schema.facts
package gavel.exec.file

# METADATA
# description: |
#   the first of the file's sections that says something, the agent's before that of *
#   before the defaults, as {"value", "path", "from"}; "" where none does
setting(key) := found[0] if {
	found := [{"value": section[key], "path": sprintf("%s.%s", [section.path, key]), "from": "global"} |
		some section in input.approvalsFile.settings
		not section[key] == ""
	]
	count(found) > 0
} else := {"value": "", "path": "", "from": "default"}

# METADATA
# description: no section of the file says anything
silent if input.approvalsFile.settings == []
