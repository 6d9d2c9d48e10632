# METADATA
# title: Skills
# description: |
#   Programs that installed skills have registered (EXEC-15). With autoAllowSkills, such a
#   program runs in allowlist mode without an entry, if it is called by its bare name and it is
#   the very file that was registered. Everything else holds as for an entry that accepts no
#   argument hazard: constructs, variables, wrappers, rules and questions.
# schemas:
#   - input: schema.facts
package gavel.exec.skills

import data.gavel.exec.file
import data.gavel.exec.hazards
import data.gavel.exec.programs
import data.gavel.exec.shown
import data.gavel.exec.wrappers
import data.gavel.frozen
import data.gavel.reason

# METADATA
# description: the segment is a registered program, and every gate is open
satisfied(segment) if {
	is_object(segment.skill)
	_enabled
	closed_gates(segment) == set()
}

# METADATA
# description: the gates that are closed for a segment whose name is registered
closed_gates(segment) := {gate |
	some gate, _ in data.gavel.catalog.exec.skill_gates
	not _gate_open(gate, segment)
}

# METADATA
# title: Program of a skill
# description: the program is the one that a skill has registered, and autoAllowSkills is on
# custom:
#   code: exec.skill
#   message: '%s is the program that the skill %s has registered'
#   fix: ""
because(segment) := reason.from(rego.metadata.rule(), [segment.executable.real, segment.skill.skill], {"path": frozen.result.exec.skills.path})

# METADATA
# description: one reason for each gate that is closed, if autoAllowSkills is on
objections(segment) := {_objection(segment, gate) | some gate in closed_gates(segment)} if {
	is_object(segment.skill)
	_enabled
} else := set()

# METADATA
# title: Program of a skill needs an entry
# description: autoAllowSkills is on, and the program that the skill has registered may not run by it alone
# custom:
#   code: exec.skill_refused
#   message: '%s: the program of the skill %q needs an entry: %s'
#   fix: '%s'
#   advises: what the program's entry needs, such as its line for tools.exec.allowlist
_objection(segment, gate) := reason.fixed(
	rego.metadata.rule(),
	[shown.command(segment), object.get(segment.skill, "skill", "?"), data.gavel.catalog.exec.skill_gates[gate].says],
	[data.gavel.catalog.exec.skill_gates[gate].fix],
	{"path": frozen.result.exec.skills.path},
)

_enabled if frozen.result.exec.skills.value == true

# Only a gateway knows which skills are installed.
_gate_open("gateway", _) if input.caller.kind == "gateway"

_gate_open("approvals", _) if {
	_file_known
	every section in input.approvalsFile.settings { section.autoAllowSkills == "" }
}

_gate_open("approvals", _) if {
	_file_known
	file.setting("autoAllowSkills").value == "true"
}

_gate_open("registered", segment) if {
	is_string(segment.skill.skill)
	trim_space(segment.skill.skill) != ""
	startswith(segment.skill.program, "/")
	regex.match(`^[0-9a-f]{64}$`, segment.skill.sha256)
}

_gate_open("program", segment) if {
	segment.executable.found == true
	segment.executable.link == ""
	segment.executable.real == segment.skill.program
}

_gate_open("content", segment) if {
	segment.skill.content != ""
	segment.skill.content == segment.skill.sha256
}

# An interpreter runs whatever it is given, and a program that runs others does too (R26).
_gate_open("interpreter", segment) if {
	segment.opaque == ""
	is_array(segment.executable.programs)
	not programs.opaque(segment)
	not programs.interpreter(segment.executable)
}

# Who may change the workspace could change the program.
_gate_open("workspace", segment) if {
	startswith(input.environment.workspace, "/")
	not _below(segment.executable.real, input.environment.workspace)
}

_gate_open("arguments", segment) if hazards.accepted(segment, {"args": []})

_gate_open("words", segment) if segment.dynamic == []

_gate_open("variables", _) if {
	input.exec.env == []
	input.exec.variables == []
}

_gate_open("wrappers", segment) if wrappers.all_accepted(segment)

_file_known if {
	is_array(input.approvalsFile.settings)
	every section in input.approvalsFile.settings { section.autoAllowSkills in {"", "true", "false"} }
}

_below(path, directory) if startswith(path, sprintf("%s/", [trim_suffix(directory, "/")]))
