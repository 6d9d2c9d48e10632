package gavel.exec.hazards_test

import data.gavel.exec.hazards
import data.gavel.exec.hazards.files
import data.gavel.testing

_entry(args) := {"found": true, "pattern": "/usr/bin/rg", "path": "tools.exec.allowlist[0]", "args": args}

_segment(kind) := testing.hazardous("/usr/bin/rg", kind, "--pre")

test_kinds[name] if {
	some name, c in {
		"running is not accepted": {"kind": "runs", "accepted": false},
		"inline code is not accepted": {"kind": "inline", "accepted": false},
		"writing is not accepted": {"kind": "writes", "accepted": false},
		"loading is not accepted": {"kind": "loads", "accepted": false},
		"an unknown option is not accepted": {"kind": "unknown", "accepted": false},
		"an argument that was not read is not accepted": {"kind": "unread", "accepted": false},
		"an unknown kind is not accepted": {"kind": "flies", "accepted": false},
		"a kind that is not a string is not accepted": {"kind": 7, "accepted": false},
		"reading other files is not accepted": {"kind": "reads", "accepted": false},
		"the network is not accepted": {"kind": "network", "accepted": false},
		"secrets are not accepted": {"kind": "secrets", "accepted": false},
		"code of the project is accepted": {"kind": "project", "accepted": true},
		"a program in a filter's language is accepted": {"kind": "program", "accepted": true},
		"code that may be passed on is accepted": {"kind": "carried", "accepted": true},
	}
	_accepted(_segment(c.kind), []) == c.accepted
}

test_every_kind_has_one_effect_and_a_meaning[kind] if {
	table := data.gavel.catalog.exec.hazards
	some kind in array.concat(table.miss, table.pass)
	count([1 | some other in array.concat(table.miss, table.pass); other == kind]) == 1
	is_string(table.meaning[kind])
}

test_entries[name] if {
	some name, c in {
		"any accepts everything": {"args": ["any"], "accepted": true},
		"a name accepts that hazard": {"args": ["-z", "--pre"], "accepted": true},
		"another name does not": {"args": ["--pre-glob"], "accepted": false},
		"the beginning of a name does not": {"args": ["--pr"], "accepted": false},
		"another case does not": {"args": ["--PRE", "ANY"], "accepted": false},
	}
	_accepted(_segment("runs"), c.args) == c.accepted
}

test_every_hazard_must_be_accepted if {
	two := object.union(_segment("runs"), {"hazards": array.concat(_segment("runs").hazards, [{"kind": "writes", "option": "-o", "argument": "", "index": 2}])})
	not _accepted(two, ["--pre"])
	not _accepted(two, ["-o"])
	_accepted(two, ["-o", "--pre"])
}

# FILES-1: a file that may be written.
test_writing_a_file_that_is_listed[name] if {
	some name, c in {
		"is accepted": {"kind": "writes", "real": "/srv/app/x", "accepted": true},
		"is not accepted elsewhere": {"kind": "writes", "real": "/etc/x", "accepted": false},
		"is not accepted where the file is unknown": {"kind": "writes", "real": "", "accepted": false},
		"does not accept running": {"kind": "runs", "real": "/srv/app/x", "accepted": false},
	}
	config := object.union(testing.config, {"tools": {"write": {"allow": ["/srv/app/**"]}}})
	segment := object.union(_segment(c.kind), {"hazards": [object.union(_segment(c.kind).hazards[0], {"real": c.real})]})
	_accepted(segment, []) == c.accepted with data.config as config with input as testing.exec_facts
}

test_missing_hazard_facts_are_not_accepted[name] if {
	some name, segment in {
		"missing": object.remove(testing.segment("/usr/bin/rg"), ["hazards"]),
		"null": object.union(testing.segment("/usr/bin/rg"), {"hazards": null}),
		"no list": object.union(testing.segment("/usr/bin/rg"), {"hazards": {}}),
	}
	not _accepted(segment, ["any"])
}

test_a_hazard_without_members_is_not_accepted if {
	not _accepted(object.union(testing.segment("/usr/bin/rg"), {"hazards": [{}]}), ["--pre"])
}

test_a_kind_of_hazard_that_passes_and_misses_is_a_miss if {
	both := {"pass": ["runs"], "miss": ["runs"]}
	not _accepted(_segment("runs"), []) with data.gavel.catalog.exec.hazards as both
}

_accepted(segment, args) if {
	hazards.accepted(segment, _entry(args))
} else := false

_by_kind(segment, entry) if {
	hazards.accepted(segment, entry) with input as testing.exec_facts with data.config as testing.configured({"tools": {"write": {"deny": ["/etc/**"]}}})
}

