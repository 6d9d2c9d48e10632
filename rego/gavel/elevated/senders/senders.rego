# METADATA
# title: Senders who may elevate
# description: |
#   Whether a list of senders names the sender of a message (ELEVATED-2). What is missing of a
#   sender matches nothing.
# schemas:
#   - input: schema.facts
package gavel.elevated.senders

# METADATA
# description: a list of the settings names the sender
named(list) if {
	some channel in ["", input.sender.channel]
	some entry in list.channels[channel]
	_matches(entry, channel)
}

# Everybody is somebody on a channel.
_matches(entry, _) if {
	entry.part == "*"
	input.sender.channel != ""
}

# In a list for all channels, an id has its channel in front.
_matches(entry, channel) if {
	entry.part == ""
	_for_channel(entry.value, channel)
	count(_expanded(entry.value) & ((_tokens("id") | _tokens("from")) | _phone(input.sender.e164))) > 0
}

_matches(entry, _) if {
	count(_expanded(entry.value) & _tokens(entry.part)) > 0
}

_matches(entry, _) if {
	entry.part == "e164"
	count(_phone(entry.value) & _phone(input.sender.e164)) > 0
}

_matches(entry, _) if {
	entry.part in data.gavel.catalog.elevated.changeable
	count(_spellings(entry.value) & _spellings(input.sender[entry.part])) > 0
}

_for_channel(_, channel) if channel != ""

_for_channel(value, "") if {
	input.sender.channel != ""
	startswith(value, sprintf("%s:", [input.sender.channel]))
}

_tokens("id") := _token(input.sender.id) | {id | some id in input.sender.also}

_tokens("from") := _token(input.sender.from)

# What a sender has in front of an id twice is part of it.
_token(value) := {value} if {
	not _bare(_bare(value)) == _bare(value)
} else := _expanded(value)

# An id may stand with its channel, or with what kind of id it is, in front: once.
_expanded(value) := {text |
	some text in {value, _bare(value)}
	text != ""
}

_bare(value) := trim_space(substring(value, count(kind) + 1, -1)) if {
	kind := split(value, ":")[0]
	kind in ({input.sender.channel} | {name | some name in data.gavel.catalog.elevated.kinds})
	contains(value, ":")
} else := value

# Telephone numbers are compared by their digits. Any other text is the number of nobody.
_phone(value) := {digits |
	regex.match(`^\+?[0-9 ().-]+$`, value)
	digits := regex.replace(value, `[^0-9]`, "")
	digits != ""
}

# Names are compared as they are, and without what channels add to them.
_spellings(value) := {text |
	some text in {value, trim(regex.replace(value, `[^\p{L}\p{N}]+`, "-"), "-")}
	text != ""
}
