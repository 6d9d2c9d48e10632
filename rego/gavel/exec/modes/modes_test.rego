package gavel.exec.modes_test

import data.gavel.exec.modes
import data.gavel.testing

# R13: every pair of what is configured and what the session or the call says.
_order := ["deny", "allowlist", "full"]

_asks := ["always", "on-miss", "off"]

_said("session", key, word) := testing.command({"session": {"exec": {key: word}}})

_said("request", key, word) := testing.execution({"request": {key: word}})

test_security_is_the_tightest[name] if {
	some i, own in _order
	some j, word in _order
	some where in ["session", "request"]
	name := sprintf("%s in the configuration, %s in the %s", [own, word, where])
	got := modes.security with input as _said(where, "security", word) with data.config as testing.listing({"security": own}) with data.gavel.check.problems as set()
	got == _order[min([i, j])]
}

test_ask_is_the_strictest[name] if {
	some i, own in _asks
	some j, word in _asks
	some where in ["session", "request"]
	name := sprintf("%s in the configuration, %s in the %s", [own, word, where])
	got := modes.ask_mode with input as _said(where, "ask", word) with data.config as testing.listing({"ask": own}) with data.gavel.check.problems as set()
	got == _asks[min([i, j])]
}

test_session_and_call_are_combined[name] if {
	some name, c in {
		"the call cannot undo the session": {"session": "deny", "request": "full", "want": "deny"},
		"the session cannot undo the call": {"session": "full", "request": "allowlist", "want": "allowlist"},
		"neither can undo the configuration": {"session": "full", "request": "full", "want": "allowlist"},
	}
	facts := testing.command({"session": {"exec": {"security": c.session}}, "exec": {"request": {"security": c.request}}})
	got := modes.security with input as facts with data.config as testing.listing({}) with data.gavel.check.problems as set()
	got == c.want
}

# R12: what holds where nothing is configured.
test_defaults[name] if {
	boxed := testing.command({"agent": {"sandboxed": true}})
	some name, c in {
		"in a sandbox": {"facts": boxed, "config": {}, "want": ["deny", "on-miss", "sandbox"]},
		"without a sandbox, on the gateway": {"facts": testing.exec_facts, "config": {}, "want": ["allowlist", "on-miss", "gateway"]},
		"on a node": {"facts": testing.exec_facts, "config": testing.execs({"host": "node"}), "want": ["allowlist", "on-miss", "node"]},
		"on the gateway by configuration": {"facts": boxed, "config": testing.execs({"host": "gateway"}), "want": ["allowlist", "on-miss", "gateway"]},
		"a word too many changes no default": {
			"facts": testing.execution({"request": {"ask": "off"}}),
			"config": {},
			"want": ["allowlist", "on-miss", "gateway"],
		},
	}
	security := modes.security with input as c.facts with data.config as c.config with data.gavel.check.problems as set()
	ask := modes.ask_mode with input as c.facts with data.config as c.config with data.gavel.check.problems as set()
	host := modes.host with input as c.facts with data.config as c.config with data.gavel.check.problems as set()
	[security, ask, host] == c.want
}

test_security_without_a_host_is_deny if {
	facts := testing.execution({"request": {"host": "moon"}})
	security := modes.security with input as facts with data.config as {} with data.gavel.check.problems as set()
	security == "deny"
}

test_unknown_words_in_the_configuration_are_the_tightest if {
	security := modes.security with input as _said("request", "ask", "off") with data.config as testing.listing({"security": "fulll"}) with data.gavel.check.problems as set()
	security == "deny"
	ask := modes.ask_mode with input as _said("request", "security", "full") with data.config as testing.listing({"ask": "allways"}) with data.gavel.check.problems as set()
	ask == "always"
}

# R30: the configuration says where; the call may not choose another place.
_host(facts, settings) := host if {
	host := modes.host with input as facts with data.config as settings with data.gavel.check.problems as set()
} else := "none"

test_host[name] if {
	some name, c in {
		"sandbox, in a sandbox": {"own": "sandbox", "boxed": true, "asked": "", "want": "sandbox"},
		"sandbox, in a sandbox, asked for": {"own": "sandbox", "boxed": true, "asked": "sandbox", "want": "sandbox"},
		"sandbox, in a sandbox, gateway asked for": {"own": "sandbox", "boxed": true, "asked": "gateway", "want": "none"},
		"sandbox, in a sandbox, node asked for": {"own": "sandbox", "boxed": true, "asked": "node", "want": "none"},
		"sandbox, without one": {"own": "sandbox", "boxed": false, "asked": "", "want": "gateway"},
		"sandbox, without one, auto asked for": {"own": "sandbox", "boxed": false, "asked": "auto", "want": "gateway"},
		"sandbox, without one, node asked for": {"own": "sandbox", "boxed": false, "asked": "node", "want": "node"},
		"auto, in a sandbox": {"own": "auto", "boxed": true, "asked": "", "want": "sandbox"},
		"auto, in a sandbox, gateway asked for": {"own": "auto", "boxed": true, "asked": "gateway", "want": "none"},
		"auto, without one": {"own": "auto", "boxed": false, "asked": "", "want": "gateway"},
		"gateway, in a sandbox": {"own": "gateway", "boxed": true, "asked": "", "want": "gateway"},
		"gateway, auto asked for": {"own": "gateway", "boxed": false, "asked": "auto", "want": "gateway"},
		"gateway, node asked for": {"own": "gateway", "boxed": false, "asked": "node", "want": "none"},
		"gateway, sandbox asked for": {"own": "gateway", "boxed": true, "asked": "sandbox", "want": "none"},
		"node": {"own": "node", "boxed": false, "asked": "", "want": "node"},
		"node, gateway asked for": {"own": "node", "boxed": false, "asked": "gateway", "want": "none"},
		"a word that names no host": {"own": "gateway", "boxed": false, "asked": "moon", "want": "none"},
		"a configured word that names no host": {"own": "moon", "boxed": false, "asked": "moon", "want": "none"},
	}
	facts := testing.command({"agent": {"sandboxed": c.boxed}, "exec": {"request": {"host": c.asked}}})
	_host(facts, testing.listing({"host": c.own})) == c.want
}

test_calls_choice_of_host_comes_before_the_sessions if {
	facts := testing.command({"session": {"exec": {"host": "gateway"}}, "exec": {"request": {"host": "node"}}})
	_host(facts, {}) == "node"
	session := testing.command({"session": {"exec": {"host": "node"}}})
	_host(session, {}) == "node"
}

test_node[name] if {
	some name, c in {
		"bound, nothing asked": {"own": "Mac-1", "asked": "", "says": "permit", "node": "Mac-1"},
		"bound, the same asked": {"own": "Mac-1", "asked": "mac-1", "says": "permit", "node": "Mac-1"},
		"bound, another asked": {"own": "Mac-1", "asked": "mac-2", "says": "deny", "node": "Mac-1"},
	}
	facts := testing.execution({"request": {"node": c.asked}})
	settings := testing.listing({"host": "node", "node": c.own})
	node := modes.node with input as facts with data.config as settings with data.gavel.check.problems as set()
	node == c.node
	testing.verdict(facts, settings).says == c.says
}

test_node_that_nobody_bound_is_the_one_asked_for if {
	facts := testing.command({"session": {"exec": {"node": "mac-2"}}})
	node := modes.node with input as facts with data.config as testing.listing({"host": "node"}) with data.gavel.check.problems as set()
	node == "mac-2"
}
