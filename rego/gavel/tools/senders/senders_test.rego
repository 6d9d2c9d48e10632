package gavel.tools.senders_test

import data.gavel.testing
import data.gavel.tools.senders

_from(sender) := testing.call({"sender": sender})

_alice := {"channel": "discord", "id": "123", "name": "alice", "username": "alice99", "e164": "+15551234567"}

_without(keys) := object.union(_alice, {key: "" | some key in keys})

_read := {"allow": ["read"]}

_nothing := {"deny": ["read"]}

_step := "tools.toolsBySender"

_path(key) := sprintf("tools.toolsBySender.%s.deny", [key])

test_the_strongest_identity_decides[name] if {
	some name, c in {
		"an id": {"entries": {"id:123": _nothing}, "key": "id:123"},
		"an id without a kind": {"entries": {"123": _nothing}, "key": "123"},
		"a channel and an id before an id": {"entries": {"channel:discord:123": _nothing, "id:123": _read}, "key": "channel:discord:123"},
		"an id before a number": {"entries": {"id:123": _nothing, "e164:+15551234567": _read}, "key": "id:123"},
		"a number before a user name": {"entries": {"e164:15551234567": _nothing, "username:alice99": _read}, "key": "e164:15551234567"},
		"a user name before a name": {"entries": {"username:@alice99": _nothing, "name:alice": _read}, "key": "username:@alice99"},
		"a name before everybody": {"entries": {"name:alice": _nothing, "*": _read}, "key": "name:alice"},
		"everybody else": {"entries": {"id:9": _read, "*": _nothing}, "key": "*"},
	}
	testing.fate(_from(_alice), {"tools": {"toolsBySender": c.entries}}, "read") == ["denied", _step, _path(c.key), "global"]
}

test_entries_of_others_do_not_apply[name] if {
	some name, entries in {
		"another id": {"id:9": _nothing},
		"another channel": {"channel:slack:123": _nothing},
		"the sender has an entry": {"id:123": {}, "*": _nothing},
	}
	testing.fate(_from(_alice), {"tools": {"toolsBySender": entries}}, "read") == "visible"
}

# R43: an identity that is not stated may be the one that is listed.
test_an_identity_that_is_not_stated_may_be_any[name] if {
	some name, c in {
		"an unknown id": {"without": ["id"], "entries": {"id:123": _nothing, "*": _read}, "want": _path("id:123")},
		"an unknown name": {"without": ["name"], "entries": {"name:alice": _nothing, "*": _read}, "want": _path("name:alice")},
		"an unknown channel": {"without": ["channel"], "entries": {"channel:slack:123": _nothing}, "want": _path("channel:slack:123")},
	}
	testing.fate(_from(_without(c.without)), {"tools": {"toolsBySender": c.entries}}, "read") == ["denied", _step, c.want, "global"]
}

test_a_sender_with_a_listed_id_needs_no_name if {
	entries := {"id:123": _read, "name:alice": _nothing}
	testing.fate(_from(_without(["name"])), {"tools": {"toolsBySender": entries}}, "read") == "visible"
}

test_the_agents_entry_replaces_the_global_one[name] if {
	some name, c in {
		"even an empty one": {"own": {"id:123": {}}, "want": "visible"},
		"an entry for everybody": {"own": {"*": {}}, "want": "visible"},
		"no entry that matches": {"own": {"id:9": {}}, "want": ["denied", _step, _path("*"), "global"]},
		"its own denial": {"own": {"id:123": _nothing}, "want": ["denied", _step, "agents.main.tools.toolsBySender.id:123.deny", "agent"]},
	}
	config := {"tools": {"toolsBySender": {"*": _nothing}}, "agents": {"main": {"tools": {"toolsBySender": c.own}}}}
	testing.fate(_from(_alice), config, "read") == c.want
}

test_an_agents_entry_that_only_may_be_the_senders_replaces_nothing if {
	config := {"tools": {"toolsBySender": {"*": _nothing}}, "agents": {"main": {"tools": {"toolsBySender": {"id:123": {}}}}}}
	testing.fate(_from(_without(["id"])), config, "read") == ["denied", _step, _path("*"), "global"]
}

test_an_allow_list_removes_the_rest if {
	config := {"tools": {"toolsBySender": {"id:123": _read}}}
	testing.fate(_from(_alice), config, "write") == ["not_allowed", _step, "tools.toolsBySender.id:123.allow", "global"]
}

test_no_list_restricts_nothing if {
	senders.steps({"id": "main"}) == [] with input as _from(_alice) with data.config as testing.config
}
