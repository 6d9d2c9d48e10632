package gavel.resources.patterns_test

import data.gavel.resources.patterns
import data.gavel.testing

test_matches[name] if {
	some name, c in {
		"a file below the workspace": {"pattern": "./**", "path": "/srv/app/a/b", "is": true},
		"the workspace itself": {"pattern": "./**", "path": "/srv/app", "is": true},
		"a neighbour of the workspace": {"pattern": "./**", "path": "/srv/app2/a", "is": false},
		"a file below the home directory": {"pattern": "~/x/*", "path": "/home/u/x/y", "is": true},
		"the home directory of another": {"pattern": "~/x/*", "path": "/home/u2/x/y", "is": false},
		"a star stays in a directory": {"pattern": "/a/*", "path": "/a/b/c", "is": false},
		"no path": {"pattern": "**", "path": "", "is": false},
	}
	_matches(c.pattern, c.path) == c.is
}

test_without_a_workspace_nothing_is_below_it if {
	facts := object.union(testing.facts, {"environment": object.union(testing.facts.environment, {"workspace": ""})})
	not patterns.matches("./**", "/srv/app/a", "/home/u") with input as facts
}

_matches(pattern, path) if {
	patterns.matches(pattern, path, "/home/u") with input as testing.facts
} else := false
