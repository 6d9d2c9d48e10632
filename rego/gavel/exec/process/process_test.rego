package gavel.exec.process_test

import data.gavel.exec.process
import data.gavel.testing

_says(facts, settings) := "deny" if {
	count(_denials(facts, settings)) > 0
} else := "ask" if {
	count(_questions(facts, settings)) > 0
} else := "permit" if {
	process.permit with input as facts with data.config as settings
} else := "nothing"

_denials(facts, settings) := found if {
	found := process.deny with input as facts with data.config as settings
}

_questions(facts, settings) := found if {
	found := process.ask with input as facts with data.config as settings
}

_codes(facts, settings) := testing.codes(_denials(facts, settings) | _questions(facts, settings))

_list := testing.config

_less := object.union(_list, {"tools": {"exec": {"input": {"allow": ["/usr/bin/less"]}}}})

_shell(changes) := testing.typing("write", "line", object.union(
	{"program": "/bin/bash", "shell": "bash", "waiting": true},
	changes,
))

_line(path) := object.union(_shell({}), {"exec": object.union(
	testing.programs([path]).exec,
	{"request": {"host": "gateway", "declined": true}},
)})

# PROCESS-1
test_actions[name] if {
	some name, c in {
		"without parameters nothing happens": {"facts": object.union(testing.tool("process"), {"tool": {"parameters": []}}), "codes": set(), "says": "permit"},
		"a session is looked at": {"facts": testing.typing("poll", "none", {}), "codes": set(), "says": "permit"},
		"a session that nobody states": {"facts": testing.typing("log", "none", {"stated": false, "agent": ""}), "codes": set(), "says": "permit"},
		"a session of another agent": {"facts": testing.typing("kill", "none", {"agent": "other"}), "codes": {"exec.process_agent"}, "says": "deny"},
		"a session of its own is ended": {"facts": testing.typing("kill", "none", {}), "codes": set(), "says": "permit"},
		"a session that nobody states is ended": {"facts": testing.typing("kill", "none", {"stated": false, "agent": ""}), "codes": {"exec.process_unstated"}, "says": "ask"},
		"a session that nobody states is removed": {"facts": testing.typing("remove", "none", {"stated": false}), "codes": {"exec.process_unstated"}, "says": "ask"},
		"a session that nobody states is cleared": {"facts": testing.typing("clear", "none", {"stated": null}), "codes": {"exec.process_unstated"}, "says": "ask"},
		"a key that interrupts what nobody states": {
			"facts": testing.typing("send-keys", "keys", {"keys": ["C-c"], "stated": false}),
			"codes": {"exec.process_unknown"},
			"says": "ask",
		},
		"no session": {"facts": testing.typing("poll", "none", {"session": ""}), "codes": {"exec.process_session"}, "says": "deny"},
		"list needs none": {"facts": testing.typing("list", "none", {"session": ""}), "codes": set(), "says": "permit"},
		"an unknown action": {"facts": testing.typing("inject", "none", {}), "codes": {"exec.process_action"}, "says": "deny"},
		"an action that takes no input": {"facts": testing.typing("poll", "keys", {}), "codes": {"exec.process_no_input", "exec.process_input"}, "says": "deny"},
	}
	_codes(c.facts, _list) == c.codes
	_says(c.facts, _list) == c.says
}

test_parameters_that_process_cannot_take_are_denied[name] if {
	some name, misfit in {
		"unknown": {"name": "x", "wants": "", "nearest": ""},
		"of another type": {"name": "eof", "wants": "true or false", "nearest": ""},
		"misspelt": {"name": "dta", "wants": "", "nearest": "data"},
	}
	facts := object.union(testing.typing("poll", "none", {}), {"tool": {"misfits": [misfit]}})
	_codes(facts, _list) == {"exec.process_parameter"}
}

# PROCESS-1, R43
test_a_policy_can_require_that_sessions_are_stated[name] if {
	everybody := object.union(_list, {"tools": {"require": ["process"]}})
	own := object.union(_list, {"agents": {"main": {"tools": {"require": ["model", "process"]}}}})
	some name, c in {
		"a session that nobody states": {"facts": testing.typing("poll", "none", {"stated": false}), "config": everybody, "codes": {"exec.process_required"}},
		"a demand of the agent": {"facts": testing.typing("log", "none", {"stated": false}), "config": own, "codes": {"exec.process_required"}},
		"input for it": {
			"facts": testing.typing("write", "text", {"stated": false}),
			"config": everybody,
			"codes": {"exec.process_required", "exec.process_unknown"},
		},
		"an own session": {"facts": testing.typing("poll", "none", {}), "config": everybody, "codes": set()},
		"the list of sessions": {"facts": testing.typing("list", "none", {"session": "", "stated": false}), "config": everybody, "codes": set()},
		"no demand": {"facts": testing.typing("poll", "none", {"stated": false}), "config": _list, "codes": set()},
	}
	_codes(c.facts, c.config) == c.codes
}

