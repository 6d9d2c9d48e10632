# METADATA
# title: Environment
# description: |
#   Variables that a call sets through its env parameter, through a wrapper such as env, or in
#   its text (R23, R37). Names that control where programs and libraries come from are
#   blocked. Names that are known to be harmless, and those that the policy lists, take any
#   value that a shell cannot evaluate. Any other variable that a program may receive takes
#   only a plain value. A variable of the shell alone takes any value. No variable takes a
#   value that a shell could evaluate.
# schemas:
#   - input: schema.facts
package gavel.exec.environment

import data.gavel.exec.links
import data.gavel.frozen
import data.gavel.reason
import data.gavel.resources

# METADATA
# description: every variable has a value that is accepted for its name
accepted if {
	answerable
	_shows_no_secret
	every assignment in input.exec.assigned { _permitted(assignment) }
}

# METADATA
# description: a person may decide about whatever is not accepted; no value could be evaluated
answerable if {
	is_array(input.exec.assigned)
	every assignment in input.exec.assigned { assignment.form in {"none", "plain", "dynamic", "other"} }
}

# METADATA
# description: the command itself sets the variable, and nothing from the environment is in it
script_variable(name) if {
	regex.match(`^[a-z_][a-z0-9_]*$`, name)
	not _blocked(upper(name))
	not _assigned_at_run_time(name)
}

_assigned_at_run_time(name) if {
	some assignment in input.exec.assigned
	assignment.name == name
	not assignment.form in {"plain", "other"}
}

# METADATA
# title: Environment variable is blocked
# description: the call may not control where programs, libraries or their settings come from (EXEC-6)
# custom:
#   code: exec.environment
#   message: 'the call may not set the environment variable %s: it controls %s'
#   fix: '%s'
#   advises: leave it out, set it on the machine where the command runs, or write it in front of the command with a value that is known to be harmless
blocked contains reason.fixed(rego.metadata.rule(), [name, _control(name)], [_fix(name)], {}) if {
	some name in _blocked_names
}

_control(name) := "which server or account programs use" if {
	is_string(data.gavel.catalog.environment.accounts[name])
} else := "which programs or libraries run, or with which settings"

_fix(name) := sprintf("use a server of this machine, such as %s=%s; or have a person set it where the command runs", [name, example]) if {
	example := data.gavel.catalog.environment.accounts[name]
	example != ""
} else := "leave it out; if it is needed, have a person set it where the command runs" if {
	is_string(data.gavel.catalog.environment.accounts[name])
} else := "write it in front of a command that runs code of the project, with directories of the workspace that agents may write; or leave it out" if {
	data.gavel.catalog.environment.paths[name]
} else := sprintf("leave it out, or write it in front of the command with a value that is known to be harmless, such as %s=%s", [name, _example(name)]) if {
	data.gavel.catalog.environment.values[name]
} else := "leave it out; if it is needed, set it on the machine where the command runs"

# The catalog has regular expressions; one without special characters is a value itself.
_example(name) := values[0] if {
	values := [value | some value in data.gavel.catalog.environment.values[name]; regex.match(`^[A-Za-z_=:-]+$`, value)]
} else := "a number"

# METADATA
# title: Value could run commands
# description: shells evaluate some variables, and would run commands in this value (R37)
# custom:
#   code: exec.environment_evaluated
#   message: 'the value of %s contains a substitution or a subscript that a shell could evaluate'
#   fix: write the value without $( ), ${ }, backticks and name[ ]
evaluated contains reason.from(rego.metadata.rule(), [assignment.name], {}) if {
	some assignment in input.exec.assigned
	not assignment.form in {"none", "plain", "dynamic", "other"}
}

# METADATA
# scope: document
# description: substitutions are open, so words that are produced at run time may be arguments
substitutions_open if {
	frozen.result.exec.constructs.substitution.value == data.gavel.catalog.exec.constructs.substitution
}

# Substitutions are open, and lists limit what may be read, so printing a variable could get
# around the lists.
_reading_limited if {
	substitutions_open
	resources.restricted("read")
}

_shows_no_secret if not _reading_limited

_shows_no_secret if {
	is_array(input.exec.expanded)
	every name in input.exec.expanded { _safe_to_show(name) }
}

# Printing the variable shows no secret: its value in the environment is not one, or the command
# itself gives it a value. A name such as TOKEN counts as a secret in any case.
_safe_to_show(name) if data.gavel.catalog.environment.shown[name]

_safe_to_show(name) if data.gavel.catalog.environment.harmless[name]

_safe_to_show(name) if {
	regex.match(`^[a-z_][a-z0-9_]*$`, name)
	not _suggests_secret(name)
}

_safe_to_show(name) if {
	some assignment in input.exec.assigned
	assignment.name == name
	not assignment.form == "none"
	not _suggests_secret(name)
}

_suggests_secret(name) if {
	some word in data.gavel.catalog.environment.secret_words
	contains(upper(name), word)
}

# METADATA
# title: Variable may hold a secret
# description: the command uses a variable of the environment that may hold a secret, and programs could show it
# custom:
#   code: exec.environment_shown
#   message: 'the command uses the environment variable %s, which may hold a secret'
#   fix: 'leave it out, write the value out, or give the variable a value in the command first'
misses contains reason.from(rego.metadata.rule(), [name], {}) if {
	_reading_limited
	some name in input.exec.expanded
	not _safe_to_show(name)
}

