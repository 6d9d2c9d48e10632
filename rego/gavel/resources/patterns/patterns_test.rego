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

test_without_a_root_a_pattern_may_begin_anywhere[name] if {
	some name, c in {
		"a home directory": {"missing": ["environment/home"], "pattern": "~/.ssh/**", "path": "/home/u/.ssh/id", "may": true},
		"the directory itself": {"missing": ["environment/home"], "pattern": "~/.ssh/**", "path": "/home/u/.ssh", "may": true},
		"a home in the root": {"missing": ["environment/home"], "pattern": "~/.ssh/**", "path": "/root/.ssh/id", "may": true},
		"another case": {"missing": ["environment/home"], "pattern": "~/.ssh/**", "path": "/Home/U/.SSH/id", "may": true},
		"everything at home": {"missing": ["environment/home"], "pattern": "~/**", "path": "/etc/x", "may": true},
		"another name": {"missing": ["environment/home"], "pattern": "~/.ssh/**", "path": "/home/u/.sshd/id", "may": false},
		"a workspace": {"missing": ["environment/workspace"], "pattern": "./keys/*", "path": "/srv/app/keys/a", "may": true},
		"deeper in a workspace": {"missing": ["environment/workspace"], "pattern": "./keys/*", "path": "/srv/app/keys/a/b", "may": false},
		"no facts of the place": {"missing": ["environment"], "pattern": "~/.ssh/**", "path": "/home/u/.ssh/id", "may": true},
		"the home directory is known": {"missing": ["environment/workspace"], "pattern": "~/.ssh/**", "path": "/home/v/.ssh/id", "may": false},
		"the workspace is known": {"missing": ["environment/home"], "pattern": "./keys/*", "path": "/srv/other/keys/a", "may": false},
		"a pattern from the root": {"missing": ["environment"], "pattern": "/srv/x", "path": "/a/srv/x", "may": false},
	}
	_may(c) == c.may
}

_may(c) if {
	patterns.may_match(c.pattern, c.path) with input as json.remove(testing.facts, c.missing)
} else := false

_matches(pattern, path) if {
	patterns.matches(pattern, path, "/home/u") with input as testing.facts
} else := false
