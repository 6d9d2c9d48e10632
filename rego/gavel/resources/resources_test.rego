package gavel.resources_test

import data.gavel.decision
import data.gavel.resources.lists
import data.gavel.resources.patterns
import data.gavel.testing

_config(lists) := object.union(testing.config, {"tools": lists})

_at(access, real) := object.union(testing.facts, {"resources": [testing.file(access, real)]})

_everything_in(real) := object.union(testing.facts, {"resources": [object.union(testing.file("read", real), {"file": false})]})

_result(facts, config) := result if {
	result := decision.result with input as facts with data.config as config
}

# FILES-1.
test_files[name] if {
	some name, c in {
		"without lists every file may be read": {"lists": {}, "real": "/etc/passwd", "effect": "allow"},
		"without lists an unknown file may be read": {"lists": {}, "real": "", "effect": "allow"},
		"an empty allow list does not count": {"lists": {"read": {"allow": []}}, "real": "/etc/passwd", "effect": "allow"},
		"a listed file": {"lists": {"read": {"allow": ["/srv/**"]}}, "real": "/srv/app/x", "effect": "allow"},
		"a file that is not listed": {"lists": {"read": {"allow": ["/srv/**"]}}, "real": "/etc/passwd", "effect": "deny", "codes": {"resources.unlisted"}},
		"deny wins": {"lists": {"read": {"allow": ["/srv/**"], "deny": ["/srv/app/**"]}}, "real": "/srv/app/x", "effect": "deny", "codes": {"resources.denied"}},
		"a deny list alone leaves the rest": {"lists": {"read": {"deny": ["~/.ssh/**"]}}, "real": "/srv/app/x", "effect": "allow"},
		"a deny list below the home directory": {"lists": {"read": {"deny": ["~/.ssh/**"]}}, "real": "/home/u/.ssh/id", "effect": "deny", "codes": {"resources.denied"}},
		"a list for the other access does not count": {"lists": {"write": {"allow": ["/x/**"]}}, "real": "/srv/app/x", "effect": "allow"},
		"an unknown file where a list is set": {"lists": {"read": {"deny": ["/x/**"]}}, "real": "", "effect": "deny", "codes": {"resources.unknown"}},
		"a list of the working directory": {"lists": {"read": {"allow": ["./**"]}}, "real": "/srv/app/a/b", "effect": "allow"},
		"a neighbour of the working directory": {"lists": {"read": {"allow": ["./**"]}}, "real": "/srv/app2/a", "effect": "deny", "codes": {"resources.unlisted"}},
	}
	result := _result(_at("read", c.real), _config(c.lists))
	result.effect == c.effect
	object.get(c, "codes", testing.codes(result.reasons)) == testing.codes(result.reasons)
}