# METADATA
# description: variables whose values are not accepted, which a person may decide about
misses contains _miss_reason(_doubt(assignment), assignment) if some assignment in unaccepted

# METADATA
# description: the assignments whose values neither their names nor the policy permit
unaccepted contains assignment if {
	some assignment in input.exec.assigned
	not _permitted(assignment)
	not upper(assignment.name) in _blocked_names
	not assignment.name in _blocked_names
}

# METADATA
# title: Value needs an answer
# description: programs may read this variable, and its value could name a file, a command or options (R37)
# custom:
#   code: exec.environment_value
#   message: >-
#     Gavel does not know how programs use the variable %s, so its value must be plain: without /, spaces and
#     other special characters, without a dash in front, and not produced at run time
#   fix: 'give it a plain value, or add %q to %s'
_miss_reason("value", assignment) := reason.fixed(
	rego.metadata.rule(),
	[assignment.name],
	[assignment.name, _allow_setting.path],
	{"path": _allow_setting.path},
)

# METADATA
# title: Variable names code
# description: programs load or run the file that this variable names (R37)
# custom:
#   code: exec.environment_names_code
#   message: 'programs run or load the file that the variable %s names'
#   fix: 'leave it out, or add %q to %s'
_miss_reason("code", assignment) := reason.fixed(
	rego.metadata.rule(),
	[assignment.name],
	[assignment.name, _allow_setting.path],
	{"path": _allow_setting.path},
)

_doubt(assignment) := "code" if {
	_names_code(assignment.name)
} else := "value"

_permitted(assignment) if assignment.form == "none"

_permitted(assignment) if _takes_any_value(assignment.name)

_permitted(assignment) if _has_known_value(assignment)

_permitted(assignment) if {
	assignment.form == "plain"
	not _names_code(assignment.name)
}

# A program receives a shell variable only if the environment already has one of that name. By
# convention, such names are in capitals.
_permitted(assignment) if {
	assignment.exported == false
	_shell_only(assignment.name)
}

_shell_only(name) if regex.match(`^[a-z_][a-z0-9_]*$`, name)

_shell_only(name) if data.gavel.catalog.environment.own[name]

_takes_any_value(name) if data.gavel.catalog.environment.harmless[name]

_takes_any_value(name) if {
	some pattern in _allow_setting.value
	pattern == name
}

_takes_any_value(name) if {
	some pattern in _allow_setting.value
	endswith(pattern, "*")
	startswith(name, trim_suffix(pattern, "*"))
}

_names_code(name) if data.gavel.catalog.environment.names_code[upper(name)]

_allow_setting := frozen.result.exec.environment

# Blocked variables that the call sets, and variables with a special meaning for the shell that
# the command sets.
_blocked_names contains name if {
	some name in input.exec.env
	_blocked(name)
	assignments := {assignment | some assignment in input.exec.assigned; upper(assignment.name) == name}
	not _ordinary_in_its_shell(assignments)
	not _only_known_values(assignments)
}

_blocked_names contains name if {
	some name in input.exec.variables
	data.gavel.catalog.environment.special[name]
	assignments := {assignment | some assignment in input.exec.assigned; assignment.name == name}
	not _ordinary_in_its_shell(assignments)
	not _only_known_values(assignments)
}

# A name that is special in one shell is an ordinary variable in another, as status and path of
# zsh are in bash. This requires that the shell is known, and that no program receives the
# variable: the program could be the other shell.
_ordinary_in_its_shell(assignments) if {
	count(assignments) > 0
	every assignment in assignments {
		assignment.exported == false
		not _blocked(assignment.name)
		meant := {shell | some shell in data.gavel.catalog.environment.special[assignment.name]}
		sets := {shell | some shell in data.gavel.catalog.environment.shells[assignment.shell]}
		count(sets) > 0
		count(meant) > 0
		count(meant & sets) == 0
	}
}

# Every value that the call gives the variable is one of those that it may have.
_only_known_values(assignments) if {
	count(assignments) > 0
	every assignment in assignments { _has_known_value(assignment) }
}

# No shell would evaluate the value, and each word of it is one that the catalog lists.
_has_known_value(assignment) if {
	assignment.form in {"plain", "other"}
	assignment.value != ""
	known := data.gavel.catalog.environment.values[assignment.name]
	every word in split(assignment.value, " ") { _matches_known_value(known, word) }
}

# A search path for modules: the agent may write the modules anyway, and also the code that loads
# them.
_has_known_value(assignment) if {
	assignment.form in {"plain", "other"}
	data.gavel.catalog.environment.paths[assignment.name]
	count(assignment.places) > 0
	count(assignment.code) > 0
	every path in array.concat(assignment.places, assignment.code) { links.agent_may_write(path) }
}

_matches_known_value(known, word) if {
	some expression in known
	regex.match(sprintf("^(%s)$", [expression]), word)
}

_blocked(name) if data.gavel.catalog.environment.blocked[name]

_blocked(name) if strings.any_suffix_match(name, data.gavel.catalog.environment.suffixes)

_blocked(name) if strings.any_prefix_match(name, data.gavel.catalog.environment.prefixes)
