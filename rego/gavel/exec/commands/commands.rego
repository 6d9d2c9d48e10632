# METADATA
# title: No command
# description: |
#   Whether a call has nothing to do with commands. Only a name that was observed, and is
#   another than exec, makes what is judged of commands unnecessary.
# schemas:
#   - input: schema.facts
package gavel.exec.commands

# METADATA
# description: the call is of another tool than exec
absent if {
	is_string(input.tool.name)
	input.tool.name != "exec"
}
