package gavel.tools.group_test

import data.gavel.testing

_in_group(ids) := testing.call({"group": {"channel": "discord", "account": "", "ids": ids}})

_from(sender) := testing.call({"group": {"ids": ["g1"]}, "sender": sender})

_discord(groups) := {"channels": {"discord": {"groups": groups}}}

# Either only read is left, or it is removed: enough to tell which entry decided.
_read := {"tools": {"allow": ["read"]}}

_nothing := {"tools": {"deny": ["read"]}}

_step := "group tools.allow"

test_group_entries[name] if {
	some name, c in {
		"the entry of the group": {
			"ids": ["g1"],
			"groups": {"g1": _nothing},
			"want": ["denied", _step, "channels.discord.groups.g1.tools.deny", "global"],
		},
		"the first id that has an entry": {
			"ids": ["g1:topic:7", "g1"],
			"groups": {"g1": _read, "g1:topic:7": _nothing},
			"want": ["denied", _step, "channels.discord.groups.g1:topic:7.tools.deny", "global"],
		},
		"the next id, when the first has none": {
			"ids": ["g1:topic:7", "g1"],
			"groups": {"g1": _nothing},
			"want": ["denied", _step, "channels.discord.groups.g1.tools.deny", "global"],
		},
		"an entry of a group leaves the others alone": {"ids": ["g2"], "groups": {"g1": _nothing}, "want": "visible"},
		"a star is for every other group": {
			"ids": ["g2"],
			"groups": {"g1": _read, "*": _nothing},
			"want": ["denied", _step, "channels.discord.groups.*.tools.deny", "global"],
		},
		"the group's own entry wins over the star": {"ids": ["g1"], "groups": {"g1": _read, "*": _nothing}, "want": "visible"},
		"an entry without a policy leaves it to the star": {
			"ids": ["g1"],
			"groups": {"g1": {}, "*": _nothing},
			"want": ["denied", _step, "channels.discord.groups.*.tools.deny", "global"],
		},
		"without an id the star decides": {
			"ids": [],
			"groups": {"*": _nothing},
			"want": ["denied", _step, "channels.discord.groups.*.tools.deny", "global"],
		},
	}
	testing.fate(_in_group(c.ids), _discord(c.groups), "read") == c.want
}

test_group_allow_list_removes_the_rest if {
	testing.fate(_in_group(["g1"]), _discord({"g1": _read}), "write") == ["not_allowed", _step, "channels.discord.groups.g1.tools.allow", "global"]
}

test_entries_of_another_channel_do_not_apply if {
	settings := {"channels": {"irc": {"groups": {"*": _nothing}}}}
	testing.fate(_in_group(["g1"]), settings, "read") == "visible"
}

test_groups_of_an_account_replace_those_of_the_channel[name] if {
	settings := {"channels": {"discord": {
		"groups": {"*": _read},
		"accounts": {"work": {"groups": {"*": _nothing}}, "bare": {}},
	}}}
	some name, c in {
		"the account's own": {
			"account": "work",
			"want": ["denied", _step, "channels.discord.accounts.work.groups.*.tools.deny", "global"],
		},
		"an account without groups": {"account": "bare", "want": "visible"},
		"an account that is not configured": {"account": "home", "want": "visible"},
	}
	testing.fate(testing.call({"group": {"account": c.account}}), settings, "read") == c.want
}

# The tools of the entry show which key matched.
_by_sender(keys) := _discord({"g1": {"tools": _nothing.tools, "toolsBySender": {key: {"allow": ["read"]} | some key in keys}}})

test_sender_keys[name] if {
	some name, c in {
		"the id": {"keys": ["id:123"], "want": true},
		"the id without a prefix": {"keys": ["123"], "want": true},
		"another id": {"keys": ["id:124"], "want": false},
		"the number": {"keys": ["e164:+15551234567"], "want": true},
		"the user name": {"keys": ["username:alice99"], "want": true},
		"the user name with an @": {"keys": ["username:@alice99"], "want": true},
		"the name": {"keys": ["name:alice"], "want": true},
		"a name is not an id": {"keys": ["alice"], "want": false},
		"a name is not a user name": {"keys": ["username:alice"], "want": false},
		"the number without its plus": {"keys": ["e164:15551234567"], "want": true},
		"an id is not a number": {"keys": ["e164:123"], "want": false},
		"everybody": {"keys": ["*"], "want": true},
		"nobody": {"keys": [], "want": false},
	}
	facts := testing.call({"group": {"ids": ["g1"]}})
	is_visible := testing.fate(facts, _by_sender(c.keys), "read") == "visible"
	is_visible == c.want
}

test_sender_without_identity_matches_everybody_only[name] if {
	some name, c in {
		"an empty id": {"keys": ["id:", "", "@", "id:@"], "want": false},
		"an empty name": {"keys": ["name:", "username:", "e164:", "username:@"], "want": false},
		"everybody": {"keys": ["*"], "want": true},
	}
	facts := testing.call({"group": {"ids": ["g1"]}, "sender": {"id": "", "name": "", "username": "", "e164": ""}})
	is_visible := testing.fate(facts, _by_sender(c.keys), "read") == "visible"
	is_visible == c.want
}

_paths(entry) := testing.fate(testing.call({"group": {"ids": ["g1"]}}), _discord(entry), "read")[2]

_deny := {"deny": ["read"]}

