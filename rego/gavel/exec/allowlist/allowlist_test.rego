package gavel.exec.allowlist_test

import data.gavel.exec.allowlist
import data.gavel.testing

_matches(pattern, path) if {
	allowlist.matches(pattern, path, "/home/u")
} else := false

# EXEC-2, R27: globs over real paths, case-sensitive.
test_patterns_match_paths[name] if {
	some name, c in {
		"a path matches itself": {"pattern": "/usr/bin/rg", "path": "/usr/bin/rg", "want": true},
		"a path is compared to its end": {"pattern": "/usr/bin/rg", "path": "/usr/bin/rgx", "want": false},
		"a path is compared from its start": {"pattern": "/bin/rg", "path": "/usr/bin/rg", "want": false},
		"case counts": {"pattern": "/USR/BIN/RG", "path": "/usr/bin/rg", "want": false},
		"a bare name matches nothing": {"pattern": "rg", "path": "/opt/homebrew/bin/rg", "want": false},
		"a bare pattern matches nothing": {"pattern": "r*", "path": "/opt/homebrew/bin/rg", "want": false},
		"two bare stars match nothing": {"pattern": "**", "path": "/usr/bin/rg", "want": false},
		"a star stays in a directory": {"pattern": "/opt/*/rg", "path": "/opt/homebrew/bin/rg", "want": false},
		"a star matches one directory": {"pattern": "/opt/*/rg", "path": "/opt/homebrew/rg", "want": true},
		"a star matches nothing too": {"pattern": "/usr/bin/rg*", "path": "/usr/bin/rg", "want": true},
		"a star before literal characters": {"pattern": "/usr/bin/*++", "path": "/usr/bin/g++", "want": true},
		"a star does not match a path below": {"pattern": "/usr/bin/*", "path": "/usr/bin/x/y", "want": false},
		"two stars cross directories": {"pattern": "/opt/**/rg", "path": "/opt/homebrew/bin/rg", "want": true},
		"two stars between slashes match at least one directory": {"pattern": "/tmp/**/tool", "path": "/tmp/tool", "want": false},
		"two stars match several directories": {"pattern": "/tmp/**/tool", "path": "/tmp/a/b/tool", "want": true},
		"two stars at the end": {"pattern": "/opt/**", "path": "/opt/a/b", "want": true},
		"two stars do not leave their directory": {"pattern": "/opt/**", "path": "/usr/bin/rg", "want": false},
		"a question mark matches one character": {"pattern": "/tmp/a?b", "path": "/tmp/axb", "want": true},
		"a question mark does not match a slash": {"pattern": "/tmp/a?b", "path": "/tmp/a/b", "want": false},
		"a question mark must match something": {"pattern": "/tmp/a?b", "path": "/tmp/ab", "want": false},
		"a class is literal": {"pattern": "/opt/builds/tool[1](stable)", "path": "/opt/builds/tool[1](stable)", "want": true},
		"a class has no special meaning": {"pattern": "/opt/tool[12]", "path": "/opt/tool1", "want": false},
		"a negated class has no special meaning": {"pattern": "/opt/tool[!2]", "path": "/opt/tool1", "want": false},
		"braces are literal": {"pattern": "/opt/{a,b}", "path": "/opt/{a,b}", "want": true},
		"braces are not alternatives": {"pattern": "/opt/{a,b}", "path": "/opt/a", "want": false},
		"a backslash is literal": {"pattern": `/opt/\*`, "path": "/opt/x", "want": false},
		"a backslash in a path": {"pattern": `/opt/a\b`, "path": `/opt/a\b`, "want": true},
		"a star alone matches everything": {"pattern": "*", "path": "/anywhere/at all", "want": true},
		"a star alone does not match a missing path": {"pattern": "*", "path": "", "want": false},
		"a missing path matches nothing": {"pattern": "/**", "path": "", "want": false},
		"home": {"pattern": "~/bin/*", "path": "/home/u/bin/tool", "want": true},
		"home is a directory, not a prefix": {"pattern": "~/bin/*", "path": "/home/user/bin/tool", "want": false},
		"someone else's home": {"pattern": "~/bin/*", "path": "/home/v/bin/tool", "want": false},
		"a user's home is not understood": {"pattern": "~v/bin/*", "path": "/home/v/bin/tool", "want": false},
		"home alone matches nothing": {"pattern": "~", "path": "/home/u", "want": false},
		"a tilde inside is literal": {"pattern": "/opt/~/x", "path": "/opt/~/x", "want": true},
	}
	_matches(c.pattern, c.path) == c.want
}

