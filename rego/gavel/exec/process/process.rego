# METADATA
# title: Running programs
# description: |
#   The tool process: what an agent does with sessions that exec began (PROCESS-1, PROCESS-2,
#   PROCESS-3). A line for a shell at its prompt is judged as a command. Other input is a miss,
#   unless the policy lists the program. What the session is, the gateway states.
# schemas:
#   - input: schema.facts
package gavel.exec.process

import data.gavel.exec.modes
import data.gavel.exec.process.session
import data.gavel.exec.request
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Action is unknown
# description: process does not have this action
# custom:
#   code: exec.process_action
#   message: '%s'
#   fix: 'use one of %s'
#   says: process does not have the action of the call, or the call names none
deny contains reason.fixed(rego.metadata.rule(), [_action_problem], [concat(", ", sort(object.keys(session.actions)))], {}) if {
	not session.empty_call
	not session.actions[session.action]
}

# METADATA
# title: Parameter of process is unknown
# description: process does not have this parameter, or it has the wrong type
# custom:
#   code: exec.process_parameter
#   message: 'process cannot take the parameter %q: %s'
#   fix: '%s'
#   advises: 'pass a value of the right type, use the parameter of a similar name, or use only those that process has'
deny contains reason.fixed(rego.metadata.rule(), [misfit.name, _misfit_problem(misfit)], [_misfit_fix(misfit)], {}) if {
	some misfit in input.tool.misfits
}

# METADATA
# title: Action takes no input
# description: an action that only looks at sessions, or ends one, was given something to send
# custom:
#   code: exec.process_no_input
#   message: '%s sends nothing to a program, and was given input'
#   fix: leave the input out, or use write, paste, send-keys or submit
deny contains reason.from(rego.metadata.rule(), [session.action], {}) if {
	session.actions[session.action] in {"list", "look", "change"}
	not input.process.input == "none"
}

# METADATA
# title: Session is not named
# description: an action that concerns one session does not name it
# custom:
#   code: exec.process_session
#   message: '%s names no session'
#   fix: pass a sessionId; the action list shows the sessions of the agent
deny contains reason.from(rego.metadata.rule(), [session.action], {}) if {
	session.actions[session.action] in {"look", "change", "input"}
	not session.named
}

# METADATA
# title: Session belongs to another agent
# description: an agent sees and uses only sessions that it began itself (PROCESS-1)
# custom:
#   code: exec.process_agent
#   message: '%s: the session %q belongs to another agent'
#   fix: use a session of this agent; the action list shows them
deny contains reason.from(rego.metadata.rule(), [session.action, object.get(input, ["process", "session"], "?")], {}) if {
	input.process.stated == true
	not session.own
}

# METADATA
# title: Session must be stated
# description: tools.require has process, and the gateway does not state the session (PROCESS-1)
# custom:
#   code: exec.process_required
#   message: 'the call does not state the session that it names, and tools.require has process'
#   fix: have the gateway state environment.process with session and agent, or remove process from tools.require
deny contains reason.from(rego.metadata.rule(), [], {"path": "tools.require"}) if {
	session.actions[session.action] in {"look", "change", "input"}
	session.must_be_stated
	not session.stated
}

# METADATA
# title: Security is deny, also for input
# description: an agent that may run no command may type none
# custom:
#   code: exec.process_security
#   message: 'this agent may not send input to programs: security is deny'
#   fix: '%s'
#   advises: the same as for exec.security_deny
deny contains reason.fixed(rego.metadata.rule(), [], [request.security_fix], modes.source(frozen.result.exec.security)) if {
	session.sends
	modes.security == "deny"
}

# METADATA
# description: a line for a shell is denied for the reasons for which a command is
deny contains r if {
	session.shell_command
	some r in data.gavel.exec.deny
}

# METADATA
# description: with ask off, a miss is denied without asking
deny contains r if {
	modes.miss_mode == "off"
	some r in miss
}

# METADATA
# description: a line for a shell is asked about for the reasons for which a command is
ask contains r if {
	session.shell_command
	some r in data.gavel.exec.ask
}

# METADATA
# description: in any other ask mode, a person may decide about a miss
ask contains r if {
	modes.miss_mode != "off"
	some r in miss
}

