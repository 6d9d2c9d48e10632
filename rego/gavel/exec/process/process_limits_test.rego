package gavel.exec.process_test

import data.gavel.exec.process
import data.gavel.testing

_bash := object.union(_list, {"tools": {"exec": {"input": {"allow": ["/bin/bash"]}}}})

_full := object.union(_list, testing.execs({"security": "full", "fullAskOnMiss": "never"}))

_misfit := {"tool": {"misfits": [{"name": "x", "wants": "", "nearest": ""}]}}

_text(changes) := testing.typing("write", "text", changes)

_typing(path, changes) := object.union_n([
	testing.typing("write", "line", {"program": "/bin/bash", "shell": "bash", "waiting": true}),
	{"exec": object.union(testing.programs([path]).exec, {"request": {"host": "gateway", "declined": true}})},
	changes,
])

_permits(facts, settings) if {
	process.permit with input as facts with data.config as settings
} else := false

_answerable(facts, settings) if {
	process.approvable with input as facts with data.config as settings
} else := false

_grounds(facts, settings) := testing.codes(found) if {
	found := process.because with input as facts with data.config as settings
}

test_only_a_session_action_that_is_fully_judged_is_permitted[name] if {
	some name, c in {
		"a session of another agent that is looked at": {"facts": testing.typing("poll", "none", {"agent": "other"}), "config": _list},
		"an action that sends something, with nothing to send": {"facts": testing.typing("write", "none", {}), "config": _list},
		"a line with a command that is asked about": {"facts": _typing("/usr/bin/vi", {}), "config": _list},
		"a line with an unknown parameter": {"facts": _typing("/usr/bin/rg", _misfit), "config": _list},
		"a line for a program that is not a shell": {"facts": _typing("/usr/bin/rg", {"process": {"shell": ""}}), "config": _list},
		"a line on another host": {"facts": _typing("/usr/bin/rg", {"process": {"host": "node"}}), "config": _list},
		"a harmless key for a session of another agent": {
			"facts": testing.typing("send-keys", "keys", {"keys": ["C-c"], "agent": "other"}),
			"config": _list,
		},
	}
	_permits(c.facts, c.config) == false
}

test_a_session_action_that_is_fully_judged_is_permitted[name] if {
	some name, c in {
		"a shell that is looked at": {"facts": testing.typing("poll", "none", {"program": "/bin/bash", "shell": "bash"}), "config": _list},
		"a session that is looked at, under security deny": {"facts": testing.typing("poll", "none", {}), "config": object.union(_list, testing.execs({"security": "deny"}))},
		"a line with a command that is listed": {"facts": _typing("/usr/bin/rg", {}), "config": _list},
		"input for a program that is listed": {"facts": _text({}), "config": _less},
		"a harmless key": {"facts": testing.typing("send-keys", "keys", {"keys": ["C-c"]}), "config": _list},
	}
	_permits(c.facts, c.config)
	_codes(c.facts, c.config) == set()
}

test_no_answer_is_needed_or_of_use[name] if {
	some name, c in {
		"input that is permitted": {"facts": _text({}), "config": _less},
		"a line that is permitted": {"facts": _typing("/usr/bin/rg", {}), "config": _list},
		"a line for a shell that does not wait": {"facts": _typing("/usr/bin/vi", {"process": {"waiting": false}}), "config": _list},
		"a line with an unknown parameter": {"facts": _typing("/usr/bin/vi", _misfit), "config": _list},
	}
	_answerable(c.facts, c.config) == false
}

test_every_gate_is_named_by_itself[name] if {
	some name, c in {
		"a session that is a number": {"facts": testing.typing("poll", "none", {"session": 5}), "config": _list, "codes": {"exec.process_session"}},
		"an agent without an id": {
			"facts": object.union(testing.typing("poll", "none", {"agent": ""}), {"agent": {"id": ""}}),
			"config": _list,
			"codes": {"exec.process_agent"},
		},
		"input for a session of another agent": {
			"facts": _text({"agent": "other"}),
			"config": _less,
			"codes": {"exec.process_agent", "exec.process_unknown"},
		},
		"input in a sandbox, for an agent that runs on the gateway": {
			"facts": _text({"host": "sandbox"}),
			"config": _less,
			"codes": {"exec.process_unknown"},
		},
		"a shell that nobody states": {
			"facts": _text({"stated": false, "shell": "bash", "program": "/bin/bash"}),
			"config": _list,
			"codes": {"exec.process_unknown"},
		},
		"a text that only looks like a line": {
			"facts": _typing("/usr/bin/rg", {"process": {"input": "text"}}),
			"config": _list,
			"codes": {"exec.process_partial"},
		},
		"a text beside harmless keys": {"facts": _text({"keys": ["C-c"]}), "config": _list, "codes": {"exec.process_input"}},
		"another program than the one that is listed": {
			"facts": _text({"program": "/usr/bin/vi"}),
			"config": _less,
			"codes": {"exec.process_input"},
		},
		"full mode, where everything is asked about": {
			"facts": _text({}),
			"config": object.union(_full, testing.execs({"ask": "always"})),
			"codes": {"exec.process_input"},
		},
		"full mode, where inline code is asked about": {
			"facts": _text({}),
			"config": object.union(_full, testing.execs({"strictInlineEval": true})),
			"codes": {"exec.process_input"},
		},
	}
	_codes(c.facts, c.config) == c.codes
}

test_a_refused_action_has_no_reason_that_permits[name] if {
	some name, c in {
		"a program that is listed, and only looked at": {"facts": testing.typing("poll", "none", {}), "config": _less},
		"a line for a shell that does not wait": {"facts": _typing("/usr/bin/rg", {"process": {"waiting": false}}), "config": _list},
		"a session that nobody states": {"facts": _text({"stated": false}), "config": _less},
		"a shell that is listed": {"facts": _text({"shell": "bash", "program": "/bin/bash"}), "config": _bash},
		"full mode, and a session that nobody states": {"facts": _text({"stated": false}), "config": _full},
		"full mode, and a shell": {"facts": _text({"shell": "bash", "program": "/bin/bash"}), "config": _full},
	}
	_grounds(c.facts, c.config) == set()
}

test_with_ask_off_no_person_is_asked if {
	settings := object.union(_list, testing.execs({"ask": "off"}))
	found := process.ask with input as _text({}) with data.config as settings
	found == set()
}

test_the_fix_of_a_parameter_says_what_it_takes[name] if {
	some name, c in {
		"of another type": {"misfit": {"name": "eof", "wants": "true or false", "nearest": ""}, "fix": "pass true or false"},
		"misspelt": {"misfit": {"name": "dta", "wants": "", "nearest": "data"}, "fix": "use data,"},
		"unknown": {"misfit": {"name": "x", "wants": "", "nearest": ""}, "fix": "use only action"},
	}
	facts := object.union(testing.typing("poll", "none", {}), {"tool": {"misfits": [c.misfit]}})
	found := process.deny with input as facts with data.config as _list
	some r in found
	contains(json.marshal(r), c.fix)
}
