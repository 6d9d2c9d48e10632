# Step 7: the policy of the group or channel that the message came from, with
# entries per sender. The first that exists decides: the group's toolsBySender,
# its tools, then the same of the "*" entry, so that a sender rule for every
# group never overrides what one group says.
package gavel.tools

import data.gavel.config

# METADATA
# description: |
#   the steps of the group, none when no group policy applies. An entry whose id differs
#   from the group's in case only is one step, and the entry for every other group
#   another: nobody can say which of the two is meant, so the tool must pass both.
group_steps := array.concat(
	_present([_list_step("group tools.allow", policy) | some policy in _alike]),
	_present([_group_step]),
)

default _group_step := null

_group_step := _list_step("group tools.allow", found[0]) if {
	found := [policy | some policy in _group_policies; policy != null]
	count(found) > 0
} else := step("group tools.allow", _nothing, denies_nothing) if {
	_unplaced
}

# A group whose channel nobody said could be any group that has a policy.
_unplaced if {
	count(input.group.ids) > 0
	input.group.channel == ""
	count(config.section(["channels"])) > 0
}

_nothing := {"tools": set(), "path": "channels", "from": "global", "resolution": null}

_group_policies := [policy |
	some name in _group_names
	entry := _groups.value[name]
	path := sprintf("%s.%s", [_groups.path, name])
	some policy in [_sender_policy(path, entry), _group_tools(path, entry)]
]

# The specific entry is the one of the first candidate id that has one.
_group_names := array.concat(_first([key | some id in input.group.ids; some key in _entries_of(id)]), ["*"])

_first(list) := array.slice(list, 0, 1)

# The entry of an id: of the same id, or, where the channel's ids have no case, of one
# in another case. There is one at most.
_entries_of(id) := [id] if {
	_groups.value[id]
} else := _folded_entries(id) if {
	input.group.channel in data.gavel.catalog.channels.ids_without_case
} else := []

_folded_entries(id) := [key | some key, _ in _groups.value; key != "*"; lower(key) == lower(id)]

# Policies of entries whose ids differ from the group's in case only, where case counts.
_alike := [policy |
	some id in input.group.ids
	count(_entries_of(id)) == 0
	some key in _folded_entries(id)
	path := sprintf("%s.%s", [_groups.path, key])
	candidates := [found | some found in [_sender_policy(path, _groups.value[key]), _group_tools(path, _groups.value[key])]; found != null]
	count(candidates) > 0
	policy := candidates[0]
]

# The groups of an account replace those of the channel.
_groups := {"path": path, "value": value} if {
	path := sprintf("channels.%s.accounts.%s.groups", [input.group.channel, input.group.account])
	value := config.section(["channels", input.group.channel, "accounts", input.group.account]).groups
} else := {"path": path, "value": value} if {
	path := sprintf("channels.%s.groups", [input.group.channel])
	value := config.section(["channels", input.group.channel]).groups
}

_group_tools(path, entry) := {
	"path": sprintf("%s.tools", [path]),
	"from": "global",
	"value": entry.tools,
} if {
	is_object(entry.tools)
} else := null

_sender_policy(path, entry) := {
	"path": sprintf("%s.toolsBySender.%s", [path, key]),
	"from": "global",
	"value": entry.toolsBySender[key],
} if {
	keys := [key | some key in _sender_keys; is_object(entry.toolsBySender[key])]
	key := keys[0]
} else := null

# The keys under which a sender may be listed, stable identities first. An id is
# compared as it was sent, and then without a leading @: id:@alice lists the sender
# @alice and nobody whose id is alice.
_sender_keys := array.concat(
	[key |
		some kind in ["channel", "id", "e164", "username", "name"]
		token := object.get(input.sender, _identity[kind], "")
		token != ""
		some key in _sender_spellings(kind, token)
	],
	["*"],
)

# The member of the sender that a kind of key is about.
_identity := {"channel": "id", "id": "id", "e164": "e164", "username": "username", "name": "name"}

_sender_spellings("channel", id) := [sprintf("channel:%s:%s", [input.sender.channel, token]) | some token in _as_sent(id)] if {
	input.sender.channel != ""
} else := []

_sender_spellings("id", id) := array.concat(
	[sprintf("id:%s", [token]) | some token in _as_sent(id)],
	_bare(trim_left(id, "@")),
)

_sender_spellings("username", name) := [sprintf("username:%s", [name]), sprintf("username:@%s", [name])]

_sender_spellings(kind, token) := [sprintf("%s:%s", [kind, token])] if kind in {"e164", "name"}

_as_sent(id) := [id, substring(id, 1, -1)] if {
	startswith(id, "@")
	count(id) > 1
} else := [id]

# An id without its prefix must not read as another kind of identity.
_bare(id) := [] if {
	id == ""
} else := [] if {
	regex.match(`^(channel|id|e164|username|name):`, id)
} else := [id, sprintf("@%s", [id])]
