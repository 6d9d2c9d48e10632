package gavel.exec.workspace_test

import data.gavel.exec
import data.gavel.exec.workspace
import data.gavel.testing

_begins(changes, lists) if {
	workspace.starts_inside with input as testing.command(changes) with data.config as testing.configured({"tools": lists})
} else := false

test_the_directory_in_which_a_command_starts[name] if {
	some name, c in {
		"in the workspace": {"exec": {}, "inside": true},
		"below it": {"exec": {"workdir": "/srv/app/a", "directory": "/srv/app/a"}, "inside": true},
		"beside it": {"exec": {"workdir": "/srv/app2", "directory": "/srv/app2"}, "inside": false},
		"above it": {"exec": {"workdir": "/srv", "directory": "/srv"}, "inside": false},
		"behind a link": {"exec": {"workdir": "/srv/app/a", "directory": "/etc"}, "inside": false},
		"to an unknown directory": {"exec": {"workdir": "", "directory": ""}, "inside": false},
		"in a directory that holds secrets": {"exec": {"workdir": "/srv/app/.aws", "directory": "/srv/app/.aws", "place": "secret"}, "inside": false},
		"where files may be read": {
			"exec": {"workdir": "/opt", "directory": "/opt"},
			"lists": {"read": {"allow": ["/opt/**"]}},
			"inside": true,
		},
		"in an unknown workspace": {"exec": {}, "environment": {"workspace": ""}, "inside": false},
		"at the root, as the gateway says": {
			"exec": {"workdir": "/", "directory": "/", "place": "closed"},
			"environment": {"workspace": "", "cwd": "/"},
			"inside": true,
		},
		"at the root, as the call says": {
			"exec": {"workdir": "/", "directory": "/", "place": "closed"},
			"environment": {"workspace": "/srv/app"},
			"inside": false,
		},
		"where a workspace is stated and not known": {
			"exec": {"workdir": "/", "directory": "/", "place": ""},
			"environment": {"workspace": "", "cwd": "/"},
			"lists": {"exec": {"workspace": "/srv/app"}},
			"inside": false,
		},
	}
	changes := {"exec": c.exec, "environment": object.get(c, "environment", {})}
	_begins(changes, object.get(c, "lists", {})) == c.inside
}

test_a_command_that_starts_elsewhere_is_asked_about if {
	facts := testing.execution({"workdir": "/opt", "directory": "/opt"})
	asked := exec.ask with input as facts with data.config as testing.config
	testing.codes(asked) == {"exec.workdir"}
	not exec.permit with input as facts with data.config as testing.config
}
