package gavel.exec.hazards_test

import data.gavel.exec.hazards
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
		"a kind that nobody knows is not accepted": {"kind": "flies", "accepted": false},
		"a kind that is no text is not accepted": {"kind": 7, "accepted": false},
		"reading is accepted": {"kind": "reads", "accepted": true},
		"the network is accepted": {"kind": "network", "accepted": true},
	}
	_accepted(_segment(c.kind), []) == c.accepted
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

test_hazards_that_nobody_looked_for_are_not_accepted[name] if {
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

test_a_kind_under_both_is_a_miss if {
	both := {"pass": ["runs"], "miss": ["runs"]}
	not _accepted(_segment("runs"), []) with data.gavel.catalog.exec.hazards as both
}

test_reasons_name_the_argument_and_the_entry if {
	some reason in hazards.objections(_segment("runs"), _entry([]))
	reason.code == "exec.hazard"
	reason.message == `/usr/bin/rg may not be given --pre "./evil": it runs other programs`
	reason.fix == "leave --pre out, or list it under args of tools.exec.allowlist[0]"
	reason.source.path == "tools.exec.allowlist[0]"
}

test_an_accepted_hazard_gives_no_reason if {
	hazards.objections(_segment("runs"), _entry(["any"])) == set()
	hazards.objections(_segment("reads"), _entry([])) == set()
}

_accepted(segment, args) if {
	hazards.accepted(segment, _entry(args))
} else := false
