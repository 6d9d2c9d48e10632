package gavel.guard_test

import data.gavel.decision
import data.gavel.guard
import data.gavel.testing

_touch(changes) := object.union(
	{"kind": "state", "access": "read", "given": "f", "real": "/var/gavel/f", "holds": false, "program": "cat"},
	changes,
)

_codes(facts, config) := codes if {
	reasons := guard.deny with input as facts with data.config as config
	codes := testing.codes(reasons)
}

_self(lists) := testing.configured({"tools": {"self": lists}})

test_protected_locations[name] if {
	some name, c in {
		"Gavel's state may not be read": {"touch": {}, "codes": {"guard.protected"}},
		"Gavel's state may not be written": {"touch": {"access": "write"}, "codes": {"guard.protected"}},
		"the policy is closed": {"touch": {"kind": "policy"}, "codes": {"guard.protected"}},
		"an unknown kind is closed": {"touch": {"kind": "other"}, "codes": {"guard.protected"}},
		"settings of hosts may be read": {"touch": {"kind": "host"}, "codes": set()},
		"settings of hosts may not be changed": {"touch": {"kind": "host", "access": "write"}, "codes": {"guard.settings"}},
		"Gavel's address is closed": {"touch": {"kind": "address", "access": "connect"}, "codes": {"guard.address"}},
		"credentials of a cloud are closed": {"touch": {"kind": "metadata", "access": "connect"}, "codes": {"guard.metadata"}},
		"a directory around the state may be listed": {"touch": {"holds": true, "program": "ls"}, "codes": set()},
		"a directory around the state may not be searched": {"touch": {"holds": true, "program": "grep"}, "codes": {"guard.protected"}},
		"a directory around the policy may be searched": {"touch": {"kind": "policy", "holds": true, "program": "grep"}, "codes": set()},
		"a directory around settings may not be removed": {"touch": {"kind": "host", "access": "write", "holds": true, "program": "rm"}, "codes": {"guard.settings"}},
		"a search of a directory around Gavel's state": {"touch": {"holds": true, "program": ""}, "codes": {"guard.protected"}},
		"a search of a directory around settings": {"touch": {"kind": "host", "holds": true, "program": ""}, "codes": set()},
		"a search of a directory around the policy": {"touch": {"kind": "policy", "holds": true, "program": ""}, "codes": set()},
		"a file in place of a directory of settings": {"touch": {"kind": "host", "access": "write", "holds": true, "program": ""}, "codes": {"guard.settings"}},
	}
	_codes(object.union(testing.facts, {"touches": [_touch(c.touch)]}), testing.config) == c.codes
}

test_what_is_opened[name] if {
	some name, c in {
		"a file that may be read": {"touch": {}, "self": {"read": ["/var/gavel/**"]}, "codes": set()},
		"a file that may be written may be read": {"touch": {}, "self": {"write": ["/var/gavel/**"]}, "codes": set()},
		"a file that may be read is not written": {"touch": {"access": "write"}, "self": {"read": ["/var/gavel/**"]}, "codes": {"guard.protected"}},
		"another file": {"touch": {}, "self": {"read": ["/var/other/**"]}, "codes": {"guard.protected"}},
		"settings of the workspace": {
			"touch": {"kind": "host", "access": "write", "real": "/srv/app/.vscode/settings.json"},
			"self": {"write": ["./.vscode/*"]},
			"codes": set(),
		},
		"an address": {
			"touch": {"kind": "address", "access": "connect", "real": "localhost:8181"},
			"self": {"connect": ["localhost:8181"]},
			"codes": set(),
		},
		"another address": {
			"touch": {"kind": "address", "access": "connect", "real": "localhost:8181"},
			"self": {"connect": ["localhost:8182"]},
			"codes": {"guard.address"},
		},
	}
	_codes(object.union(testing.facts, {"touches": [_touch(c.touch)]}), _self(c.self)) == c.codes
}

test_an_agent_may_have_something_opened_for_itself if {
	config := testing.configured({"agents": {"defaults": {}, "main": {"tools": {"self": {"read": ["/var/gavel/**"]}}}}})
	_codes(object.union(testing.facts, {"touches": [_touch({})]}), config) == set()
	other := object.union(testing.facts, {"touches": [_touch({})], "agent": {"id": "else"}})
	_codes(other, config) == {"guard.protected"}
}

test_parameters[name] if {
	some name, c in {
		"those that are read": {"tool": {"parameters": ["limit", "path"]}, "codes": set()},
		"one that is not": {"tool": {"parameters": ["file_path", "path"]}, "codes": {"guard.parameter"}},
		"a parameter of another tool": {"tool": {"parameters": ["content", "path"]}, "codes": {"guard.parameter"}},
		"another tool's are its own": {"tool": {"name": "message", "parameters": []}, "codes": set()},
		"an ambiguous name": {"tool": {"odd": ["a leading @"]}, "codes": {"guard.odd"}},
	}
	_codes(object.union(testing.facts, {"tool": c.tool}), testing.config) == c.codes
}

test_the_fix_of_an_ambiguous_parameter_is_about_it[name] if {
	some name, c in {
		"a name": {"tool": {"odd": ["a leading @"]}, "fix": "write the file name plainly, with letters, digits and ordinary punctuation"},
		"a list of names": {"tool": {"odd": ["path that is not text"]}, "fix": "send one path, as text"},
		"a patch": {
			"tool": {"name": "apply_patch", "odd": ["a patch that names no file"], "parameters": []},
			"fix": "send one patch in the format that the tool describes, with plain file names",
		},
	}
	facts := object.union(testing.facts, {"tool": c.tool})
	found := guard.deny with input as facts with data.config as testing.config
	{r.fix | some r in found; r.code == "guard.odd"} == {c.fix}
}

test_an_exceeded_limit_denies_any_call if {
	_codes(object.union(testing.facts, {"exceeded": ["path"]}), testing.config) == {"guard.limit"}
	_codes(object.union(testing.exec_facts, {"exceeded": ["later"]}), testing.config) == {"guard.limit"}
}

test_a_probe_of_a_hook_is_denied_whatever_permits_it if {
	config := testing.configured({"tools": {"exec": {"security": "full", "ask": "off"}}})
	every probe in [true, null, "false", 0] {
		facts := object.union(testing.exec_facts, {"host": {"probe": probe}})
		_codes(facts, config) == {"guard.probe"}
		result := decision.result with input as facts with data.config as config
		result.effect == "deny"
	}
	_codes(object.union(testing.exec_facts, {"host": {"probe": false}}), config) == set()
}

test_full_mode_and_answers_open_nothing if {
	facts := object.union_n([testing.exec_facts, {"touches": [_touch({})]}, testing.answered("allow-once")])
	config := testing.configured({"tools": {"exec": {"security": "full", "ask": "off"}}})
	result := decision.result with input as facts with data.config as config
	result.effect == "deny"
}
