# METADATA
# title: Senders who may elevate
# description: |
#   Whether a list of senders names the sender of a message (ELEVATED-2). A missing part of the
#   sender matches nothing.
# schemas:
#   - input: schema.facts
package gavel.elevated.senders

# METADATA
# description: a list of the settings names the sender
names_sender(list) if {
	some channel in ["", input.sender.channel]
	some entry in list.channels[channel]
	_matches(entry, channel)
}

# "*" matches any sender that is on a channel.
_matches(entry, _) if {
	entry.part == "*"
	input.sender.channel != ""
}

# In a list for all channels, an id must begin with its channel.
_matches(entry, channel) if {
	entry.part == ""
	_applies_in_channel(entry.value, channel)
	count(_with_and_without_prefix(entry.value) & ((_sender_ids("id") | _sender_ids("from")) | _phone_digits(input.sender.e164))) > 0
}

_matches(entry, _) if {
	count(_with_and_without_prefix(entry.value) & _sender_ids(entry.part)) > 0
}

_matches(entry, _) if {
	entry.part == "e164"
	count(_phone_digits(entry.value) & _phone_digits(input.sender.e164)) > 0
}

_matches(entry, _) if {
	entry.part in data.gavel.catalog.elevated.changeable
	count(_name_forms(entry.value) & _name_forms(input.sender[entry.part])) > 0
}

_applies_in_channel(_, channel) if channel != ""

_applies_in_channel(value, "") if {
	input.sender.channel != ""
	startswith(value, sprintf("%s:", [input.sender.channel]))
}

_sender_ids("id") := _id_forms(input.sender.id) | {id | some id in input.sender.also}

_sender_ids("from") := _id_forms(input.sender.from)

# A prefix that a sender's id has twice is part of the id.
_id_forms(value) := {value} if {
	not _without_prefix(_without_prefix(value)) == _without_prefix(value)
} else := _with_and_without_prefix(value)

# An id may have one prefix: its channel, or its kind.
_with_and_without_prefix(value) := {text |
	some text in {value, _without_prefix(value)}
	text != ""
}

_without_prefix(value) := trim_space(substring(value, count(kind) + 1, -1)) if {
	kind := split(value, ":")[0]
	kind in ({input.sender.channel} | {name | some name in data.gavel.catalog.elevated.kinds})
	contains(value, ":")
} else := value

# Telephone numbers are compared by their digits. Any other text matches no number.
_phone_digits(value) := {digits |
	regex.match(`^\+?[0-9 ().-]+$`, value)
	digits := regex.replace(value, `[^0-9]`, "")
	digits != ""
}

# Names are compared as they are, and without signs such as the @ that channels add.
_name_forms(value) := {text |
	some text in {value, trim(regex.replace(value, `[^\p{L}\p{N}]+`, "-"), "-")}
	text != ""
}