test_a_directory_is_everything_below_it[name] if {
	some name, c in {
		"without lists": {"read": {}, "real": "/srv/app", "want": set()},
		"which an allow list names": {"read": {"allow": ["/srv/**"]}, "real": "/srv/app", "want": set()},
		"which an allow list names from there": {"read": {"allow": ["/srv/app/**"]}, "real": "/srv/app", "want": set()},
		"which an allow list names in part": {"read": {"allow": ["/srv/app/src/**"]}, "real": "/srv/app", "want": {"resources.unlisted"}},
		"of which an allow list names the files at the top": {"read": {"allow": ["/srv/app", "/srv/app/*"]}, "real": "/srv/app", "want": {"resources.unlisted"}},
		"that is the workspace": {"read": {"allow": ["./**"]}, "real": "/srv/app", "want": set()},
		"above the workspace": {"read": {"allow": ["./**"]}, "real": "/srv", "want": {"resources.unlisted"}},
		"that is denied": {"read": {"deny": ["/srv/app/**"]}, "real": "/srv/app", "want": {"resources.denied"}},
		"with a denied directory inside": {"read": {"deny": ["/srv/app/keys/**"]}, "real": "/srv/app", "want": {"resources.inside"}},
		"with a denied file inside": {"read": {"deny": ["/srv/app/a/b"]}, "real": "/srv", "want": {"resources.inside"}},
		"with a denied name inside": {"read": {"deny": ["/srv/*/keys"]}, "real": "/srv/app", "want": {"resources.inside"}},
		"beside what is denied": {"read": {"deny": ["/srv/app/keys/**"]}, "real": "/srv/app/src", "want": set()},
		"below what is denied in its directory": {"read": {"deny": ["/srv/app/*"]}, "real": "/srv/app/src/x", "want": set()},
		"beside what a name denies": {"read": {"deny": ["/srv/*/keys"]}, "real": "/srv/app/src", "want": set()},
		"in which a name is denied anywhere": {"read": {"deny": ["/**/.env"]}, "real": "/srv/app", "want": {"resources.inside"}},
		"above the home directory": {"read": {"deny": ["~/.ssh/**"]}, "real": "/home", "want": {"resources.inside"}},
		"that is the home directory": {"read": {"deny": ["~/.ssh/**"]}, "real": "/home/u", "want": {"resources.inside"}},
		"beside the home directory": {"read": {"deny": ["~/.ssh/**"]}, "real": "/srv", "want": set()},
		"beside what is denied at home": {"read": {"deny": ["~/.ssh/**"]}, "real": "/home/u/src", "want": set()},
		"that is the root": {"read": {"deny": ["~/.ssh/**"]}, "real": "/", "want": {"resources.inside"}},
		"with a denied file of the workspace": {"read": {"deny": ["./keys/**"]}, "real": "/srv/app", "want": {"resources.inside"}},
		"in which everything is denied": {"read": {"deny": ["**"]}, "real": "/srv/app", "want": {"resources.denied"}},
		"that nobody knows": {"read": {"deny": ["/x/**"]}, "real": "", "want": {"resources.unknown"}},
		"with a list for writing": {"read": {}, "write": {"deny": ["/srv/app/keys/**"]}, "real": "/srv/app", "want": set()},
	}
	facts := _everything_in(c.real)
	result := _result(facts, _config({"read": c.read, "write": object.get(c, "write", {})}))
	{code | some code in testing.codes(result.reasons); startswith(code, "resources.")} == c.want
	result.effect == {true: "allow", false: "deny"}[count(c.want) == 0]
}

test_a_directory_of_an_unknown_home_may_have_what_is_denied_there if {
	facts := object.union(_everything_in("/srv"), {"environment": object.union(testing.facts.environment, {"home": ""})})
	_result(facts, _config({"read": {"deny": ["~/.ssh/**"]}})).effect == "deny"
}

test_a_directory_is_denied_in_any_case_where_the_machine_ignores_it if {
	facts := object.union(_everything_in("/Srv/App"), {"environment": object.union(testing.facts.environment, {"platform": "darwin"})})
	_result(facts, _config({"read": {"deny": ["/srv/app/Keys/**"]}})).effect == "deny"
}

# R43: macOS finds a file by its name in any case.
test_a_deny_list_ignores_case_where_the_machine_does[platform] if {
	some platform, effect in {"darwin": "deny", "win32": "deny", "": "deny", "linux": "allow"}
	config := _config({"read": {"deny": ["~/.ssh/**", "/srv/Keys/**"]}})
	every real in ["/home/u/.SSH/id", "/Home/u/.ssh/id", "/srv/KEYS/x"] {
		facts := object.union(_at("read", real), {"environment": object.union(testing.facts.environment, {"platform": platform})})
		_result(facts, config).effect == effect
	}
}

test_an_allow_list_is_always_case_sensitive if {
	facts := object.union(_at("read", "/srv/APP/x"), {"environment": object.union(testing.facts.environment, {"platform": "darwin"})})
	_result(facts, _config({"read": {"allow": ["/srv/app/**"]}})).effect == "deny"
}

test_an_agent_only_tightens if {
	config := object.union(_config({"read": {"allow": ["/srv/**"]}}), {"agents": {"main": {"tools": {"read": {"allow": ["/etc/**", "/srv/app/**"]}}}}})
	_result(_at("read", "/srv/app/x"), config).effect == "allow"
	_result(_at("read", "/srv/x"), config).effect == "deny"
	_result(_at("read", "/etc/x"), config).effect == "deny"
}

