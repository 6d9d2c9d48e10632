package gavel.elevated.senders_test

import data.gavel.elevated.level
import data.gavel.elevated.senders
import data.gavel.testing

_whatsapp := {
	"channel": "whatsapp",
	"id": "+15550001111",
	"from": "whatsapp:+15550001111",
	"e164": "+15550001111",
	"name": "alice",
	"username": "owner_username",
	"tag": "owner#1",
}

_authorised(list, sender) if {
	facts := object.union(testing.exec_facts, {"sender": sender})
	level.authorised with input as facts with data.config as object.union(testing.config, {"tools": {"elevated": {"allowFrom": list}}})
}

# ELEVATED-2.
test_entries_that_name_the_sender[entry] if {
	some entry in [
		"*", "+15550001111", "whatsapp:+15550001111", "WhatsApp:+15550001111", "user:+15550001111", "  +15550001111  ",
		"id:+15550001111", "from:+15550001111", "from:whatsapp:+15550001111", "e164:+15550001111", "e164:+1 (555) 000-1111",
		"username:owner_username", "username:OWNER_USERNAME", "username:@owner_username", "name:Alice", "tag:owner#1", "tag:owner-1",
	]
	_authorised({"whatsapp": [entry]}, _whatsapp)
}

test_entries_that_do_not[entry] if {
	some entry in [
		"+15559990000", "alice", "owner_username", "owner#1", "id:alice", "name:", "id:", " ", "", "telegram:+15550001111",
		"id:15550001111", "from:15550001111", "e164:+15559990000", "e164:", "e164:+15550001111x", "e164:x", "username:alice", "name:owner_username", "tag:owner",
	]
	not _authorised({"whatsapp": [entry]}, _whatsapp)
}

test_a_list_for_all_channels_names_the_channel if {
	_authorised(["whatsapp:+15550001111"], _whatsapp)
	_authorised(["e164:+15550001111"], _whatsapp)
	not _authorised(["telegram:+15550001111"], _whatsapp)
	not _authorised(["+15550001111"], _whatsapp)
	not _authorised(["user:+15550001111"], _whatsapp)
}

test_a_repeated_prefix_is_part_of_an_id[id] if {
	some id in ["discord:discord:123", "user:discord:123", "discord:user:123"]
	sender := object.union(testing.facts.sender, {"id": id, "from": "", "e164": ""})
	not _authorised(["discord:123"], sender)
	_authorised(["discord:123"], object.union(sender, {"id": "discord:123"}))
}

test_a_list_for_another_channel_does_not_count if {
	not _authorised({"telegram": ["*"]}, _whatsapp)
	_authorised({"Telegram ": ["telegram:group:-100500"]}, {"channel": "telegram", "id": "12345", "from": "telegram:group:-100500"})
}

test_numbers_are_ids if {
	_authorised({"discord": [123456789]}, {"channel": "discord", "id": "123456789"})
}

test_another_spelling_of_an_id_is_the_same_sender if {
	sender := {"channel": "whatsapp", "id": "15550001111@s.whatsapp.net", "also": ["+15550001111"]}
	_authorised({"whatsapp": ["+15550001111"]}, sender)
	_authorised({"whatsapp": ["id:+15550001111"]}, sender)
	not _authorised({"whatsapp": ["from:+15550001111"]}, sender)
	not _authorised({"whatsapp": ["e164:+15550001111"]}, sender)
}

# An id has more digits than a floating-point number holds.
test_numbers_keep_every_digit if {
	_authorised({"discord": [123456789012345678]}, {"channel": "discord", "id": "123456789012345678"})
	not _authorised({"discord": [123456789012345678]}, {"channel": "discord", "id": "123456789012345677"})
}

test_a_missing_value_matches_nothing[part] if {
	some part in ["id", "from", "e164", "name", "username", "tag"]
	missing := json.remove(object.union(testing.exec_facts, {"sender": _whatsapp}), [sprintf("sender/%s", [part])])
	lists := {"tools": {"elevated": {"allowFrom": {"whatsapp": [sprintf("%s:%s", [part, _whatsapp[part]])]}}}}
	not level.authorised with input as missing with data.config as object.union(testing.config, lists)
}

test_an_unstated_sender_is_not_everybody if {
	not _authorised({"": ["*"]}, {"channel": "", "id": ""})
	not _authorised(["*"], {"channel": "", "id": "5"})
}

# Whether a list names the sender, whatever else speaks against it.
_named(channels, sender) if {
	senders.names_sender({"channels": channels}) with input as {"sender": object.union({"id": "", "also": [], "from": "", "e164": "", "name": "", "username": "", "tag": ""}, sender)}
}

test_a_sender_without_a_channel_matches_no_list[name] if {
	some name, entry in {
		"everybody": {"part": "*", "value": ""},
		"an id behind a colon": {"part": "", "value": ":5"},
	}
	not _named({"": [entry]}, {"channel": "", "id": "5"})
}

test_texts_that_normalise_to_an_empty_text_match_nothing[name] if {
	some name, c in {
		"no id and no id": {"entry": {"part": "id", "value": ""}, "sender": {"channel": "discord", "id": ""}},
		"a channel alone": {"entry": {"part": "", "value": "discord:"}, "sender": {"channel": "discord", "id": ""}},
		"names of signs": {"entry": {"part": "name", "value": "@"}, "sender": {"channel": "discord", "name": ""}},
		"names of other signs": {"entry": {"part": "name", "value": "@"}, "sender": {"channel": "discord", "name": "#"}},
		"numbers without digits": {"entry": {"part": "e164", "value": "()"}, "sender": {"channel": "signal", "e164": "-"}},
	}
	not _named({c.sender.channel: [c.entry]}, c.sender)
}

test_a_name_does_not_match_by_its_end if {
	not _named({"discord": [{"part": "username", "value": "oe"}]}, {"channel": "discord", "username": "zoe"})
	_named({"discord": [{"part": "username", "value": "zoe"}]}, {"channel": "discord", "username": "@zoe"})
	_named({"discord": [{"part": "username", "value": "mary-ann"}]}, {"channel": "discord", "username": "mary ann"})
}
