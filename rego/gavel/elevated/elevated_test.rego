package gavel.elevated_test

import data.gavel.decision
import data.gavel.decision.layers
import data.gavel.elevated
import data.gavel.testing

_says(facts) := "deny" if {
	count(elevated.deny) > 0 with input as facts with data.config as testing.config
} else := "permit" if {
	elevated.permit with input as facts with data.config as testing.config
} else := "nothing"

_boxed(changes) := object.union(testing.command({"agent": {"sandboxed": true}}), changes)

test_in_a_sandbox[name] if {
	some name, c in {
		"no request to leave": {"facts": _boxed({}), "want": "permit"},
		"the session says off": {"facts": _boxed({"session": {"elevated": "off"}}), "want": "permit"},
		"the message says off": {"facts": _boxed({"session": {"inline": "off"}}), "want": "permit"},
		"the call asks": {"facts": _boxed({"exec": {"request": {"elevated": true}}}), "want": "deny"},
		"the session says on": {"facts": _boxed({"session": {"elevated": "on"}}), "want": "deny"},
		"the session says ask": {"facts": _boxed({"session": {"elevated": "ask"}}), "want": "deny"},
		"the message says full": {"facts": _boxed({"session": {"inline": "full"}}), "want": "deny"},
		"the message says off, and the session full": {
			"facts": _boxed({"session": {"inline": "off", "elevated": "full"}}),
			"want": "permit",
		},
		"an unknown value asks": {"facts": _boxed({"session": {"elevated": "ful"}}), "want": "deny"},
		"a request that is a string asks": {"facts": _boxed({"exec": {"request": {"elevated": "false"}}}), "want": "deny"},
		"a missing request may be one": {
			"facts": json.remove(_boxed({}), ["exec/request/elevated"]),
			"want": "deny",
		},
		"a missing level may be one": {"facts": json.remove(_boxed({}), ["session/elevated"]), "want": "deny"},
		"a missing directive may be one": {"facts": json.remove(_boxed({}), ["session/inline"]), "want": "deny"},
		"an agent that may be in a sandbox": {
			"facts": json.remove(_boxed({"exec": {"request": {"elevated": true}}}), ["agent/sandboxed"]),
			"want": "deny",
		},
	}
	_says(c.facts) == c.want
}

test_outside_a_sandbox_there_is_nothing_to_leave[name] if {
	some name, changes in {
		"the call asks": {"exec": {"request": {"elevated": true}}},
		"the session says full": {"session": {"elevated": "full"}},
	}
	"elevated" in layers.skipped with input as testing.command(changes) with data.config as testing.config
}

test_reason_says_where_the_setting_would_be if {
	[reason] := [r |
		some r in elevated.deny with input as _boxed({"session": {"elevated": "on"}}) with data.config as testing.config
	]
	reason.code == "elevated.off"
	reason.source == {"path": "tools.elevated", "from": "default"}
}

# Commands of sandboxed agents run in the sandbox.
_config(tools, own) := object.union(testing.config, {"tools": {"exec": {"host": "sandbox"}, "elevated": tools}, "agents": {"main": {"tools": {"elevated": own}}}})

_open := _config({"allowFrom": ["discord:123"]}, {})

_refusals(facts, config) := testing.codes(found) if {
	found := elevated.deny with input as facts with data.config as config
}

