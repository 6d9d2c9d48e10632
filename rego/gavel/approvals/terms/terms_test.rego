package gavel.approvals.terms_test

import data.gavel.approvals.terms
import data.gavel.testing

_terms(facts, config) := found if {
	found := terms.result with input as facts with data.config as config
}

_asking(settings) := object.union(testing.config, {"approvals": {"exec": settings}})

_vi := testing.programs(["/usr/bin/vi"])

test_defaults_are_two_minutes_one_person_and_any_operator if {
	found := _terms(_vi, testing.config)
	found.timeoutMs == 120000
	found.quorum == 1
	found.approvers == []
	found.forward == []
	found.connected == false
	found.secrets == false
}

test_only_the_word_show_shows_secrets[name] if {
	some name, c in {
		"show": {"setting": "show", "want": true},
		"mask": {"setting": "mask", "want": false},
		"another case": {"setting": "Show", "want": false},
		"another type": {"setting": true, "want": false},
		"nothing": {"setting": null, "want": false},
	}
	_terms(_vi, _asking({"secrets": c.setting})).secrets == c.want
}

test_what_may_be_answered[name] if {
	some name, c in {
		"a program that misses": {"facts": _vi, "config": testing.config, "want": 3},
		"always never offers permanently": {"facts": _vi, "config": _ask("always"), "want": 2},
		"a hazard, for exactly this command": {
			"facts": testing.execution({"segments": [testing.hazardous("/usr/bin/rg", "runs", "--pre")]}),
			"config": testing.config,
			"want": 3,
		},
		"a program that misses, with a hazard, for exactly this command": {
			"facts": testing.execution({"segments": [testing.hazardous("/usr/bin/vi", "runs", "-c")]}),
			"config": testing.config,
			"want": 3,
		},
		"one of two cannot be listed": {
			"facts": testing.execution({"segments": [testing.segment("/usr/bin/vi"), testing.segment("/usr/bin/sudo")]}),
			"config": testing.config,
			"want": 2,
		},
		"a wrapper that nobody trusts, for exactly this command": {
			"facts": testing.execution({"segments": [testing.wrapped("/usr/bin/vi", ["/tmp/nice"])]}),
			"config": testing.config,
			"want": 3,
		},
		"code that cannot be identified": {
			"facts": testing.execution({"segments": [object.union(testing.segment("/usr/bin/vi"), {"unbound": [{"what": "x", "why": "module"}]})]}),
			"config": testing.config,
			"want": 2,
		},
		"code that cannot be identified, in full mode": {
			"facts": testing.execution({"segments": [object.union(testing.segment("/usr/bin/vi"), {"unbound": [{"what": "x", "why": "module"}]})]}),
			"config": testing.configured({"tools": {"exec": {"security": "full"}}}),
			"want": 2,
		},
		"full mode remembers the command": {
			"facts": _vi,
			"config": testing.configured({"tools": {"exec": {"security": "full"}}}),
			"want": 3,
		},
		"another tool": {"facts": testing.facts, "config": testing.config, "want": 2},
	}
	count(_terms(c.facts, c.config).decisions) == c.want
}

_ask(mode) := testing.configured({"tools": {"exec": {"ask": mode}}})

test_custom_rules_that_ask_again_make_permanent_answers_pointless if {
	found := terms.result with input as _vi
		with data.config as testing.config
		with data.gavel.custom.ask as {{"code": "mine"}}
	found.decisions == ["allow-once", "deny"]
	found.offer == []
}

test_offer[name] if {
	some name, c in {
		"the program": {"facts": _vi, "config": testing.config, "want": ["/usr/bin/vi"]},
		"all of them, once, without what is listed": {
			"facts": testing.programs(["/usr/bin/vi", "/usr/bin/rg", "/usr/bin/ed", "/usr/bin/vi"]),
			"config": testing.config,
			"want": ["/usr/bin/vi", "/usr/bin/ed"],
		},
		"nothing in full mode": {
			"facts": _vi,
			"config": testing.configured({"tools": {"exec": {"security": "full"}}}),
			"want": [],
		},
		"nothing with ask always": {"facts": _vi, "config": _ask("always"), "want": []},
	}
	_terms(c.facts, c.config).offer == c.want
}

test_settings_are_read if {
	found := _terms(_vi, _asking({"timeout": 300000, "quorum": 2, "approvers": ["alice"], "route": "connected"}))
	found.timeoutMs == 300000
	found.quorum == 2
	found.approvers == ["alice"]
	found.connected == true
}

