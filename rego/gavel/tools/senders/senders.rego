# METADATA
# title: Lists by sender
# description: |
#   Lists of tools by sender: which entry is the sender's, and which may be. The step of
#   tools.toolsBySender applies to every conversation; groups have lists of their own.
# schemas:
#   - input: schema.facts
package gavel.tools.senders

import data.gavel.config
import data.gavel.tools.pipeline

# METADATA
# scope: document
# description: the key of the entry that is the sender's; undefined if there is none
listed_as(entries) := keys[0] if {
	keys := [key | some key in _sender_keys; is_object(entries[key])]
	count(keys) > 0
}

# METADATA
# scope: document
# description: |
#   the call does not state the identity that the entry is for, so the entry may be the
#   sender's, unless an entry for a stronger identity is (R43)
may_be_listed(entries, key) if {
	kind := _kind(key)
	object.get(input.sender, _identity[kind], "") == ""
	not _stronger_entry_listed(entries, kind)
}

may_be_listed(entries, key) if {
	_kind(key) == "channel"
	input.sender.channel == ""
	not _stronger_entry_listed(entries, "channel")
}

_stronger_entry_listed(entries, kind) if {
	found := _kind(listed_as(entries))
	_precedence[found] < _precedence[kind]
}

# METADATA
# description: |
#   the steps of tools.toolsBySender. An entry of the agent that is the sender's replaces the
#   one for everyone, even if it is empty. Entries that may be the sender's all apply.
steps(subject) := [pipeline.section_step(policy.label, policy) | some policy in _policies(_lists(subject))]

_label := "tools.toolsBySender"

_lists(subject) := array.concat(
	[{"path": sprintf("%s.tools.toolsBySender", [scope.path]), "from": scope.from, "value": scope.value.tools.toolsBySender} |
		some scope in config.scopes(subject.id)
	],
	[{"path": _label, "from": "global", "value": entries} | entries := config.section(["tools"]).toolsBySender],
)

# The most specific list with an entry for the sender decides. In the lists before it, entries for
# identities that the call does not state may be the sender's, so they apply as well.
_policies(lists) := array.concat(
	array.slice([_entry(list, listed_as(list.value)) | some list in lists], 0, 1),
	[_entry(list, key) |
		some i, list in lists
		not _earlier_list_decides(lists, i)
		some key, _ in list.value
		may_be_listed(list.value, key)
	],
)

_earlier_list_decides(lists, i) if {
	some before in array.slice(lists, 0, i)
	listed_as(before.value)
}

_entry(list, key) := {"path": sprintf("%s.%s", [list.path, key]), "from": list.from, "value": list.value[key], "label": _label}

_precedence := {"channel": 0, "id": 1, "e164": 2, "username": 3, "name": 4}

# A key without a kind is an id; * means everybody and is not an identity.
_kind(key) := kind if {
	kind := split(trim_prefix(key, "@"), ":")[0]
	_precedence[kind] >= 0
	contains(key, ":")
} else := "id" if {
	key != "*"
}

# The keys that may list a sender, stable identities first. An id is compared as sent, and
# then without a leading @: id:@alice matches the sender @alice, and no sender whose id is
# alice.
_sender_keys := array.concat(
	[key |
		some kind in ["channel", "id", "e164", "username", "name"]
		some token in _sender_tokens(kind)
		token != ""
		some key in _sender_spellings(kind, token)
	],
	["*"],
)

_sender_tokens(kind) := array.concat([input.sender.id], object.get(input.sender, "also", [])) if kind in {"channel", "id"}

_sender_tokens(kind) := [object.get(input.sender, _identity[kind], "")] if kind in {"e164", "username", "name"}

# The member of the sender that a kind of key refers to.
_identity := {"channel": "id", "id": "id", "e164": "e164", "username": "username", "name": "name"}

_sender_spellings("channel", token) := [sprintf("channel:%s:%s", [input.sender.channel, id]) | some id in _id_forms(token)] if {
	input.sender.channel != ""
} else := []

_sender_spellings("id", token) := array.concat(
	[sprintf("id:%s", [id]) | some id in _id_forms(token)],
	_without_kind(trim_left(token, "@")),
)

_sender_spellings("username", token) := [sprintf("username:%s", [token]), sprintf("username:@%s", [token])]

# A number may be listed without its plus sign.
_sender_spellings("e164", token) := [sprintf("e164:%s", [token]), sprintf("e164:%s", [trim_prefix(token, "+")])]

_sender_spellings("name", token) := [sprintf("name:%s", [token])]

_id_forms(id) := [id, substring(id, 1, -1)] if {
	startswith(id, "@")
	count(id) > 1
} else := [id]

# An id without its prefix must not be read as another kind of identity.
_without_kind(id) := [] if {
	id == ""
} else := [] if {
	regex.match(`^(channel|id|e164|username|name):`, id)
} else := [id, sprintf("@%s", [id])]
