package gavel.check.sandboxes_test

import data.gavel.check.sandboxes

_problems(settings) := found if {
	found := {[problem.path, problem.value] | some problem in sandboxes.problems} with data.config as settings
}

# SANDBOX-1: the table of backends and their scopes.
test_each_backend_has_its_scopes[name] if {
	some backend, good in {
		"docker": {"session", "agent", "shared"},
		"ssh": {"session", "agent"},
		"openShell": {"session"},
	}
	some scope in ["session", "agent", "shared"]
	name := sprintf("%s with %s", [backend, scope])
	found := _problems({"sandboxing": {"backend": backend, "scope": scope}})
	count(found) == count({scope} - good)
}

test_the_setting_to_change_is_named[name] if {
	some name, c in {
		"global": {
			"config": {"sandboxing": {"backend": "ssh", "scope": "shared"}},
			"want": {["sandboxing.scope", "shared"]},
		},
		"the backend of an agent": {
			"config": {
				"sandboxing": {"backend": "docker", "scope": "shared"},
				"agents": {"main": {"sandbox": {"backend": "openShell"}}},
			},
			"want": {["agents.main.sandbox.backend", "shared"]},
		},
		"the scope of an agent": {
			"config": {"sandboxing": {"backend": "ssh"}, "agents": {"main": {"sandbox": {"scope": "shared"}}}},
			"want": {["agents.main.sandbox.scope", "shared"]},
		},
		"a backend without a scope": {"config": {"sandboxing": {"backend": "openShell"}}, "want": set()},
		"no settings": {"config": {}, "want": set()},
	}
	_problems(c.config) == c.want
}