test_home_is_text[name] if {
	some name, c in {
		"a star in it is not a pattern": {"home": "/home/*", "path": "/home/v/bin/x", "want": false},
		"it matches itself": {"home": "/home/*", "path": "/home/*/bin/x", "want": true},
		"no home, no match": {"home": "", "path": "/bin/x", "want": false},
		"a relative home, no match": {"home": "u", "path": "u/bin/x", "want": false},
	}
	got := {true | allowlist.matches("~/bin/x", c.path, c.home)}
	want := {true | c.want}
	got == want
}

_layered := {
	"tools": {"exec": {"allowlist": ["/usr/bin/rg", {"pattern": " /usr/bin/h* ", "args": ["-o", 7, "any"]}]}},
	"agents": {
		"main": {"exec": {"allowlist": ["/usr/bin/vi"]}},
		"defaults": {"exec": {"allowlist": ["/usr/bin/ed"]}},
	},
}

test_entries[name] if {
	everybody := [
		{"pattern": "/usr/bin/rg", "path": "tools.exec.allowlist[0]", "args": []},
		{"pattern": "/usr/bin/h*", "path": "tools.exec.allowlist[1]", "args": ["-o"]},
	]
	some name, c in {
		"the agent's own come after everybody's": {
			"config": _layered,
			"id": "main",
			"want": array.concat(everybody, [{"pattern": "/usr/bin/vi", "path": "agents.main.exec.allowlist[0]", "args": []}]),
		},
		"the defaults' stand in for an agent without its own": {
			"config": _layered,
			"id": "other",
			"want": array.concat(everybody, [{"pattern": "/usr/bin/ed", "path": "agents.defaults.exec.allowlist[0]", "args": []}]),
		},
		"there may be none": {"config": {}, "id": "main", "want": []},
	}
	entries := allowlist.entries(c.id) with data.config as c.config
	entries == c.want
}

_entry(segment, config) := entry if {
	entry := allowlist.entry(segment) with input as testing.exec_facts with data.config as config
}

_none := {"found": false, "pattern": "", "path": "", "args": []}

test_entry[name] if {
	rg := testing.segment("/usr/bin/rg")
	some name, c in {
		"the first that fits": {
			"segment": testing.segment("/usr/bin/head"),
			"config": _layered,
			"want": {"found": true, "pattern": "/usr/bin/h*", "path": "tools.exec.allowlist[1]", "args": ["-o"]},
		},
		"the agent's own": {
			"segment": testing.segment("/usr/bin/vi"),
			"config": _layered,
			"want": {"found": true, "pattern": "/usr/bin/vi", "path": "agents.main.exec.allowlist[0]", "args": []},
		},
		"none fits": {"segment": testing.segment("/usr/bin/ed"), "config": _layered, "want": _none},
		"there is no list": {"segment": rg, "config": {}, "want": _none},
		"a program that was not found": {"segment": testing.lost("rg"), "config": {"tools": {"exec": {"allowlist": ["*"]}}}, "want": _none},
		"the real path counts, not the link": {
			"segment": object.union(rg, {"executable": {"real": "/opt/evil"}}),
			"config": _layered,
			"want": _none,
		},
		"what the snapshot found": {
			"segment": object.union(rg, {"match": {"found": true, "pattern": "/x", "path": "y"}}),
			"config": {},
			"want": {"found": true, "pattern": "/x", "path": "y"},
		},
		"that the snapshot found none": {
			"segment": object.union(rg, {"match": _none}),
			"config": _layered,
			"want": _none,
		},
	}
	_entry(c.segment, c.config) == c.want
}