test_every_closed_gate_is_named_with_its_key[name] if {
	some name, c in {
		"nothing is configured": {"config": testing.config, "want": {["elevated.off", "tools.elevated"]}},
		"turned off for everybody": {
			"config": _config({"enabled": false, "allowFrom": ["discord:123"]}, {}),
			"want": {["elevated.off", "tools.elevated.enabled"]},
		},
		"turned off twice, and the sender is on neither list": {
			"config": _config({"enabled": false, "allowFrom": ["discord:9"]}, {"enabled": false, "allowFrom": ["discord:8"]}),
			"want": {
				["elevated.off", "tools.elevated.enabled"],
				["elevated.off", "agents.main.tools.elevated.enabled"],
				["elevated.sender", "tools.elevated.allowFrom"],
				["elevated.sender", "agents.main.tools.elevated.allowFrom"],
			},
		},
		"the agent's list alone is not enough": {
			"config": _config({}, {"allowFrom": ["discord:123"]}),
			"want": {["elevated.off", "tools.elevated"]},
		},
		"the agent's list must name the sender too": {
			"config": _config({"allowFrom": ["discord:123"]}, {"allowFrom": ["discord:8"]}),
			"want": {["elevated.sender", "agents.main.tools.elevated.allowFrom"]},
		},
		"another channel": {
			"config": _config({"allowFrom": {"telegram": ["*"]}}, {}),
			"want": {["elevated.sender", "tools.elevated.allowFrom"]},
		},
	}
	facts := _boxed({"session": {"elevated": "on"}})
	found := elevated.deny with input as facts with data.config as c.config
	{[r.code, r.source.path] | some r in found} == c.want
}

test_an_unstated_sender_may_not_elevate if {
	facts := object.union(_boxed({"session": {"elevated": "on"}}), {"sender": {"channel": "", "id": ""}})
	_refusals(facts, _config({"allowFrom": ["*"]}, {})) == {"elevated.nobody"}
}

test_an_unknown_level_is_refused_for_authorised_senders_too if {
	_refusals(_boxed({"session": {"elevated": "ful"}}), _open) == {"elevated.level"}
}

test_the_level_off_is_binding if {
	asks := {"exec": {"request": {"elevated": true}}}
	_refusals(object.union(_boxed(asks), {"session": {"elevated": "off"}}), _open) == {"elevated.off"}
	_refusals(_boxed(asks), object.union(_open, {"agents": {"defaults": {"elevatedDefault": "off"}}})) == {"elevated.off"}
	_refusals(_boxed(asks), _open) == set()
}

_ran(facts, config) := [result.effect, object.get(result, ["exec", "host"], "")] if {
	result := decision.result with input as facts with data.config as config
}

_miss := testing.programs(["/usr/bin/vi"])

# The interaction of sandbox, level and sender (ELEVATED-1, ELEVATED-3).
test_interaction[name] if {
	some name, c in {
		"outside a sandbox, a level changes nothing": {"sandboxed": false, "level": "full", "authorised": true, "listed": ["allow", "gateway"], "miss": ["ask", "gateway"]},
		"outside a sandbox, nobody needs to be authorised": {
			"sandboxed": false,
			"level": "on",
			"authorised": false,
			"listed": ["allow", "gateway"],
			"miss": ["ask", "gateway"],
		},
		"on": {"sandboxed": true, "level": "on", "authorised": true, "listed": ["allow", "gateway"], "miss": ["ask", "gateway"]},
		"ask": {"sandboxed": true, "level": "ask", "authorised": true, "listed": ["ask", "gateway"], "miss": ["ask", "gateway"]},
		"full": {"sandboxed": true, "level": "full", "authorised": true, "listed": ["allow", "gateway"], "miss": ["allow", "gateway"]},
		"off": {"sandboxed": true, "level": "off", "authorised": true, "listed": ["allow", "sandbox"], "miss": ["ask", "sandbox"]},
		"on, not authorised": {"sandboxed": true, "level": "on", "authorised": false, "listed": ["deny", ""], "miss": ["deny", ""]},
		"ask, not authorised": {"sandboxed": true, "level": "ask", "authorised": false, "listed": ["deny", ""], "miss": ["deny", ""]},
		"full, not authorised": {"sandboxed": true, "level": "full", "authorised": false, "listed": ["deny", ""], "miss": ["deny", ""]},
	}
	changes := {"agent": {"sandboxed": c.sandboxed}, "session": {"elevated": c.level}}
	config := {true: _open, false: _config({"allowFrom": ["discord:9"]}, {})}[c.authorised]
	_ran(object.union(testing.exec_facts, changes), config) == c.listed
	_ran(object.union(_miss, changes), config) == c.miss
}

