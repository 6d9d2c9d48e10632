# METADATA
# title: Group step
# description: |
#   Step 7: the policy of the group or channel that the message came from, with entries per
#   sender. The first one that exists decides: the group's toolsBySender, the group's tools,
#   then the same two of the "*" entry. So a sender rule for all groups never overrides a rule
#   of one group.
# schemas:
#   - input: schema.facts
package gavel.tools.group

import data.gavel.config
import data.gavel.tools.pipeline
import data.gavel.tools.senders

# METADATA
# description: |
#   the steps of the group; none if no group policy applies. A call without a group may come
#   from any group, so it must pass the policies of all groups (R43). If an entry's id differs
#   from the group's only in case, that entry is one step and the entry for all other groups
#   another, because either may be meant.
steps := [pipeline.section_step("group tools.allow", policy) | some policy in _every_policy] if {
	not input.stated.group == true
} else := [pipeline.step("group tools.allow", _allows_nothing, pipeline.denies_nothing)] if {
	_channel_unknown
} else := [pipeline.section_step("group tools.allow", policy) |
	some groups in _group_tables
	some policy in array.concat(_same_but_for_case(groups), _policies(groups))
]

# A group on an unknown channel may be any group that has a policy.
_channel_unknown if {
	count(input.group.ids) > 0
	input.group.channel == ""
	count(config.section(["channels"])) > 0
}

_allows_nothing := {"tools": set(), "path": "channels", "from": "global", "resolution": null}

_every_policy := [policy |
	some channel, _ in config.section(["channels"])
	some groups in array.concat(_channel_tables(channel), _account_tables(channel))
	some name, entry in groups.value
	path := sprintf("%s.%s", [groups.path, name])
	some policy in array.concat([_group_tools(path, entry)], [_sender_entry(path, entry, key) | some key, _ in entry.toolsBySender])
	policy != null
]

# The groups of an account replace those of the channel. If the account is unknown, the groups
# of all accounts apply.
_group_tables := [{"path": path, "value": value}] if {
	path := sprintf("channels.%s.accounts.%s.groups", [input.group.channel, input.group.account])
	value := config.section(["channels", input.group.channel, "accounts", input.group.account]).groups
} else := _channel_tables(input.group.channel) if {
	input.group.account != ""
} else := array.concat(_channel_tables(input.group.channel), _account_tables(input.group.channel))

_channel_tables(channel) := [{"path": sprintf("channels.%s.groups", [channel]), "value": value} |
	value := config.section(["channels", channel]).groups
]

_account_tables(channel) := [{"path": sprintf("channels.%s.accounts.%s.groups", [channel, account]), "value": section.groups} |
	some account, section in config.section(["channels", channel, "accounts"])
]

# The first policy that exists, and those that may apply to the sender.
_policies(groups) := array.concat(array.slice(found, 0, 1), possible) if {
	entries := [{"path": sprintf("%s.%s", [groups.path, name]), "value": groups.value[name]} | some name in _group_names(groups)]
	found := [policy |
		some entry in entries
		some policy in [_sender_policy(entry.path, entry.value), _group_tools(entry.path, entry.value)]
		policy != null
	]
	possible := [_sender_entry(entry.path, entry.value, key) |
		some entry in entries
		some key, _ in entry.value.toolsBySender
		senders.may_be_listed(entry.value.toolsBySender, key)
	]
}

# The entry of the first candidate id that has one.
_group_names(groups) := [name |
	some name in array.concat(_first([key | some id in input.group.ids; some key in _entries_of(groups, id)]), ["*"])
	groups.value[name]
]

_first(list) := array.slice(list, 0, 1)

# The entry with the same id, or, where the channel's ids are case-insensitive, with the same
# id in another case. There is at most one.
_entries_of(groups, id) := [id] if {
	groups.value[id]
} else := _folded_entries(groups, id) if {
	input.group.channel in data.gavel.catalog.channels.ids_without_case
} else := []

_folded_entries(groups, id) := [key | some key, _ in groups.value; key != "*"; lower(key) == lower(id)]

# Policies of entries whose ids differ from the group's only in case, where case matters.
_same_but_for_case(groups) := [policy |
	some id in input.group.ids
	count(_entries_of(groups, id)) == 0
	some key in _folded_entries(groups, id)
	path := sprintf("%s.%s", [groups.path, key])
	candidates := [found | some found in [_sender_policy(path, groups.value[key]), _group_tools(path, groups.value[key])]; found != null]
	count(candidates) > 0
	policy := candidates[0]
]

_group_tools(path, entry) := {
	"path": sprintf("%s.tools", [path]),
	"from": "global",
	"value": entry.tools,
} if {
	is_object(entry.tools)
} else := null

_sender_policy(path, entry) := _sender_entry(path, entry, key) if {
	key := senders.listed_as(entry.toolsBySender)
} else := null

_sender_entry(path, entry, key) := {
	"path": sprintf("%s.toolsBySender.%s", [path, key]),
	"from": "global",
	"value": entry.toolsBySender[key],
}