# A rule accepts hazards by kind too (R42).
test_a_rule_accepts_kinds if {
	entry := {"args": ["network"], "kinds": ["network"], "path": "tools.exec.rules[0]", "rule": true}
	_by_kind(testing.hazardous("/usr/bin/git", "network", "URL"), entry)
	not _by_kind(testing.hazardous("/usr/bin/git", "runs", "URL"), entry)
	not _by_kind(testing.hazardous("/usr/bin/git", "network", "dynamic"), entry)
}

test_a_kind_does_not_open_a_file_that_a_list_closes if {
	entry := {"args": [], "kinds": ["writes"], "path": "tools.exec.rules[0]", "rule": true}
	written := testing.hazardous("/usr/bin/sort", "writes", "-o")
	_by_kind(written, entry)
	not _by_kind(json.patch(written, [{"op": "replace", "path": "/hazards/0/real", "value": "/etc/x"}]), entry)
}

_lists := {"tools": {"read": {"deny": ["/**/.env", "/**/.aws/**"]}}}

_searching(program, list) := json.patch(testing.segment(program), [{"op": "replace", "path": "/hazards", "value": list}])

_found(option, real) := {"kind": "reads", "option": option, "argument": ".", "index": 2, "real": real}

_denied_with(segment, config) := found if {
	found := files.denied with input as testing.execution({"segments": [segment]}) with data.config as testing.configured(config)
}

test_files_below_that_no_list_denies_are_accepted[name] if {
	some name, c in {
		"a file that is not denied": {"option": "below", "real": "/srv/app/x", "accepted": true},
		"a directory that is not denied": {"option": "inside", "real": "/srv/app/x", "accepted": true},
		"a named file that is not denied": {"option": "denied", "real": "/srv/app/x", "accepted": true},
		"a denied file": {"option": "below", "real": "/srv/app/.env", "accepted": false},
		"a denied directory": {"option": "inside", "real": "/srv/app/.aws", "accepted": false},
		"a named denied file": {"option": "denied", "real": "/srv/app/.env", "accepted": false},
		"an unknown file": {"option": "below", "real": "", "accepted": false},
		"another hazard of a file that is not denied": {"option": "secret", "real": "/srv/app/x", "accepted": false},
	}
	segment := _searching("/usr/bin/rg", [_found(c.option, c.real)])
	_accepted(segment, []) == c.accepted with input as testing.execution({"segments": [segment]}) with data.config as testing.configured(_lists)
}

test_a_directory_that_was_not_searched_completely_is_a_miss[name] if {
	some name, c in {
		"too much": {"option": "bound", "searches": "deny", "accepted": false},
		"too much, where searches are allowed": {"option": "bound", "searches": "allow", "accepted": false},
		"nothing was seen": {"option": "unseen", "searches": "deny", "accepted": false},
		"nothing was seen, where searches are allowed": {"option": "unseen", "searches": "allow", "accepted": true},
	}
	config := {"tools": {"read": object.union(_lists.tools.read, {"searches": c.searches})}}
	segment := _searching("/usr/bin/rg", [_found(c.option, "")])
	_accepted(segment, []) == c.accepted with input as testing.execution({"segments": [segment]}) with data.config as testing.configured(config)
}

test_work_in_a_directory_of_the_workspace_is_accepted[name] if {
	there := {"kind": "directory", "option": "-C", "argument": "sub", "index": 2, "real": "/srv/app/sub"}
	some name, c in {
		"in the workspace": {"hazards": [there], "accepted": true},
		"outside": {"hazards": [object.union(there, {"real": "/srv/other"})], "accepted": false},
		"in a directory whose name begins like the workspace": {"hazards": [object.union(there, {"real": "/srv/apple"})], "accepted": false},
		"in an unknown one": {"hazards": [object.union(there, {"real": ""})], "accepted": false},
		"in one that may lead elsewhere by then": {"hazards": [there], "after": true, "accepted": false},
		"in one that is relative to another": {"hazards": [there, object.union(there, {"index": 4})], "accepted": false},
	}
	segment := object.union(_searching("/usr/bin/make", c.hazards), {"after": object.get(c, "after", false)})
	facts := object.union(testing.execution({"segments": [segment]}), {"environment": {"workspace": "/srv/app"}})
	_accepted(segment, []) == c.accepted with input as facts with data.config as testing.configured(_lists)
}

test_work_in_a_directory_is_not_accepted_without_a_workspace if {
	segment := _searching("/usr/bin/make", [{"kind": "directory", "option": "-C", "argument": "sub", "index": 2, "real": "/srv/app/sub"}])
	not _accepted(segment, []) with input as object.union(testing.execution({"segments": [segment]}), {"environment": {"workspace": ""}}) with data.config as testing.configured(_lists)
}