# PROCESS-2
test_a_line_for_a_shell_is_judged_as_a_command[name] if {
	some name, c in {
		"listed": {"facts": _line("/usr/bin/rg"), "codes": set(), "says": "permit"},
		"not listed": {"facts": _line("/usr/bin/vi"), "codes": {"exec.allowlist_miss"}, "says": "ask"},
		"not read as a command": {"facts": _shell({}), "codes": {"exec.process_partial"}, "says": "ask"},
		"a shell that does not wait": {
			"facts": object.union(_line("/usr/bin/rg"), {"process": {"waiting": false}}),
			"codes": {"exec.process_partial"},
			"says": "ask",
		},
	}
	_codes(c.facts, _list) == c.codes
	_says(c.facts, _list) == c.says
}

# PROCESS-3
test_input_for_a_program[name] if {
	text := testing.typing("write", "text", {})
	some name, c in {
		"not listed": {"facts": text, "config": _list, "codes": {"exec.process_input"}},
		"listed": {"facts": text, "config": _less, "codes": set()},
		"listed, and everything is asked about": {"facts": text, "config": object.union(_less, testing.execs({"ask": "always"})), "codes": {"exec.process_input"}},
		"listed, and inline code is asked about": {"facts": text, "config": object.union(_less, testing.execs({"strictInlineEval": true})), "codes": {"exec.process_input"}},
		"full mode without questions": {"facts": text, "config": object.union(_list, testing.execs({"security": "full", "ask": "off"})), "codes": set()},
		"full mode that asks about what is new": {"facts": text, "config": object.union(_list, testing.execs({"security": "full"})), "codes": {"exec.process_input"}},
		"full mode that never asks": {
			"facts": text,
			"config": object.union(_list, testing.execs({"security": "full", "fullAskOnMiss": "never"})),
			"codes": set(),
		},
		"security deny": {"facts": text, "config": object.union(_less, testing.execs({"security": "deny"})), "codes": {"exec.process_security", "exec.process_input"}},
		"a key that interrupts": {"facts": testing.typing("send-keys", "keys", {"keys": ["C-C"]}), "config": _list, "codes": set()},
		"another key": {"facts": testing.typing("send-keys", "keys", {"keys": ["C-c", "Enter"]}), "config": _list, "codes": {"exec.process_input"}},
		"no keys": {"facts": testing.typing("submit", "keys", {}), "config": _list, "codes": {"exec.process_input"}},
		"a program by a relative name": {"facts": testing.typing("write", "text", {"program": "less"}), "config": _less, "codes": {"exec.process_unknown"}},
		"another host": {"facts": testing.typing("write", "text", {"host": "node"}), "config": _less, "codes": {"exec.process_unknown"}},
		"an unknown session": {"facts": testing.typing("write", "text", {"stated": false}), "config": _less, "codes": {"exec.process_unknown"}},
	}
	_codes(c.facts, c.config) == c.codes
}

test_a_session_on_a_node_is_on_the_agents_node[name] if {
	some name, c in {
		"the same": {"node": "mac-1", "codes": set()},
		"another": {"node": "mac-2", "codes": {"exec.process_unknown"}},
		"unnamed": {"node": "", "codes": {"exec.process_unknown"}},
	}
	settings := object.union(_less, testing.execs({"host": "node", "node": "Mac-1"}))
	_codes(testing.typing("write", "text", {"host": "node", "node": c.node}), settings) == c.codes
}

test_with_ask_off_a_miss_is_denied if {
	_says(testing.typing("write", "text", {}), object.union(_list, testing.execs({"ask": "off"}))) == "deny"
}

test_an_answer_may_permit_input_that_is_asked_about[name] if {
	some name, c in {
		"for a program": {"facts": testing.typing("write", "text", {}), "want": true},
		"a line": {"facts": _line("/usr/bin/vi"), "want": true},
		"of another agent": {"facts": testing.typing("write", "text", {"agent": "other"}), "want": false},
		"to end a session that nobody states": {"facts": testing.typing("kill", "none", {"stated": false}), "want": true},
		"to end a session of another agent": {"facts": testing.typing("kill", "none", {"agent": "other"}), "want": false},
		"of an action that sends nothing": {"facts": testing.typing("poll", "text", {}), "want": false},
	}
	_approvable(c.facts) == c.want
}

_approvable(facts) if {
	process.approvable with input as facts with data.config as _list
} else := false

test_the_reasons_say_what_permits[code] if {
	some code, c in {
		"exec.allowlisted": {"facts": _line("/usr/bin/rg"), "config": _list},
		"exec.process_allowed": {"facts": testing.typing("write", "text", {}), "config": _less},
	}
	found := process.because with input as c.facts with data.config as c.config
	testing.codes(found) == {code}
}
