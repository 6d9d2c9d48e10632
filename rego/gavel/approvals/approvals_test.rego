package gavel.approvals_test

import data.gavel.approvals
import data.gavel.testing

_says(security, ask, full_on_miss) := "ask" if {
	count(approvals.ask) > 0 with input as testing.exec_facts with data.config as _config(security, ask, full_on_miss)
} else := "permit" if {
	approvals.permit with input as testing.exec_facts with data.config as _config(security, ask, full_on_miss)
} else := "nothing"

_config(security, ask, full_on_miss) := {"tools": {"exec": {
	"host": "gateway",
	"security": security,
	"ask": ask,
	"fullAskOnMiss": full_on_miss,
}}}

# APPROVALS-2, R14 and R15. Layer 2 finds the misses of the allowlist.
test_modes[name] if {
	some name, c in {
		"allowlist, off": {"security": "allowlist", "ask": "off", "want": "permit"},
		"allowlist, on-miss": {"security": "allowlist", "ask": "on-miss", "want": "permit"},
		"allowlist, always": {"security": "allowlist", "ask": "always", "want": "ask"},
		"full, off": {"security": "full", "ask": "off", "want": "permit"},
		"full, on-miss": {"security": "full", "ask": "on-miss", "want": "ask"},
		"full, always": {"security": "full", "ask": "always", "want": "ask"},
		"deny, off": {"security": "deny", "ask": "off", "want": "permit"},
		"deny, on-miss": {"security": "deny", "ask": "on-miss", "want": "nothing"},
		"deny, always": {"security": "deny", "ask": "always", "want": "ask"},
	}
	_says(c.security, c.ask, "unseen") == c.want
}

test_full_may_be_configured_to_never_ask_on_a_miss[name] if {
	some name, c in {
		"on-miss": {"ask": "on-miss", "word": "never", "want": "permit"},
		"another word asks": {"ask": "on-miss", "word": "nevr", "want": "ask"},
		"always asks anyway": {"ask": "always", "word": "never", "want": "ask"},
	}
	_says("full", c.ask, c.word) == c.want
}

_reasons(facts, config) := asks if {
	asks := approvals.ask with input as facts with data.config as config
}

test_reasons[name] if {
	some name, c in {
		"always": {
			"config": {"agents": {"main": {"exec": {"ask": "always"}}}},
			"want": {
				"layer": "approvals",
				"code": "approvals.always",
				"message": "ask is always, so a person must agree to every command",
				"fix": "to be asked only about programs that match no allowlist entry, set agents.main.exec.ask to on-miss",
				"source": {"path": "agents.main.exec.ask", "from": "agent"},
			},
		},
		"unseen": {
			"config": {"tools": {"exec": {"security": "full"}}},
			"want": {
				"layer": "approvals",
				"code": "approvals.unseen",
				"message": "security is full, and nobody has approved this command yet",
				"fix": "have a person approve it, or set tools.exec.fullAskOnMiss to never",
				"source": {"path": "tools.exec.ask", "from": "default"},
			},
		},
	}
	_reasons(testing.exec_facts, c.config) == {c.want}
}

# Nobody edits the configuration for what a call or a session says.
test_the_fix_for_ask_always_depends_on_where_it_is_set[name] if {
	some name, c in {
		"the call": {"changes": {"exec": {"request": {"ask": "always"}}}, "want": "leave the parameter ask out of the call"},
		"the session": {"changes": {"session": {"exec": {"ask": "always"}}}, "want": "set the session to /exec ask=on-miss"},
	}
	[reason] := [r | some r in _reasons(testing.command(c.changes), _config("full", "on-miss", "never"))]
	endswith(reason.fix, concat(", ", ["match no allowlist entry", c.want]))
}

test_a_call_that_cannot_be_bound_names_what_runs if {
	facts := testing.command({"approval": {"looked": true}})
	[reason] := [r | some r in approvals.unanswered with input as facts with data.config as _always]
	program := facts.exec.segments[0].executable.real
	program != ""
	contains(reason.message, sprintf("%s was replaced in the meantime, or cannot be read", [program]))
}

test_a_session_cannot_turn_asking_off if {
	facts := testing.command({"session": {"exec": {"ask": "off"}}})
	testing.codes(_reasons(facts, _config("full", "always", "never"))) == {"approvals.always"}
}

test_a_session_can_turn_asking_on if {
	facts := testing.command({"session": {"exec": {"ask": "always"}}})
	testing.codes(_reasons(facts, _config("full", "off", "never"))) == {"approvals.always"}
}

# What a person has said is a fact; whether it is enough is judged here (R13 to R18).
_verdict(facts, config) := "deny" if {
	count(approvals.deny) > 0 with input as facts with data.config as config
} else := _unanswered(facts, config)

_unanswered(facts, config) := "unanswered" if {
	count(approvals.unanswered) > 0 with input as facts with data.config as config
} else := "permit" if {
	approvals.permit with input as facts with data.config as config
} else := "ask" if {
	count(approvals.ask) > 0 with input as facts with data.config as config
}

_always := _config("allowlist", "always", "unseen")

