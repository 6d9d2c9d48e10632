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
		"no path, below the root": {"pattern": "/**", "path": "", "is": false},
		"any path": {"pattern": "**", "path": "/a/b", "is": true},
		"a path from the root": {"pattern": "/a/b", "path": "/a/b", "is": true},
		"everything in a directory, which is the directory too": {"pattern": "/a/**", "path": "/a", "is": true},
		"everything in another directory": {"pattern": "/a/**", "path": "/b", "is": false},
		"one file of the workspace": {"pattern": "./a/b", "path": "/srv/app/a/b", "is": true},
		"one file of the workspace, and another": {"pattern": "./a/b", "path": "/srv/app/a/c", "is": false},
		"the same place in a home of the same length": {"pattern": "~/x/*", "path": "/home/v/x/y", "is": false},
		"the same place in a workspace of the same length": {"pattern": "./x/*", "path": "/srv/apq/x/y", "is": false},
		"a pattern without a root, and a file at home": {"pattern": "x/y", "path": "/home/u/y", "is": false},
		"a pattern without a root, and a file of the workspace": {"pattern": "x/y", "path": "/srv/app/y", "is": false},
		"brackets are brackets": {"pattern": "/a/[bc]", "path": "/a/[bc]", "is": true},
		"and no choice of letters": {"pattern": "/a/[bc]", "path": "/a/b", "is": false},
		"braces are braces": {"pattern": "/a/{b,c}", "path": "/a/{b,c}", "is": true},
		"and no choice of words": {"pattern": "/a/{b,c}", "path": "/a/b", "is": false},
		"a backslash is one": {"pattern": `/a/b\*`, "path": `/a/b\c`, "is": true},
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
		"a name that ends like it": {"missing": ["environment/home"], "pattern": "~/.ssh/**", "path": "/home/u/x.ssh/id", "may": false},
		"a name in a workspace that ends like it": {"missing": ["environment/workspace"], "pattern": "./keys/*", "path": "/srv/app/mykeys/a", "may": false},
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

test_letters_of_any_case[name] if {
	some name, c in {
		"of the pattern": {"pattern": "/A/*", "path": "/a/b", "is": true},
		"of the path": {"pattern": "/a/*", "path": "/A/B", "is": true},
		"of the home directory": {"pattern": "~/x", "path": "/HOME/U/X", "is": true},
		"of the workspace": {"pattern": "./x", "path": "/SRV/App/X", "is": true},
		"and no other letters": {"pattern": "/a/*", "path": "/b/c", "is": false},
	}
	_folded(c.pattern, c.path) == c.is
}

_folded(pattern, path) if {
	patterns.matches_folded(pattern, path, "/Home/u") with input as testing.facts
} else := false

test_what_is_within_a_directory[name] if {
	some name, c in {
		"a file": {"path": "/a/b", "directory": "/a", "is": true},
		"the directory": {"path": "/a", "directory": "/a", "is": true},
		"another directory": {"path": "/b", "directory": "/a", "is": false},
		"a file of another directory": {"path": "/b/c", "directory": "/a", "is": false},
		"a name that begins alike": {"path": "/ab", "directory": "/a", "is": false},
		"nothing in the unknown": {"path": "", "directory": "", "is": false},
		"a relative directory": {"path": "a/b", "directory": "a", "is": false},
		"the root is not such a directory": {"path": "//x", "directory": "/", "is": false},
	}
	_within(c.path, c.directory) == c.is
}

_within(path, directory) if {
	patterns.within(path, directory)
} else := false
