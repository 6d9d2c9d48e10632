# METADATA
# title: Lists of senders
# description: |
#   How a list of senders in the configuration is read (ELEVATED-2): a flat list, or a map of
#   lists by channel.
package gavel.elevated.entries

# METADATA
# scope: document
# description: the entries of a list of senders, by channel, where the channel "" stands for any
channels(list) := {"": [_entry(text) | some text in list]} if is_array(list)

channels(list) := {lower(trim_space(channel)): [_entry(sprintf("%v", [text])) | some text in texts] |
	some channel, texts in list
} if {
	is_object(list)
}

# An entry in parts: the part of the sender's identity that it names, "" for an id of any
# kind, and the value.
_entry(text) := {"part": "*", "value": ""} if {
	trim_space(text) == "*"
} else := {"part": found[0][1], "value": _value(found[0][1], lower(trim_space(found[0][2])))} if {
	found := regex.find_all_string_submatch_n(`^\s*([a-z0-9]+)\s*:(.*)$`, lower(text), 1)
	found[0][1] in data.gavel.catalog.elevated.parts
} else := {"part": "", "value": lower(trim_space(text))}

# A tag ending in #0 is the same as the name alone, as in the analyzer.
_value("tag", text) := trim_suffix(text, "#0")

_value(part, text) := text if part != "tag"
