# METADATA
# title: Custom rules
# description: |
#   The policy's own Rego: rules named deny and ask in package custom or below it. They can
#   only object; nothing here can permit a call. A reason is an object with code, message and
#   fix, or a string. Packages up to four levels deep are found.
package gavel.custom

import data.gavel.frozen

# METADATA
# description: objections that deny the call
deny contains _reason(_name(path), value) if {
	some path in frozen.result.custom
	some value in _values(_denial(path))
}

# METADATA
# description: objections that ask a person
ask contains _reason(_name(path), value) if {
	some path in frozen.result.custom
	some value in _values(_question(path))
}

_denial([]) := data.custom.deny

_denial([a]) := data.custom[a].deny

_denial([a, b]) := data.custom[a][b].deny

_denial([a, b, c]) := data.custom[a][b][c].deny

_question([]) := data.custom.ask

_question([a]) := data.custom[a].ask

_question([a, b]) := data.custom[a][b].ask

_question([a, b, c]) := data.custom[a][b][c].ask

_name(path) := concat(".", array.concat(["custom"], path))

# The value of a custom rule may be a set or list of reasons, a single reason, or true. Any other
# value is an objection too, except false, null and empty collections.
_values(raised) := raised if is_set(raised)

_values(raised) := {value | some value in raised} if is_array(raised)

_values(raised) := {raised} if {
	not is_set(raised)
	not is_array(raised)
	not raised in {false, null, {}}
}

_reason(path, value) := {
	"layer": "custom",
	"code": _text(value, "code", sprintf("%s.objection", [path])),
	"message": _text(value, "message", "a custom rule objects"),
	"fix": _text(value, "fix", sprintf("see the rules of package %s", [path])),
	"source": {"path": path},
} if {
	is_object(value)
}

_reason(path, value) := {
	"layer": "custom",
	"code": sprintf("%s.objection", [path]),
	"message": value,
	"fix": sprintf("see the rules of package %s", [path]),
	"source": {"path": path},
} if {
	is_string(value)
}

_reason(path, value) := {
	"layer": "custom",
	"code": sprintf("%s.objection", [path]),
	"message": "a custom rule objects",
	"fix": sprintf("see the rules of package %s", [path]),
	"source": {"path": path},
} if {
	not is_object(value)
	not is_string(value)
}

_text(value, key, fallback) := text if {
	text := object.get(value, key, null)
	is_string(text)
} else := fallback