# METADATA
# title: It is unknown what reads the input
# description: the gateway does not state the session, or not its program or host (PROCESS-3)
# custom:
#   code: exec.process_unknown
#   message: it is unknown which program reads this input, and on which host
#   fix: have the gateway state environment.process with session, agent, host and program
miss contains reason.from(rego.metadata.rule(), [], {}) if {
	session.sends
	not session.harmless
	not session.known
}

# METADATA
# title: It is unknown whose session this is
# description: the action ends or changes a session, and the gateway does not state which agent began it (PROCESS-1)
# custom:
#   code: exec.process_unstated
#   message: '%s changes a session, which may belong to another agent'
#   fix: ask a person, or have the gateway state environment.process with session and agent
miss contains reason.from(rego.metadata.rule(), [session.action], {}) if {
	session.actions[session.action] == "change"
	not input.process.stated == true
}

# METADATA
# title: Input for a shell is not a whole line
# description: only one printable line, at the prompt of a shell, is the command that it seems to be (PROCESS-2)
# custom:
#   code: exec.process_partial
#   message: 'this input for the shell %s is not one line of printable characters at its prompt'
#   fix: 'write one whole line, with a line feed at its end and without !, while the shell waits; or run the command with exec'
miss contains reason.from(rego.metadata.rule(), [input.process.shell], {}) if {
	session.sends
	not session.harmless
	session.known
	not session.not_a_shell
	not session.shell_command
}

# METADATA
# title: Input for a program needs an answer
# description: Gavel cannot tell what the program does with its input (PROCESS-3)
# custom:
#   code: exec.process_input
#   message: 'what %s does with this input is unknown'
#   fix: 'use a program that takes arguments, or add %q to %s'
miss contains reason.fixed(
	rego.metadata.rule(),
	[input.process.program],
	[input.process.program, frozen.result.exec.input.path],
	{"path": frozen.result.exec.input.path},
) if {
	session.sends
	not session.harmless
	session.known
	session.not_a_shell
	not session.takes_any_input
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: without any parameter the tool does nothing
permit if session.empty_call

# METADATA
# description: the action sends nothing to a program
permit if {
	session.actions[session.action] in {"list", "look", "change"}
	input.process.input == "none"
	count(deny) == 0
	count(miss) == 0
}

# METADATA
# description: the input is a command that may run
permit if {
	session.shell_command
	data.gavel.exec.permit
	count(deny) == 0
	count(miss) == 0
}

# METADATA
# description: the program may be given any input, or the keys do no harm
permit if {
	session.actions[session.action] == "input"
	session.needs_no_answer
	count(deny) == 0
	count(miss) == 0
}

# METADATA
# scope: document
# description: a person's answer may permit the input
approvable if {
	not input.exec
	session.actions[session.action] in {"change", "input"}
	count(deny) == 0
	count(ask) > 0
}

approvable if {
	session.shell_command
	data.gavel.exec.approvable
	count(deny) == 0
}

# METADATA
# description: why a line for a shell may run
because contains r if {
	session.shell_command
	some r in data.gavel.exec.because
}

# METADATA
# title: Program may be given any input
# description: the policy lists the program whose input needs no answer
# custom:
#   code: exec.process_allowed
#   message: '%s may be given any input'
#   fix: ""
because contains reason.from(rego.metadata.rule(), [input.process.program], {"path": frozen.result.exec.input.path}) if {
	session.actions[session.action] == "input"
	session.takes_any_input
}

_action_problem := "the call does not say which action process should take" if {
	session.action == ""
} else := sprintf("process has no action %q", [session.action])

_misfit_problem(misfit) := sprintf("it is not %s", [misfit.wants]) if {
	misfit.wants != ""
} else := "there is none"

_misfit_fix(misfit) := sprintf("pass %s, or leave it out", [misfit.wants]) if {
	misfit.wants != ""
} else := sprintf("use %s, or leave it out", [misfit.nearest]) if {
	misfit.nearest != ""
} else := "use only action, sessionId, data, text, bracketed, keys, hex, literal, eof, offset, limit and timeout"
