# METADATA
# title: People
# description: |
#   Which named person a sender is (APPROVALS-7): approvals.exec.people maps names to accounts and
#   telephone numbers. If several people have the same account, the sender is none of them. Names
#   that users can change never count.
# schemas:
#   - input: schema.facts
package gavel.directives.people

import data.gavel.config

# METADATA
# description: the person who wrote the message; undefined if nobody, or more than one person, has the sender's account
named := name if {
	input.caller.kind == "gateway"
	[name] := [one | some one in _matching_people]
}

_matching_people contains name if {
	some name, list in config.section(["approvals", "exec", "people"])
	some entry in list
	_names_sender(entry)
}

# An account, or a telephone number by its digits.
_names_sender(entry) if {
	input.sender.channel != ""
	some id in ({input.sender.id} | {other | some other in input.sender.also})
	id != ""
	_key(entry) == sprintf("%s:%s", [input.sender.channel, id])
}

_names_sender(entry) if {
	startswith(input.sender.e164, "+")
	_key(entry) == _number(input.sender.e164)
}

# METADATA
# scope: document
# description: entries that are not an account, or that two people have, each {"path", "message", "value", "candidates", "fix"}
problems contains {
	"path": location.path,
	"message": sprintf("%q is not an account that only one person has", [location.value]),
	"value": location.value,
	"candidates": [],
	"fix": "write the channel and the id, as in telegram:123456789, or a telephone number, as in e164:+15551234567",
} if {
	some location in _entries
	not _unambiguous(location.value)
}

problems contains {
	"path": location.path,
	"message": sprintf("%s and %s both have %q", [location.person, other.person, location.value]),
	"value": location.value,
	"candidates": [],
	"fix": "remove one of the two",
} if {
	some location in _entries
	some other in _entries
	other.person < location.person
	_key(other.value) == _key(location.value)
}

problems contains {
	"path": sprintf("approvals.exec.people.%s", [name]),
	"message": sprintf("%q is not the name of a person", [name]),
	"value": name,
	"candidates": [],
	"fix": "use lower-case letters, digits and ._+@-, exactly as in the names of tokens",
} if {
	some name, _ in config.section(["approvals", "exec", "people"])
	not regex.match(`^[a-z0-9][a-z0-9._+@-]{0,127}$`, name)
}

_entries contains {"path": sprintf("approvals.exec.people.%s[%d]", [name, i]), "person": name, "value": entry} if {
	some name, list in config.section(["approvals", "exec", "people"])
	some i, entry in list
	is_string(entry)
}

# An account on a channel, or a telephone number with its country.
_unambiguous(entry) if {
	regex.match(`^\s*[A-Za-z0-9][A-Za-z0-9_-]*:\s*\S+\s*$`, entry)
	not lower(split(trim_space(entry), ":")[0]) in _identity_parts
}

_unambiguous(entry) if regex.match(`^\s*[eE]164:\s*\+[0-9][0-9 ().-]{3,}$`, entry)

_identity_parts := {part | some part in data.gavel.catalog.elevated.parts}

# The spelling in which entries are compared.
_key(entry) := _number(entry) if {
	startswith(lower(trim_space(entry)), "e164:")
} else := regex.replace(lower(trim_space(entry)), `^([^:]*):\s*`, "$1:")

_number(text) := sprintf("e164:%s", [regex.replace(regex.replace(lower(text), `e164:`, ""), `[^0-9]`, "")])
