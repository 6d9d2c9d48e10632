# METADATA
# title: No command
# description: |
#   Whether a call has nothing to do with commands. Only an observed tool name other than exec
#   makes the rules for commands unnecessary.
# schemas:
#   - input: schema.facts
package gavel.exec.commands

# METADATA
# description: the call is for a tool other than exec
absent if {
	is_string(input.tool.name)
	input.tool.name != "exec"
}