test_an_agent_may_have_approvers_of_its_own if {
	config := object.union(_asking({"approvers": ["alice"]}), {"agents": {"main": {"exec": {"approvers": ["bob"]}}}})
	_terms(_vi, config).approvers == ["bob"]
	_terms(testing.facts, config).approvers == ["alice"]
}

_targets := [{"channel": "slack", "to": "U1"}, {"channel": "telegram", "to": "9", "threadId": "4"}]

test_forwarding[name] if {
	some name, c in {
		"off by default": {"settings": {"targets": _targets, "mode": "targets"}, "want": []},
		"to targets": {
			"settings": {"enabled": true, "mode": "targets", "targets": _targets},
			"want": [{"channel": "slack", "to": "U1"}, {"channel": "telegram", "to": "9"}],
		},
		"to the session": {"settings": {"enabled": true, "targets": _targets}, "want": [_here]},
		"to both": {
			"settings": {"enabled": true, "mode": "both", "targets": [_targets[0]]},
			"want": [_here, {"channel": "slack", "to": "U1"}],
		},
		"an agent of the filter": {"settings": {"enabled": true, "agentFilter": ["main"]}, "want": [_here]},
		"another agent": {"settings": {"enabled": true, "agentFilter": ["mai", "main2"]}, "want": []},
		"a session of the filter, by channel": {"settings": {"enabled": true, "sessionFilter": ["discord"]}, "want": [_here]},
		"a session of the filter, by key": {"settings": {"enabled": true, "sessionFilter": ["agent:main:main"]}, "want": [_here]},
		"a partial word matches no session": {"settings": {"enabled": true, "sessionFilter": ["disc", "agent:"]}, "want": []},
		"a regular expression matches no session": {"settings": {"enabled": true, "sessionFilter": [".*", "(a+)+"]}, "want": []},
		"a blank filter passes nothing (weakness 52)": {"settings": {"enabled": true, "sessionFilter": [""]}, "want": []},
	}
	_terms(_vi, _asking(c.settings)).forward == c.want
}

_here := {"channel": "discord", "to": "123"}

_standing(id, config) := found if {
	found := terms.standing with input as {"agent": {"id": id}} with data.config as config
}

_own_approvers := object.union(
	_asking({"approvers": ["alice"], "quorum": 2}),
	{"agents": {"main": {"exec": {"approvers": ["bob"]}}, "other": {}}},
)

test_the_approval_terms_of_an_agent[name] if {
	some name, c in {
		"an agent with a list of its own": {"id": "main", "config": _own_approvers, "lists": [["bob"]], "quorum": 2},
		"an agent without one": {"id": "other", "config": _own_approvers, "lists": [["alice"]], "quorum": 2},
		"agent * needs all lists": {"id": "*", "config": _own_approvers, "lists": [["alice"], ["bob"]], "quorum": 2},
		"tools other than exec": {"id": "", "config": _own_approvers, "lists": [["alice"]], "quorum": 2},
		"nothing is configured": {"id": "main", "config": testing.config, "lists": [], "quorum": 1},
	}
	found := _standing(c.id, c.config)
	found.approverLists == c.lists
	found.quorum == c.quorum
}

_ruled(rule) := testing.configured({"tools": {"exec": {"rules": [object.union({"program": "vi", "effect": "ask"}, rule)]}}})

# A rule that asks has terms of its own, which never ask for less (R42).
test_a_rule_says_who_answers if {
	found := _terms(_vi, _ruled({"approvers": ["b", "c"], "quorum": 2, "timeout": 5000}))
	found.approvers == ["b", "c"]
	found.quorum == 2
	found.timeoutMs == 5000
	found.decisions == ["allow-once", "deny"]
}

test_a_rule_narrows_the_configured_approvers if {
	config := object.union(_ruled({"approvers": ["b", "c"], "quorum": 1}), {"approvals": {"exec": {"approvers": ["a", "b"], "quorum": 3}}})
	found := _terms(_vi, config)
	found.approvers == ["b"]
	found.quorum == 3
}

test_nobody_can_answer_if_the_lists_have_no_common_person if {
	config := object.union(_ruled({"approvers": ["c"]}), {"approvals": {"exec": {"approvers": ["a", "b"]}}})
	found := _terms(_vi, config)
	found.approvers == ["(nobody)"]
}
