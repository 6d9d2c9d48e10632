# METADATA
# title: Session values
# description: |
#   What directives have set, and Gavel has stored, for the session of a call (R13). If the caller
#   is not a gateway, its session is not reliable, so values of every session that may be the
#   call's count too. If the stored values are unknown, commands are denied.
# schemas:
#   - input: schema.facts
package gavel.exec.values

import data.gavel.reason

# METADATA
# title: Session values are unknown
# description: the values that directives have set cannot be read, and one of them may be deny
# custom:
#   code: exec.session_unknown
#   message: cannot tell what /exec and /elevated have set for the session
#   fix: repair sessions.json in the state directory, or move it away to forget what was set
deny contains reason.from(rego.metadata.rule(), [], {}) if not _readable

# METADATA
# description: the values of one setting that the session has, or may have
of(key) := {value |
	some values in _all_values
	value := values[key]
}

_all_values := array.concat([input.sessionValues.own], input.sessionValues.others)

# METADATA
# description: the value of one setting that is stored for the session of the call; "" for none
own(key) := input.sessionValues.own[key]

# METADATA
# description: nothing is stored
none_stored if {
	_readable
	input.sessionValues.own == {"security": "", "ask": "", "host": "", "node": "", "elevated": ""}
	input.sessionValues.others == []
}

_readable if {
	input.sessionValues.state in {"", "read"}
	is_object(input.sessionValues.own)
	is_array(input.sessionValues.others)
}