test_full_waives_questions_and_nothing_else[name] if {
	some name, c in {
		"a tool that is denied": {"facts": _miss, "config": {"tools": {"deny": ["exec"]}}, "want": "deny"},
		"security deny": {"facts": _miss, "config": {"tools": {"exec": {"security": "deny"}}}, "want": "deny"},
		"a refused command": {"facts": testing.refused("redirect"), "config": {}, "want": "deny"},
		"a setting of the approvals file": {"facts": object.union(_miss, testing.filed({"security": "deny"})), "config": {}, "want": "deny"},
		"ask always": {"facts": _miss, "config": {"tools": {"exec": {"ask": "always"}}}, "want": "allow"},
		"ask off": {"facts": _miss, "config": {"tools": {"exec": {"ask": "off"}}}, "want": "allow"},
		"a custom question": {"facts": _miss, "config": {}, "custom": true, "want": "ask"},
	}
	facts := object.union(c.facts, {"agent": {"sandboxed": true}, "session": {"elevated": "full"}})
	asked := {x | c.custom; x := {"code": "mine", "layer": "custom"}}
	effect := decision.result.effect with input as facts
		with data.config as object.union(_open, c.config)
		with data.gavel.custom.ask as asked
	effect == c.want
}

test_a_call_that_declines_stays_in_the_sandbox if {
	facts := object.union(testing.exec_facts, {"agent": {"sandboxed": true}, "session": {"elevated": "full"}})
	_ran(facts, _open) == ["allow", "gateway"]
	_ran(object.union(facts, {"exec": {"request": {"declined": true}}}), _open) == ["allow", "sandbox"]
}

test_the_default_level_is_for_authorised_senders_only if {
	defaults := {"agents": {"defaults": {"elevatedDefault": "on"}}}
	facts := object.union(testing.exec_facts, {"agent": {"sandboxed": true}})
	_ran(facts, object.union(_open, defaults))[1] == "gateway"
	_ran(facts, object.union(_config({"allowFrom": ["discord:9"]}, {}), defaults))[1] == "sandbox"
}

# The configuration runs the agent in no sandbox, and the call says that it is in one.
test_a_sandbox_that_the_configuration_denies_cannot_be_left if {
	off := object.union(_open, {"sandboxing": {"mode": "off"}})
	facts := _boxed({"session": {"elevated": "full"}})
	denied := {[r.code, r.source.path] |
		some r in elevated.deny with input as facts with data.config as off
	}
	denied == {["elevated.off", "sandboxing.mode"]}
	_ran(object.union(testing.exec_facts, {"agent": {"sandboxed": true}}), off) == ["allow", "sandbox"]
}

test_the_reason_for_elevated_mode_names_the_sender if {
	facts := object.union(testing.exec_facts, {"agent": {"sandboxed": true}, "session": {"elevated": "on"}})
	found := elevated.because with input as facts with data.config as _open
	testing.codes(found) == {"elevated.active"}
}

# What objects is tested above. That nothing is permitted without a reason is the second lock.
test_a_refused_call_is_not_permitted[name] if {
	some name, facts in {
		"nothing was observed": {},
		"the sender is on no list": testing.execution({"request": {"elevated": true}}),
	}
	permits := elevated.permit with input as facts
	permits == false
}

_denied(facts, config) := {[r.code, r.source] | some r in found} if {
	found := elevated.deny with input as facts with data.config as config
}

_permitted(facts, config) := found if {
	found := elevated.permit with input as facts with data.config as config
}

_asking := _boxed({"exec": {"request": {"elevated": true}}})

