package gavel.directives.sender_test

import data.gavel.directives.sender
import data.gavel.testing

_open := {
	"commands": {"allowFrom": ["discord:123"]},
	"approvals": {"exec": {"allowFrom": ["discord:123"]}},
}

_blank := {"name": "", "options": [], "level": "", "words": [], "problem": ""}

_exec(options) := object.union(_blank, {"name": "exec", "options": [{"key": key, "value": value} | some key, value in options]})

_elevated(level) := object.union(_blank, {"name": "elevated", "level": level})

_approve(words) := object.union(_blank, {"name": "approve", "words": words})

_stranger := {"sender": {"id": "9"}}

_group := {"group": {"channel": "discord", "ids": ["g1"]}}

_codes(facts, config) := {r.code | some [_, r] in found} if {
	found := sender.refused with input as facts with data.config as object.union(testing.config, config)
}

_message(directive, changes) := object.union_n([
	testing.facts,
	{"message": {"mentioned": false, "rest": false, "directives": [directive]}},
	changes,
])

test_senders_who_may_not_give_a_directive[name] if {
	some name, c in {
		"a sender on no list": {"said": _exec({"ask": "always"}), "changes": _stranger, "want": {"directives.sender"}},
		"the current values are for them neither": {"said": _exec({}), "changes": _stranger, "want": {"directives.sender"}},
		"an owner whom nobody states": {"said": _exec({}), "changes": {"sender": {"id": "9", "owner": "true"}}, "want": {"directives.sender"}},
		"a sender without a channel": {"said": _exec({}), "changes": {"sender": {"channel": ""}}, "want": {"directives.nobody"}},
		"an answer of a sender on no list": {"said": _approve(["a", "deny"]), "changes": _stranger, "want": {"directives.approver"}},
		"an answer of the owner on no list": {"said": _approve(["a", "deny"]), "changes": {"sender": {"id": "9", "owner": true}}, "want": {"directives.approver"}},
		"an answer of nobody": {"said": _approve(["a", "deny"]), "changes": {"sender": {"channel": ""}}, "want": {"directives.nobody"}},
		"a message that an agent sends": {"said": _exec({}), "changes": {"caller": {"kind": "agent"}}, "want": {"directives.not_gateway"}},
		"a group": {"said": _exec({"ask": "always"}), "changes": _group, "want": {"directives.not_mentioned"}},
		"a level in a group": {"said": _elevated("on"), "changes": _group, "want": {"directives.not_mentioned"}},
	}
	_codes(_message(c.said, c.changes), _open) == c.want
}

test_senders_who_may_give_a_directive[name] if {
	some name, c in {
		"a listed sender": {"said": _exec({}), "changes": {}},
		"the owner": {"said": _exec({}), "changes": {"sender": {"id": "9", "owner": true}}},
		"a listed sender who answers": {"said": _approve(["a", "deny"]), "changes": {}},
		"anybody for whom elevated mode says it": {"said": _elevated("on"), "changes": _stranger},
	}
	_codes(_message(c.said, c.changes), _open) == set()
}

test_in_a_group_only_directives_that_tighten_need_no_mention[name] if {
	some name, c in {
		"security deny": {"said": _exec({"security": "deny"}), "want": set()},
		"security deny and more": {"said": _exec({"security": "deny", "ask": "always"}), "want": {"directives.not_mentioned"}},
		"elevated off": {"said": _elevated("off"), "want": set()},
		"elevated on": {"said": _elevated("on"), "want": {"directives.not_mentioned"}},
		"an answer": {"said": _approve(["a", "deny"]), "want": set()},
	}
	_codes(_message(c.said, _group), _open) == c.want
	_codes(_message(c.said, object.union(_group, {"message": {"mentioned": true}})), _open) == set()
}

test_the_reason_names_the_sender if {
	found := sender.refused with input as _message(_exec({}), _stranger) with data.config as object.union(testing.config, _open)
	{[at, r.message] | some [at, r] in found} == {[0, "discord:9 is neither the owner nor on the list of senders who may use /exec"]}
}
