package gavel.directives.people_test

import data.gavel.check
import data.gavel.directives.people
import data.gavel.testing

_config(list) := testing.configured({"approvals": {"exec": {"people": list}}})

_named(sender, list) := name if {
	name := people.named with input as object.union(testing.facts, {"sender": sender}) with data.config as _config(list)
} else := ""

_alice := {"alice": ["discord:123"]}

test_a_sender_is_a_person[name] if {
	some name, c in {
		"by the account": {"sender": {}, "list": _alice, "want": "alice"},
		"by another spelling of the id": {"sender": {"id": "9", "also": ["123"]}, "list": _alice, "want": "alice"},
		"written with spaces and capitals": {"sender": {}, "list": {"alice": [" Discord: 123 "]}, "want": "alice"},
		"by the number": {"sender": {}, "list": {"bob": ["e164:+1 (555) 123-4567"]}, "want": "bob"},
		"one of several people": {"sender": {}, "list": {"alice": ["discord:123"], "bob": ["discord:4"]}, "want": "alice"},
	}
	_named(c.sender, c.list) == c.want
}

# Whatever is not exactly the account of one person is nobody.
test_a_sender_who_is_not_a_named_person[name] if {
	some name, c in {
		"no list": {"sender": {}, "list": {}},
		"another id": {"sender": {"id": "1234"}, "list": _alice},
		"a part of the id": {"sender": {"id": "12"}, "list": _alice},
		"another channel": {"sender": {"channel": "telegram"}, "list": _alice},
		"no channel": {"sender": {"channel": ""}, "list": {"alice": [":123"]}},
		"no id": {"sender": {"id": ""}, "list": {"alice": ["discord:"]}},
		"the id as a name": {"sender": {"id": "9", "name": "123", "username": "123", "tag": "123", "from": "discord:123"}, "list": _alice},
		"the account as an id": {"sender": {"id": "discord:123"}, "list": {"alice": ["id:discord:123"]}},
		"an id without a channel": {"sender": {}, "list": {"alice": ["id:123"]}},
		"a name": {"sender": {}, "list": {"alice": ["name:alice", "username:alice99", "tag:alice#1234", "from:alice@corp"]}},
		"everybody": {"sender": {}, "list": {"alice": ["*"]}},
		"digits of another alphabet": {"sender": {"id": "١٢٣"}, "list": _alice},
		"another number": {"sender": {"e164": "+15551234568"}, "list": {"bob": ["e164:+15551234567"]}},
		"a number without a country": {"sender": {"e164": "15551234567"}, "list": {"bob": ["e164:+15551234567"]}},
		"no number": {"sender": {"e164": ""}, "list": {"bob": ["e164:"]}},
		"two people": {"sender": {}, "list": {"alice": ["discord:123"], "bob": ["discord:123"]}},
	}
	_named(c.sender, c.list) == ""
}

test_only_a_gateway_can_state_the_sender_of_a_message if {
	facts := object.union(testing.facts, {"caller": {"kind": "agent"}})
	not people.named with input as facts with data.config as _config(_alice)
}

test_problems[name] if {
	some name, c in {
		"accounts of two people": {"list": {"alice": ["telegram:1", "e164:+49 151 234"], "bob": ["discord:1"]}, "paths": set()},
		"names, tags, addresses and ids": {
			"list": {"alice": ["name:a", "username:a", " Tag:a#1", "from:a@b", "id:1"]},
			"paths": {sprintf("approvals.exec.people.alice[%d]", [i]) | some i in numbers.range(0, 4)},
		},
		"everybody": {"list": {"alice": ["*"]}, "paths": {"approvals.exec.people.alice[0]"}},
		"no channel": {"list": {"alice": ["123", ":123"]}, "paths": {"approvals.exec.people.alice[0]", "approvals.exec.people.alice[1]"}},
		"a number without a country": {"list": {"alice": ["e164:0151234567"]}, "paths": {"approvals.exec.people.alice[0]"}},
		"the same account twice": {"list": {"alice": ["telegram:1"], "bob": ["Telegram: 1"]}, "paths": {"approvals.exec.people.bob[0]"}},
		"the same number twice": {"list": {"alice": ["e164:+49151234"], "bob": ["e164:+49 151-234"]}, "paths": {"approvals.exec.people.bob[0]"}},
		"a name in capitals, which would be a second person": {"list": {"Alice": ["telegram:1"]}, "paths": {"approvals.exec.people.Alice"}},
		"a mail address as a name": {"list": {"alice+ops@example.com": ["telegram:1"]}, "paths": set()},
		"a name that is none": {"list": {"alice, bob": ["telegram:1"]}, "paths": {"approvals.exec.people.alice, bob"}},
	}
	found := check.problems with data.config as _config(c.list)
	{problem.path | some problem in found} == c.paths
}
