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

# Document 000 §10, R14 and R15. Layer 2 finds the misses of the allowlist.
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
		"always asks all the same": {"ask": "always", "word": "never", "want": "ask"},
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
				"message": "every command of this agent needs a person's answer",
				"fix": "set agents.main.exec.ask to on-miss to be asked about new programs only",
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

test_session_cannot_stop_the_asking if {
	facts := testing.command({"session": {"exec": {"ask": "off"}}})
	testing.codes(_reasons(facts, _config("full", "always", "never"))) == {"approvals.always"}
}

test_session_may_start_the_asking if {
	facts := testing.command({"session": {"exec": {"ask": "always"}}})
	testing.codes(_reasons(facts, _config("full", "off", "never"))) == {"approvals.always"}
}
