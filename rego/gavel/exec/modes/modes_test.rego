package gavel.exec.modes_test

import data.gavel.exec.modes
import data.gavel.testing

# R13: every pair of a configured value and a value from the session or the call.
_order := ["deny", "allowlist", "full"]

_asks := ["always", "on-miss", "off"]

_said("session", key, word) := testing.command({"session": {"exec": {key: word}}})

_said("request", key, word) := testing.execution({"request": {key: word}})

test_the_strictest_security_wins[name] if {
	some i, own in _order
	some j, word in _order
	some where in ["session", "request"]
	name := sprintf("%s in the configuration, %s in the %s", [own, word, where])
	got := modes.security with input as _said(where, "security", word) with data.config as testing.listing({"security": own}) with data.gavel.check.problems as set()
	got == _order[min([i, j])]
}

test_the_strictest_ask_wins[name] if {
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

# A session or a call opens no question about misses that nobody would be asked without it.
test_misses_are_asked_about_where_the_policy_asks[name] if {
	boxed := testing.command({"agent": {"sandboxed": true}, "session": {"elevated": "on"}})
	leaving := {"host": "sandbox", "ask": "off"}
	some name, c in {
		"off, and the call says always": {"facts": _said("request", "ask", "always"), "exec": {"ask": "off"}, "want": "off"},
		"off, and the session says on-miss": {"facts": _said("session", "ask", "on-miss"), "exec": {"ask": "off"}, "want": "off"},
		"off, and the file says on-miss": {
			"facts": object.union(testing.exec_facts, testing.filed({"ask": "on-miss"})),
			"exec": {"ask": "off"},
			"want": "on-miss",
		},
		"off, and nobody says anything": {"facts": testing.exec_facts, "exec": {"ask": "off"}, "want": "off"},
		"on-miss, and the call says always": {"facts": _said("request", "ask", "always"), "exec": {"ask": "on-miss"}, "want": "always"},
		"on-miss, and nobody says anything": {"facts": testing.exec_facts, "exec": {}, "want": "on-miss"},
		"off, and an elevated level is on": {"facts": boxed, "exec": leaving, "want": "on-miss"},
	}
	settings := object.union(testing.listing(c.exec), {"tools": {"elevated": {"allowFrom": ["discord:123"]}}})
	got := modes.miss_mode with input as c.facts with data.config as settings with data.gavel.check.problems as set()
	got == c.want
}

test_the_source_of_the_ask_mode_is_where_it_is_set[name] if {
	leaving := {"agent": {"sandboxed": true}}
	some name, c in {
		"the configuration": {"facts": testing.exec_facts, "default": "off", "want": "tools.exec.ask"},
		"the call": {"facts": _said("request", "ask", "always"), "default": "off", "want": "tool.params.ask"},
		"the session": {"facts": _said("session", "ask", "always"), "default": "off", "want": "session.exec.ask"},
		"a directive": {
			"facts": testing.command({"sessionValues": {"state": "read", "own": {"ask": "always"}}}),
			"default": "off",
			"want": "session.exec.ask",
		},
		"the level of the session": {
			"facts": testing.command(object.union(leaving, {"session": {"elevated": "ask"}})),
			"default": "off",
			"want": "session.elevated",
		},
		"the level of the message": {
			"facts": testing.command(object.union(leaving, {"session": {"inline": "ask"}})),
			"default": "off",
			"want": "message.inline.elevated",
		},
		"the default level": {"facts": testing.command(leaving), "default": "ask", "want": "agents.defaults.elevatedDefault"},
	}
	settings := object.union(testing.listing({"ask": "on-miss", "host": "sandbox"}), {
		"tools": {"elevated": {"allowFrom": ["discord:123"]}},
		"agents": {"defaults": {"elevatedDefault": c["default"]}},
	})
	found := modes.ask_setting with input as c.facts with data.config as settings with data.gavel.check.problems as set()
	found.path == c.want
}

test_full_is_in_force_whatever_the_call_requests[name] if {
	some name, c in {
		"the call says allowlist": {"facts": _said("request", "security", "allowlist"), "security": "full", "want": true},
		"the session says deny": {"facts": _said("session", "security", "deny"), "security": "full", "want": true},
		"the file says allowlist": {
			"facts": object.union(testing.exec_facts, testing.filed({"security": "allowlist"})),
			"security": "full",
			"want": false,
		},
		"the call says full": {"facts": _said("request", "security", "full"), "security": "allowlist", "want": false},
	}
	settings := testing.listing({"security": c.security})
	stands := {true | modes.configured_full with input as c.facts with data.config as settings with data.gavel.check.problems as set()}
	stands == {true | c.want}
}

# R12: the settings when nothing is configured.
test_defaults[name] if {
	boxed := testing.command({"agent": {"sandboxed": true}})
	some name, c in {
		"in a sandbox": {"facts": boxed, "config": {}, "want": ["deny", "on-miss", "sandbox"]},
		"without a sandbox, on the gateway": {"facts": testing.exec_facts, "config": {}, "want": ["allowlist", "on-miss", "gateway"]},
		"on a node": {"facts": testing.exec_facts, "config": testing.execs({"host": "node"}), "want": ["allowlist", "on-miss", "node"]},
		"on the gateway by configuration": {"facts": boxed, "config": testing.execs({"host": "gateway"}), "want": ["allowlist", "on-miss", "gateway"]},
		"an unknown value changes no default": {
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

test_unknown_values_in_the_configuration_count_as_the_strictest if {
	security := modes.security with input as _said("request", "ask", "off") with data.config as testing.listing({"security": "fulll"}) with data.gavel.check.problems as set()
	security == "deny"
	ask := modes.ask_mode with input as _said("request", "security", "full") with data.config as testing.listing({"ask": "allways"}) with data.gavel.check.problems as set()
	ask == "always"
}

# R30: the configuration chooses the host; the call cannot choose another.
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
		"a value that is not a host": {"own": "gateway", "boxed": false, "asked": "moon", "want": "none"},
		"a configured value that is not a host": {"own": "moon", "boxed": false, "asked": "moon", "want": "none"},
	}
	facts := testing.command({"agent": {"sandboxed": c.boxed}, "exec": {"request": {"host": c.asked}}})
	_host(facts, testing.listing({"host": c.own})) == c.want
}

test_the_calls_host_takes_precedence_over_the_sessions if {
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

test_an_unbound_agent_runs_on_the_node_it_asks_for if {
	facts := testing.command({"session": {"exec": {"node": "mac-2"}}})
	node := modes.node with input as facts with data.config as testing.listing({"host": "node"}) with data.gavel.check.problems as set()
	node == "mac-2"
}
