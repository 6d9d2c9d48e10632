# METADATA
# title: A session and its input
# description: |
#   What is known about the session that a call of process names, and about what it sends there:
#   whose session it is, what reads the input, and whether the policy leaves it free.
# schemas:
#   - input: schema.facts
package gavel.exec.process.session

import data.gavel.exec.modes
import data.gavel.frozen
import data.gavel.resources.patterns

# METADATA
# description: |
#   the actions of the tool process, each with its kind: list, look, change or input
actions := data.gavel.catalog.process.actions

# METADATA
# scope: document
# description: the action of the call
default action := ""

action := input.process.action

# METADATA
# description: the call passes nothing, so the tool does nothing
empty_call if input.tool.parameters == []

# METADATA
# description: the call names a session
named if {
	is_string(input.process.session)
	input.process.session != ""
}

# METADATA
# description: the gateway states the session, and it is the agent's own
stated if {
	input.process.stated == true
	own
}

# METADATA
# scope: document
# description: the policy requires that sessions are stated
default must_be_stated := true

must_be_stated := frozen.result.exec.requires_stated_sessions

# METADATA
# description: the agent began the session itself
own if {
	input.process.agent == input.agent.id
	input.agent.id != ""
}

# METADATA
# scope: document
# description: the call may send something; whatever is not known to send nothing may
sends if {
	not empty_call
	not input.process.input == "none"
}

sends if actions[action] == "input"

# METADATA
# description: the gateway states the session, its program and its host, and the host is the one on which exec would run
known if {
	stated
	startswith(input.process.program, "/")
	input.process.host in {"sandbox", "gateway", "node"}
	input.process.host == modes.host
	_on_its_node
}

_on_its_node if input.process.host in {"sandbox", "gateway"}

_on_its_node if {
	input.process.host == "node"
	input.process.node != ""
	input.process.node == lower(modes.node)
}

# METADATA
# description: the program is certainly not a shell
not_a_shell if input.process.shell == ""

# METADATA
# description: the input is one line for a shell that waits for one; the analyzer reads only such a line as a command
shell_command if {
	known
	input.process.waiting == true
	input.process.input == "line"
	is_object(input.exec)
}

# METADATA
# scope: document
# description: the input needs no answer
needs_no_answer if takes_any_input

needs_no_answer if harmless

# METADATA
# description: the input is keys that do no harm in any program
harmless if {
	stated
	input.process.input == "keys"
	count(input.process.keys) > 0
	every key in input.process.keys { lower(key) in data.gavel.catalog.process.harmless_keys }
}

# METADATA
# scope: document
# description: |
#   the policy lists the program, or in full mode lets any program run with any input; code for an
#   interpreter is always asked about where inline code is (R25)
takes_any_input if {
	known
	not_a_shell
	frozen.result.exec.strict_inline_eval.value == false
	modes.security in {"allowlist", "full"}
	modes.ask_mode in {"off", "on-miss"}
	some pattern in frozen.result.exec.input.value
	patterns.matches(pattern, input.process.program, input.environment.home)
}

takes_any_input if {
	known
	not_a_shell
	frozen.result.exec.strict_inline_eval.value == false
	modes.security == "full"
	_full_mode_never_asks
}

_full_mode_never_asks if modes.ask_mode == "off"

_full_mode_never_asks if {
	modes.ask_mode == "on-miss"
	frozen.result.exec.full_on_miss.value == "never"
}