test_answers[name] if {
	some name, c in {
		"no facts": {"changes": {}, "want": "ask"},
		"looked, and found nothing": {"changes": testing.looked, "want": "ask"},
		"allow-once": {"changes": testing.answered("allow-once"), "want": "permit"},
		"allow-always": {"changes": testing.answered("allow-always"), "want": "permit"},
		"deny": {"changes": testing.answered("deny"), "want": "deny"},
		"an unknown answer": {"changes": testing.answered("Allow-Once"), "want": "ask"},
		"no answer at all": {"changes": testing.answered(""), "want": "ask"},
		"pending": {"changes": _with({"state": "pending"}), "want": "ask"},
		"consumed": {"changes": _with({"state": "consumed"}), "want": "ask"},
		"an answer to another call": {"changes": _with({"binding": "ffff"}), "want": "ask"},
		"an answer to a call that cannot be bound": {"changes": _with({"binding": "", "bound": ""}), "want": "unanswered"},
		"an answer that nobody looked for": {"changes": _with({"looked": false}), "want": "ask"},
		"an answer that was not found": {"changes": _with({"found": false}), "want": "ask"},
		"expired": {"changes": testing.lapsed("timeout"), "want": "unanswered"},
		"no route": {"changes": testing.lapsed("no-approval-route"), "want": "unanswered"},
		"expired for another reason": {"changes": testing.lapsed("bored"), "want": "unanswered"},
	}
	_verdict(testing.command(c.changes), _always) == c.want
}

_with(changes) := object.union(testing.answered("allow-once"), {"approval": changes})

test_history[name] if {
	some name, c in {
		"permanently": {"seen": "allow-always", "config": _config("full", "on-miss", "unseen"), "want": "permit"},
		"once is not permanently": {"seen": "allow-once", "config": _config("full", "on-miss", "unseen"), "want": "ask"},
		"never": {"seen": "", "config": _config("full", "on-miss", "unseen"), "want": "ask"},
		"always asks anyway": {"seen": "allow-always", "config": _config("full", "always", "unseen"), "want": "ask"},
	}
	facts := testing.command({"approval": {"looked": true, "bound": testing.binding, "seen": c.seen}})
	_verdict(facts, c.config) == c.want
}

test_history_without_a_binding_does_not_count if {
	facts := testing.command({"approval": {"looked": true, "bound": "", "seen": "allow-always"}})
	_verdict(facts, _config("full", "on-miss", "unseen")) == "unanswered"
}

_fallback(security, word) := {"tools": {"exec": {
	"host": "gateway",
	"security": security,
	"ask": "always",
	"askFallback": word,
	"allowlist": ["/usr/bin/rg"],
}}}

test_fallbacks[name] if {
	some name, c in {
		"deny": {"config": _fallback("allowlist", "deny"), "changes": {}, "want": "unanswered"},
		"allowlist, allowlisted": {"config": _fallback("allowlist", "allowlist"), "changes": {}, "want": "permit"},
		"allowlist, in full mode, allowlisted": {"config": _fallback("full", "allowlist"), "changes": {}, "want": "permit"},
		"allowlist, not allowlisted": {
			"config": _fallback("allowlist", "allowlist"),
			"changes": {"exec": {"segments": [testing.segment("/usr/bin/vi")]}},
			"want": "unanswered",
		},
		"full is not a fallback": {"config": _fallback("allowlist", "full"), "changes": {}, "want": "unanswered"},
		"the file is stricter": {
			"config": _fallback("allowlist", "allowlist"),
			"changes": testing.filed({"askFallback": "deny"}),
			"want": "unanswered",
		},
		"the file cannot loosen": {
			"config": _fallback("allowlist", "deny"),
			"changes": testing.filed({"askFallback": "allowlist"}),
			"want": "unanswered",
		},
		"an unknown value in the file": {
			"config": _fallback("allowlist", "allowlist"),
			"changes": testing.filed({"askFallback": "Allowlist"}),
			"want": "unanswered",
		},
	}
	every why in ["timeout", "no-approval-route"] {
		facts := object.union(testing.command(c.changes), testing.lapsed(why))
		_verdict(facts, c.config) == c.want
	}
}

test_reasons_of_answers[name] if {
	some name, c in {
		"a denial": {"changes": testing.answered("deny"), "want": {"approvals.denied"}},
		"a file that cannot be used": {"changes": {"approvalsFile": {"state": "refused"}}, "want": {"approvals.file_refused"}},
		"a file in an unknown state": {"changes": {"approvalsFile": {"state": "odd"}}, "want": {"approvals.file_refused"}},
	}
	denied := approvals.deny with input as testing.command(c.changes) with data.config as _always
	testing.codes(denied) == c.want
}

test_reasons_of_unanswered_questions[name] if {
	some name, c in {
		"timeout": {"changes": testing.lapsed("timeout"), "want": {"approvals.timeout"}},
		"no route": {"changes": testing.lapsed("no-approval-route"), "want": {"approvals.no_route"}},
		"unbound": {"changes": {"approval": {"looked": true}}, "want": {"approvals.unbound"}},
	}
	found := approvals.unanswered with input as testing.command(c.changes) with data.config as _always
	testing.codes(found) == c.want
}

test_an_unusable_file_does_not_affect_other_tools if {
	facts := object.union(testing.facts, {"approvalsFile": {"state": "refused"}})
	denied := approvals.deny with input as facts with data.config as _always
	denied == set()
}

test_grounds[name] if {
	some name, c in {
		"an answer": {"changes": testing.answered("allow-once"), "want": {"approvals.approved"}},
		"a fallback": {"changes": testing.lapsed("timeout"), "want": {"approvals.fallback"}},
		"nothing": {"changes": testing.looked, "want": set()},
	}
	found := approvals.because with input as testing.command(c.changes) with data.config as _fallback("allowlist", "allowlist")
	testing.codes(found) == c.want
}
