# METADATA
# title: Parameters of exec
# description: |
#   What a call may pass to exec (EXEC-13): parameters that it has, of the right type, and
#   numbers within their bounds. Each one that is wrong is named.
# schemas:
#   - input: schema.facts
package gavel.exec.parameters

import data.gavel.reason

# METADATA
# title: Parameter is unknown
# description: exec does not have this parameter, or it has the wrong type
# custom:
#   code: exec.unknown_parameter
#   message: 'exec cannot take the parameter %q: %s'
#   fix: '%s'
#   advises: 'pass a value of the right type, use the parameter of a similar name, or use only those that exec has'
_unknown_parameter(name, why, fix) := reason.fixed(rego.metadata.rule(), [name, why], [fix], {})

# METADATA
# description: each parameter that exec cannot take
deny contains _unknown_parameter(misfit.name, _misfit_problem(misfit), _misfit_fix(misfit)) if {
	some misfit in input.tool.misfits
	misfit.name in input.exec.unknown
}

# METADATA
# description: the parameters that nothing describes, all at once
deny contains _unknown_parameter(concat(", ", _undescribed), "exec has none, or one of another type", _use_only) if {
	count(_undescribed) > 0
}

# METADATA
# title: Number is out of bounds
# description: a time that is not positive, or is longer than any command needs
# custom:
#   code: exec.parameter_bounds
#   message: 'the parameter %s of exec must be %s'
#   fix: 'choose a number within the bounds, or leave it out'
deny contains reason.from(rego.metadata.rule(), [name, bound.says], {}) if {
	is_object(input.exec)
	some name, bound in data.gavel.catalog.exec.bounds
	not _within(name)
}

# METADATA
# description: every parameter was observed, and every number is within its bounds
bounded if {
	is_boolean(input.exec.run.background)
	is_boolean(input.exec.run.pty)
	every name, _ in data.gavel.catalog.exec.bounds { _within(name) }
}

_within(name) if input.exec.run[name] == 0

_within(name) if {
	bound := data.gavel.catalog.exec.bounds[name]
	is_number(input.exec.run[name])
	bound.least <= input.exec.run[name]
	input.exec.run[name] <= bound.greatest
}

# Parameters that no fact describes, such as those after the first few.
_undescribed := [name |
	some name in array.slice(input.exec.unknown, 0, 64)
	not _described(name)
]

_described(name) if {
	some misfit in input.tool.misfits
	misfit.name == name
}

_misfit_problem(misfit) := sprintf("it is not %s", [misfit.wants]) if {
	_wrong_type(misfit)
} else := "there is none"

_misfit_fix(misfit) := sprintf("pass %s, or leave it out", [misfit.wants]) if {
	_wrong_type(misfit)
} else := sprintf("use %s, or leave it out", [misfit.nearest]) if {
	is_string(misfit.nearest)
	misfit.nearest != ""
} else := _use_only

_use_only := "use only command, workdir, env, yieldMs, background, timeout, pty, host, security, ask, node and elevated"

_wrong_type(misfit) if {
	is_string(misfit.wants)
	misfit.wants != ""
}