test_who_may_leave_at_each_level[level] if {
	some level in ["on", "ask", "full"]
	facts := _boxed({"session": {"elevated": level}})
	_permitted(facts, _open)
	_denied(facts, _open) == set()
	because := elevated.because with input as facts with data.config as _open
	{[r.message, r.source.path] | some r in because} == {[sprintf("elevated mode is %s: discord:123 lets the command leave the sandbox", [level]), "tools.elevated.allowFrom"]}
	not _permitted(facts, testing.config)
	not _permitted(facts, _config({"allowFrom": ["discord:9"]}, {}))
}

test_a_call_that_stays_in_the_sandbox_is_not_refused[name] if {
	some name, c in {
		"a sender on no channel": {"facts": object.union(_boxed({}), {"sender": {"channel": "", "id": ""}}), "config": _open},
		"an unknown level, and a call that declines": {"facts": _boxed({"session": {"elevated": "ful"}, "exec": {"request": {"declined": true}}}), "config": _open},
		"the word false": {"facts": _boxed({"session": {"inline": "false"}}), "config": testing.config},
		"the word no": {"facts": _boxed({"session": {"inline": "no"}}), "config": testing.config},
		"the word 0": {"facts": _boxed({"session": {"inline": "0"}}), "config": testing.config},
	}
	_permitted(c.facts, c.config)
	_denied(c.facts, c.config) == set()
}

test_a_call_that_declines_and_requests_elevated_mode_counts_as_a_request if {
	facts := _boxed({"exec": {"request": {"elevated": true, "declined": true}}})
	not _permitted(facts, _open)
}

test_each_closed_gate_is_named_once[name] if {
	some name, c in {
		"off by default": {
			"facts": _asking,
			"config": object.union(_open, {"agents": {"defaults": {"elevatedDefault": "off"}}}),
			"want": {["elevated.off", {"path": "agents.defaults.elevatedDefault", "from": "global"}]},
		},
		"off of the session": {
			"facts": object.union(_asking, {"session": {"elevated": "off"}}),
			"config": _open,
			"want": {["elevated.off", {"path": "session.elevated"}]},
		},
		"off by default, and the session says on": {
			"facts": object.union(_asking, {"session": {"elevated": "on"}}),
			"config": object.union(_config({"allowFrom": ["discord:9"]}, {}), {"agents": {"defaults": {"elevatedDefault": "off"}}}),
			"want": {["elevated.sender", {"path": "tools.elevated.allowFrom"}]},
		},
		"a default for others": {
			"facts": _asking,
			"config": object.union(_config({"allowFrom": ["discord:9"]}, {}), {"agents": {"defaults": {"elevatedDefault": "ask"}}}),
			"want": {["elevated.sender", {"path": "tools.elevated.allowFrom"}]},
		},
		"no sandbox in the configuration": {
			"facts": _asking,
			"config": object.union(_open, {"sandboxing": {"mode": "off"}}),
			"want": {["elevated.off", {"path": "sandboxing.mode", "from": "global"}]},
		},
		"nobody, where somebody may": {
			"facts": object.union(_asking, {"sender": {"channel": "", "id": ""}}),
			"config": _open,
			"want": {["elevated.nobody", {"path": "tools.elevated.allowFrom"}]},
		},
		"nobody, where nobody may": {
			"facts": object.union(_asking, {"sender": {"channel": "", "id": ""}}),
			"config": testing.config,
			"want": {["elevated.off", {"path": "tools.elevated", "from": "default"}]},
		},
	}
	_denied(c.facts, c.config) == c.want
}

test_the_sender_is_named_as_far_as_it_is_known[name] if {
	some name, c in {
		"channel and id": {"sender": {"channel": "discord", "id": "123"}, "want": "discord:123 is not on the list of senders who may let commands leave the sandbox"},
		"no id": {"sender": {"channel": "discord", "id": ""}, "want": "the sender is not on the list of senders who may let commands leave the sandbox"},
	}
	found := elevated.deny with input as object.union(_asking, {"sender": c.sender}) with data.config as _config({"allowFrom": ["discord:9"]}, {})
	{r.message | some r in found} == {c.want}
}
