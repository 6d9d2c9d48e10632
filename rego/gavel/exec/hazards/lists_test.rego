package gavel.exec.hazards_test

import data.gavel.exec.hazards
import data.gavel.testing

# What a command reads and writes is judged by the lists of files (FILES-1).

_of(kind, option, real) := {"kind": kind, "option": option, "argument": "x", "index": 2, "real": real}

_accepts_all(program, list, changes, config) := accepted if {
	segment := object.union(_searching(program, list), changes)
	facts := object.union(testing.execution({"segments": [segment]}), {"environment": {"workspace": "/srv/app"}})
	accepted := _accepted(segment, []) with input as facts with data.config as testing.configured(config)
}

_readable := {"tools": {"read": {"allow": ["/srv/**"]}}}

_writable := {"tools": {"write": {"allow": ["/srv/**"], "deny": ["/srv/x/secret"]}}}

_changed_before := {"after": true}

test_a_path_outside_the_workspace[name] if {
	some name, c in {
		"without lists": {"real": "/opt/x", "config": {}, "accepted": true},
		"without lists, unknown": {"real": "", "config": {}, "accepted": true},
		"that a deny list does not name": {"real": "/opt/x", "config": _lists, "accepted": true},
		"that a deny list names": {"real": "/opt/.env", "config": _lists, "accepted": true, "denied": true},
		"unknown, with a deny list": {"real": "", "config": _lists, "accepted": false},
		"that an allow list names": {"real": "/srv/x", "config": _readable, "accepted": true},
		"that an allow list does not name": {"real": "/opt/x", "config": _readable, "accepted": false},
		"that an allow list names, after it may have changed": {"real": "/srv/x", "config": _readable, "changes": _changed_before, "accepted": false},
	}
	list := [_of("elsewhere", "outside", c.real)]
	_accepts_all("/usr/bin/rg", list, object.get(c, "changes", {}), c.config) == c.accepted
	count(_denied_with(_searching("/usr/bin/rg", list), c.config)) > 0 == object.get(c, "denied", false)
}

test_a_written_path_outside_the_workspace_is_judged_as_a_write[name] if {
	lists := {"tools": {"read": {"allow": ["/opt/**"]}, "write": {"allow": ["/srv/**"]}}}
	written := _of("writes", "-o", "/srv/x")
	some name, c in {
		"the same word": {"other": written, "accepted": true},
		"another word": {"other": object.union(written, {"index": 3}), "accepted": false},
		"the same word, which the lists do not let it write": {"other": object.union(written, {"real": "/etc/x"}), "accepted": false},
		"the same word, which is not written": {"other": _of("project", "-o", "/srv/x"), "accepted": false},
	}
	_accepts_all("/usr/bin/sort", [_of("elsewhere", "outside", "/srv/x"), c.other], {}, lists) == c.accepted
}

test_a_file_that_is_written[name] if {
	some name, c in {
		"on the list": {"option": "-o", "accepted": true},
		"on the list, after it may have changed": {"option": "-o", "changes": _changed_before, "accepted": false},
		"a directory with a denied file, of which too much was to be seen": {"option": "bound", "accepted": false},
		"a directory with a denied file, of which nothing was seen": {"option": "unseen", "accepted": false},
	}
	_accepts_all("/usr/bin/sort", [_of("writes", c.option, "/srv/x")], object.get(c, "changes", {}), _writable) == c.accepted
}

test_only_reading_is_judged_by_the_lists_of_what_may_be_read[name] if {
	some name, c in {
		"a file on the list": {"hazard": _of("reads", "denied", "/srv/x"), "accepted": true},
		"a file that is not on it, and on no deny list": {"hazard": _of("reads", "denied", "/opt/x"), "accepted": true},
		"the network": {"hazard": _of("network", "denied", "/srv/x"), "accepted": false},
		"a search": {"hazard": _of("reads", "unseen", ""), "accepted": true},
		"writing in a search": {"hazard": _of("writes", "unseen", ""), "accepted": false},
	}
	lists := {"tools": {"read": {"allow": ["/srv/**"], "searches": "allow"}}}
	_accepts_all("/usr/bin/rg", [c.hazard], {}, lists) == c.accepted
}

test_a_path_after_a_command_that_may_make_links[name] if {
	some name, c in {
		"where nobody makes links": {"hazard": _of("reads", "linked", "/srv/app/logs/x"), "accepted": true},
		"elsewhere": {"hazard": _of("reads", "linked", "/srv/app/x"), "accepted": false},
		"at a place that is not known": {"hazard": _of("reads", "linked", ""), "accepted": false},
		"other files": {"hazard": _of("reads", "changed", "/srv/app/logs/x"), "accepted": false},
	}
	lists := {"tools": {"exec": {"noLinks": ["./logs/**"]}}}
	_accepts_all("/usr/bin/cat", [c.hazard], {}, lists) == c.accepted
}

test_work_in_a_directory_beside_other_hazards[name] if {
	there := _of("directory", "-C", "/srv/app/sub")
	some name, c in {
		"code of the project": {"other": _of("project", "x", ""), "accepted": true},
		"another program": {"other": _of("runs", "--pre", "/srv/app/sub"), "accepted": false},
	}
	_accepts_all("/usr/bin/make", [there, c.other], {}, _lists) == c.accepted
}

test_a_rule_opens_no_file_that_may_not_be_read if {
	entry := {"args": [], "kinds": ["reads"], "path": "tools.exec.rules[0]", "rule": true}
	_by_lists(_of("reads", "--file", "/srv/app/x"), entry)
	not _by_lists(_of("reads", "--file", "/srv/app/.env"), entry)
}

_by_lists(hazard, entry) if {
	hazards.accepted(_searching("/usr/bin/rg", [hazard]), entry) with input as testing.exec_facts with data.config as testing.configured(_lists)
}

# What is said of changes in directories (gavel.exec.changes) counts here too.
test_files_that_a_program_changes_in_a_directory[name] if {
	some name, c in {
		"on no list, where none says what may be written": {"config": {}, "option": "unlisted", "accepted": true, "denied": set()},
		"on a deny list": {
			"config": {"tools": {"write": {"deny": ["/srv/app/keep"]}}},
			"option": "below",
			"accepted": false,
			"denied": {"exec.change_denied"},
		},
		"perhaps on a deny list": {"config": {"tools": {"write": {"deny": ["/srv/app/keep"]}}}, "option": "unsure", "accepted": false, "denied": set()},
	}
	list := [_of("writes", c.option, "/srv/app/keep")]
	_accepts_all("/usr/bin/rm", list, {}, c.config) == c.accepted
	{r.code | some r in _denied_with(_searching("/usr/bin/rm", list), c.config)} == c.denied
}
