# METADATA
# title: No command
# description: |
#   Whether a call has nothing to do with commands. Only an observed tool name other than exec
#   makes the rules for commands unnecessary. A line that the tool process types into a shell
#   is a command.
# schemas:
#   - input: schema.facts
package gavel.exec.commands

# METADATA
# scope: document
# description: the call runs no command
absent if {
	is_string(input.tool.name)
	not input.tool.name in {"exec", "process"}
}

absent if {
	process
	not input.exec
}

# METADATA
# description: the call is for the tool process
process if input.tool.name == "process"
