package gavel.exec.commands_test

import data.gavel.exec.commands

test_only_another_name_that_was_observed[name] if {
	some name, c in {
		"another tool": {"tool": {"name": "read"}, "absent": true},
		"exec": {"tool": {"name": "exec"}, "absent": false},
		"a name that is not a string": {"tool": {"name": 7}, "absent": false},
		"null": {"tool": {"name": null}, "absent": false},
		"no name": {"tool": {}, "absent": false},
		"no tool": {"tool": null, "absent": false},
	}
	_absent(c.tool) == c.absent
}

_absent(tool) if {
	commands.absent with input as {"tool": tool}
} else := false