test_every_file_of_a_patch_must_be_listed if {
	patch := object.union(testing.tool("apply_patch"), {"resources": [testing.file("write", "/srv/app/a"), testing.file("write", "/etc/b")]})
	_result(patch, _config({"write": {"allow": ["/srv/app/**"]}})).effect == "deny"
	_result(patch, _config({"write": {"allow": ["/srv/app/**", "/etc/**"]}})).effect == "allow"
}

test_a_file_tool_without_a_file_is_denied if {
	facts := object.union(testing.facts, {"resources": []})
	{[r.code, r.message, r.fix] | some r in _result(facts, _config({"read": {"allow": ["/srv/**"]}})).reasons} == {[
		"resources.unknown",
		"read names no file that Gavel can read in its parameters",
		"pass a path as text",
	]}
	_result(facts, testing.config).effect == "allow"
}

test_missing_facts_never_loosen[path] if {
	some path in ["resources", "resources/0", "resources/0/real", "resources/0/access"]
	_result(json.remove(_at("read", "/etc/passwd"), [path]), _config({"read": {"allow": ["/srv/**"]}})).effect == "deny"
}

test_other_tools_have_no_files if {
	_result(object.union(testing.tool("web_search"), {"resources": []}), _config({"read": {"allow": ["/srv/**"]}})).effect == "allow"
}

test_patterns[name] if {
	some name, c in {
		"a star stays in a directory": {"pattern": "/a/*", "path": "/a/b/c", "is": false},
		"a star matches a name": {"pattern": "/a/*.go", "path": "/a/x.go", "is": true},
		"two stars cross directories": {"pattern": "/a/**", "path": "/a/b/c", "is": true},
		"a pattern for the contents matches the directory": {"pattern": "/a/**", "path": "/a", "is": true},
		"its neighbour does not match": {"pattern": "/a/**", "path": "/ab", "is": false},
		"two stars alone are any file": {"pattern": "**", "path": "/x/y", "is": true},
		"~ is the home directory": {"pattern": "~/**", "path": "/home/u2/x", "is": false},
		"a bracket is literal": {"pattern": "/a/[b]", "path": "/a/b", "is": false},
		"an empty pattern matches no path": {"pattern": "**", "path": "", "is": false},
		"a relative pattern matches nothing": {"pattern": "a/**", "path": "a/b", "is": false},
	}
	_matches(c.pattern, c.path) == c.is
}

_matches(pattern, path) if {
	patterns.matches(pattern, path, "/home/u") with input as testing.facts
} else := false

# The reason names the list that does not have the file, and not one that has it.
test_a_refusal_names_the_list_without_the_file[name] if {
	some name, c in {
		"the global list": {"tools": {"read": {"allow": ["/srv/**"]}}, "own": {}, "path": "tools.read.allow"},
		"the agent's list": {
			"tools": {"read": {"allow": ["/etc/**"]}}, "own": {"read": {"allow": ["/srv/**"]}},
			"path": "agents.main.tools.read.allow",
		},
		"the workspace": {"tools": {"fs": {"workspaceOnly": true}, "read": {"allow": ["/etc/**"]}}, "own": {}, "path": "tools.fs.workspaceOnly"},
	}
	config := {"agents": {"main": {"profile": "full", "tools": c.own}}, "tools": c.tools}
	every facts in [_at("read", "/etc/x"), _everything_in("/etc/x")] {
		{r.source.path | some r in _result(facts, config).reasons; r.code == "resources.unlisted"} == {c.path}
	}
}

test_a_refusal_by_the_workspace_says_which_setting_opens_more if {
	lists.naming("/etc/x", "tools.fs.workspaceOnly") == "use a file of the workspace, or set tools.fs.workspaceOnly to false"
	lists.naming("/etc/x", "tools.read.allow") == "add /etc/x to tools.read.allow, or use a file that the list names"
}
