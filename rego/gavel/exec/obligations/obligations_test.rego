package gavel.exec.obligations_test

import data.gavel.exec.obligations
import data.gavel.testing

_result(facts, settings) := found if {
	found := obligations.result with input as facts with data.config as settings
}

_boxed := testing.command({"agent": {"sandboxed": true}})

test_a_sandbox_is_described[name] if {
	some name, c in {
		"as it is configured": {
			"sandboxing": {"backend": "docker", "scope": "session", "workspaceAccess": "rw"},
			"want": {"backend": "docker", "scope": "session", "workspaceAccess": "rw"},
		},
		"with its directory, where it sees nothing else": {
			"sandboxing": {"workspaceAccess": "none"},
			"want": {"workspaceAccess": "none", "root": "/home/u/.openclaw/sandboxes/main"},
		},
		"without settings": {"sandboxing": {}, "want": {}},
	}
	_result(_boxed, {"sandboxing": c.sandboxing, "tools": {"exec": {"host": "sandbox"}}}) == {"sandbox": c.want}
}

test_elsewhere_there_is_no_sandbox if {
	_result(testing.exec_facts, {"sandboxing": {"backend": "docker"}}) == {}
}

test_how_commands_run_is_passed_on_as_it_is_configured[name] if {
	some name, c in {
		"nothing": {"exec": {}, "agent": {}, "want": {}},
		"a notice never, and no word of the end": {
			"exec": {"approvalRunningNoticeMs": 0, "notifyOnExit": false},
			"agent": {},
			"want": {"lifecycle": {"approvalRunningNoticeMs": 0, "notifyOnExit": false}},
		},
		"an agent's own setting before that of all": {
			"exec": {"timeoutSec": 60, "backgroundMs": 500, "cleanupMs": 1000},
			"agent": {"timeoutSec": 5, "notifyOnExitEmptySuccess": true},
			"want": {"lifecycle": {"timeoutSec": 5, "backgroundMs": 500, "cleanupMs": 1000, "notifyOnExitEmptySuccess": true}},
		},
	}
	_result(testing.exec_facts, {"agents": {"main": {"exec": c.agent}}, "tools": {"exec": c.exec}}) == c.want
}

_running(changes) := testing.execution({"run": changes})

# EXEC-14: without process, commands run to their end.
test_without_process_commands_are_synchronous[name] if {
	some name, c in {
		"nothing asked for": {"run": {}, "want": {"synchronous": true}},
		"yieldMs": {"run": {"yieldMs": 1000}, "want": {"synchronous": true, "ignored": ["yieldMs"]}},
		"background": {"run": {"background": true}, "want": {"synchronous": true, "ignored": ["background"]}},
		"both": {
			"run": {"background": true, "yieldMs": 1000},
			"want": {"synchronous": true, "ignored": ["background", "yieldMs"]},
		},
	}
	_result(_running(c.run), {"tools": {"deny": ["process"]}}) == c.want
}

test_with_process_commands_may_go_to_the_background if {
	_result(_running({"background": true, "yieldMs": 1000}), testing.config) == {}
}

test_parameters_that_do_not_apply_are_ignored[name] if {
	some name, c in {
		"elevated outside a sandbox": {
			"facts": testing.execution({"request": {"elevated": true}}),
			"want": {"ignored": ["elevated"]},
		},
		"a node on another host": {
			"facts": testing.execution({"request": {"node": "mac-1"}}),
			"want": {"ignored": ["node"]},
		},
	}
	_result(c.facts, testing.config) == c.want
}
