package gavel.exec.bound_test

import data.gavel.exec.bound
import data.gavel.testing

_loose(segments) := found if {
	found := bound.unbound with input as testing.execution({"segments": segments})
}

_script := {
	"role": "script",
	"path": "/srv/app/x.py",
	"real": "/srv/app/x.py",
	"device": "1",
	"inode": "2",
	"sha256": "ab",
	"found": true,
}

_fitting := {"pattern": "*.txt", "known": true, "count": 1, "names": ["a.txt"], "sha256": "ab"}

test_a_command_all_of_whose_code_is_known_is_bound if {
	_loose([testing.segment("/usr/bin/rg")]) == set()
	_loose([object.union(testing.segment("/usr/bin/python3"), {"scripts": [_script]})]) == set()
	_loose([object.union(testing.segment("/usr/bin/cat"), {"fits": [_fitting]})]) == set()
}

# R41: missing facts never count as bound.
test_unknown_code_is_unbound[name] if {
	some name, segment in {
		"code that cannot be identified": object.union(testing.segment("/usr/bin/x"), {"unbound": [{"what": "x", "why": "download"}]}),
		"code without facts": object.union(testing.segment("/usr/bin/x"), {"unbound": null}),
		"scripts without facts": object.union(testing.segment("/usr/bin/x"), {"scripts": null}),
		"a script without its content": object.union(testing.segment("/usr/bin/x"), {"scripts": [object.union(_script, {"sha256": ""})]}),
		"a script that does not exist": object.union(testing.segment("/usr/bin/x"), {"scripts": [object.union(_script, {"found": false})]}),
		"a program that does not exist": testing.lost("x"),
		"patterns without facts": object.union(testing.segment("/usr/bin/x"), {"fits": null}),
		"a pattern whose files are unknown": object.union(testing.segment("/usr/bin/x"), {"fits": [object.union(_fitting, {"known": false})]}),
	}
	count(_loose([segment])) == 1
}

# A script that does not exist has no path, and is named as the command names it.
test_a_script_that_does_not_exist_is_named if {
	lost := object.union(_script, {"path": "", "sha256": "", "found": false})
	by_option := object.union(testing.hazardous("/usr/bin/python3", "runs", "SCRIPT"), {"scripts": [lost]})
	some hazard in by_option.hazards
	_loose([by_option]) == {{"what": hazard.argument, "why": "missing"}}
	by_name := object.union(testing.segment("/usr/bin/x.sh"), {"argv": ["x.sh"], "scripts": [lost]})
	_loose([by_name]) == {{"what": "x.sh", "why": "missing"}}
}

test_a_command_without_segments_is_unbound if {
	found := bound.unbound with input as json.remove(testing.exec_facts, ["exec/segments"])
	found == {{"what": "the command", "why": "opaque"}}
}

test_a_command_that_was_not_understood_is_unbound if {
	found := bound.sentences with input as testing.refused("redirect")
	found == ["the command runs code that was not understood"]
}

test_an_unknown_cause_is_reported_as_unknown if {
	bound.sentence({"what": "x", "why": "other"}) == "x is unknown"
}