test_precedence[name] if {
	some name, c in {
		"a stable identity before a name": {
			"groups": {"g1": {"toolsBySender": {"name:alice": {}, "id:123": _deny}}},
			"want": "channels.discord.groups.g1.toolsBySender.id:123.deny",
		},
		"a number before a user name": {
			"groups": {"g1": {"toolsBySender": {"username:alice99": {}, "e164:+15551234567": _deny}}},
			"want": "channels.discord.groups.g1.toolsBySender.e164:+15551234567.deny",
		},
		"a sender before everybody": {
			"groups": {"g1": {"toolsBySender": {"*": {}, "name:alice": _deny}}},
			"want": "channels.discord.groups.g1.toolsBySender.name:alice.deny",
		},
		"a sender before the group": {
			"groups": {"g1": {"tools": {}, "toolsBySender": {"id:123": _deny}}},
			"want": "channels.discord.groups.g1.toolsBySender.id:123.deny",
		},
		"the group before a sender of every group": {
			"groups": {"g1": {"tools": _deny}, "*": {"toolsBySender": {"id:123": {}}}},
			"want": "channels.discord.groups.g1.tools.deny",
		},
		"a sender of every group before every group": {
			"groups": {"*": {"tools": {}, "toolsBySender": {"id:123": _deny}}},
			"want": "channels.discord.groups.*.toolsBySender.id:123.deny",
		},
	}
	_paths(c.groups) == c.want
}

test_empty_sender_policy_decides_and_denies_nothing if {
	testing.fate(_from({"id": "123"}), _discord({"g1": {"tools": _deny, "toolsBySender": {"id:123": {}}}}), "read") == "visible"
}

test_ids_do_not_read_as_other_kinds[name] if {
	some name, c in {
		"a user name": {"id": "@username:alice.org", "key": "username:alice.org"},
		"a number": {"id": "e164:+15551234567", "key": "e164:+15551234567"},
		"a name": {"id": "name:alice", "key": "name:alice"},
	}
	sender := {"id": c.id, "name": "", "username": "", "e164": ""}
	testing.fate(_from(sender), _by_sender([c.key]), "read") != "visible"
	testing.fate(_from(sender), _by_sender([sprintf("id:%s", [c.id])]), "read") == "visible"
}

# While its channel is unknown, a group could be any group that has a policy.
test_a_group_without_a_channel_loses_everything if {
	facts := testing.call({"group": {"channel": "", "ids": ["g1"]}})
	testing.fate(facts, _discord({"g1": _read}), "read") == ["not_allowed", _step, "channels", "global"]
	testing.fate(facts, {}, "read") == "visible"
}

_alike(channel, ids, groups) := testing.fate(
	testing.call({"group": {"channel": channel, "account": "", "ids": ids}}),
	{"channels": {channel: {"groups": groups}}},
	"read",
)

_denied_by(entry) := ["denied", _step, sprintf("channels.%s.tools.deny", [entry]), "global"]

test_case_of_group_ids[name] if {
	some name, c in {
		"matters where the channel's ids are case-sensitive: the exact entry decides": {
			"got": _alike("signal", ["AbC"], {"AbC": _read, "aBc": _nothing}),
			"want": "visible",
		},
		"of a single entry that differs in case: it applies anyway": {
			"got": _alike("signal", ["abc"], {"AbC": _nothing}),
			"want": _denied_by("signal.groups.AbC"),
		},
		"of an entry that differs in case: the star's entry applies too": {
			"got": _alike("signal", ["abc"], {"AbC": _read, "*": _nothing}),
			"want": _denied_by("signal.groups.*"),
		},
		"of an entry that differs in case: it applies besides the star's": {
			"got": _alike("signal", ["abc"], {"AbC": _nothing, "*": _read}),
			"want": _denied_by("signal.groups.AbC"),
		},
		"does not matter where the channel's ids are case-insensitive": {
			"got": _alike("slack", ["c012"], {"C012": _read, "*": _nothing}),
			"want": "visible",
		},
	}
	c.got == c.want
}

test_sender_ids_with_an_at[name] if {
	some name, c in {
		"id:@alice is not the sender whose id is alice": {"id": "alice", "key": "id:@alice", "want": false},
		"id:@alice is the sender @alice": {"id": "@alice", "key": "id:@alice", "want": true},
		"id:alice is the sender @alice": {"id": "@alice", "key": "id:alice", "want": true},
		"an id without a prefix is compared without the @": {"id": "alice", "key": "@alice", "want": true},
		"channel and id together": {"id": "7", "key": "channel:discord:7", "want": true},
		"the same id of another channel": {"id": "7", "key": "channel:slack:7", "want": false},
		"channel and id without a channel": {"id": "7", "key": "channel::7", "want": false},
		"an id that looks like channel and id": {"id": "channel:discord:7", "key": "channel:discord:7", "want": false},
	}
	sender := {"id": c.id, "name": "", "username": "", "e164": ""}
	is_visible := testing.fate(_from(sender), _by_sender([c.key]), "read") == "visible"
	is_visible == c.want
}

test_another_spelling_of_an_id_matches_the_entry_for_the_id[key] if {
	some key in ["id:+1555", "+1555", "channel:whatsapp:+1555", "id:1555@s.whatsapp.net"]
	sender := {"channel": "whatsapp", "id": "1555@s.whatsapp.net", "also": ["+1555"], "e164": "", "name": "", "username": ""}
	facts := testing.call({"group": {"ids": ["g1"]}, "sender": sender})
	testing.fate(facts, _by_sender([key]), "read") == "visible"
}
