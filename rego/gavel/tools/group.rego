# Step 7: the policy of the group or channel that the message came from, with
# entries per sender. The first that exists decides: the group's toolsBySender,
# its tools, then the same of the "*" entry, so that a sender rule for every
# group never overrides what one group says.
package gavel.tools

import data.gavel.config

# METADATA
# description: the step of the group, or null when no group policy applies
group_step := _list_step("group tools.allow", found[0]) if {
	found := [policy | some policy in _group_policies; policy != null]
	count(found) > 0
} else := step("group tools.allow", _nothing, denies_nothing) if {
	_unplaced
} else := null

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
_group_names := array.concat(_first([id | some id in input.group.ids; _groups.value[id]]), ["*"])

_first(list) := array.slice(list, 0, 1)

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

# The keys under which a sender may be listed, stable identities first.
_sender_keys := array.concat(
	[key |
		some kind in ["id", "e164", "username", "name"]
		token := input.sender[kind]
		token != ""
		some key in _sender_spellings(kind, token)
	],
	["*"],
)

_sender_spellings("id", id) := array.concat([sprintf("id:%s", [id]), sprintf("id:@%s", [id])], _bare(id))

_sender_spellings("username", name) := [sprintf("username:%s", [name]), sprintf("username:@%s", [name])]

_sender_spellings(kind, token) := [sprintf("%s:%s", [kind, token])] if kind in {"e164", "name"}

# An id without its prefix must not read as another kind of identity.
_bare(id) := [] if {
	regex.match(`^@?(id|e164|username|name):`, id)
} else := [id, sprintf("@%s", [id])]
