package gavel.exec.changes_test

import data.gavel.exec.changes
import data.gavel.exec.hazards
import data.gavel.exec.hazards.files
import data.gavel.testing

_config(write) := object.union(testing.config, {"tools": {"write": write}})

_deny := {"deny": ["/srv/app/gen/**"]}

_hazard(option, real) := {"kind": "writes", "option": option, "argument": "x", "index": 1, "real": real}

_segment(hazard) := object.union(testing.exec_facts.exec.segments[0], {"hazards": [hazard]})

_facts(hazard) := testing.execution({"segments": [_segment(hazard)]})

_accepted(hazard, write, entry) if {
	hazards.accepted(_segment(hazard), entry) with input as _facts(hazard) with data.config as _config(write) with data.gavel.check.problems as set()
} else := false

# An entry accepts what no list speaks against, and nothing else without saying so.
test_lists_decide_about_files_that_are_changed[name] if {
	plain := {"path": "tools.exec.allowlist", "args": []}
	some name, c in {
		"a denied file": {"hazard": _hazard("denied", "/srv/app/gen/x"), "write": _deny, "accepted": false},
		"a file that the lists do not deny after all": {"hazard": _hazard("denied", "/srv/app/x"), "write": _deny, "accepted": true},
		"a denied file in a directory": {"hazard": _hazard("below", "/srv/app/gen/x"), "write": _deny, "accepted": false},
		"a denied directory in a directory": {"hazard": _hazard("inside", "/srv/app/gen"), "write": _deny, "accepted": false},
		"a denied file that may be changed": {"hazard": _hazard("unsure", "/srv/app/gen/x"), "write": _deny, "accepted": false},
		"a file that no allow list has": {"hazard": _hazard("unlisted", "/srv/app/x"), "write": {"allow": ["/srv/other/**"]}, "accepted": false},
		"a file that an allow list has": {"hazard": _hazard("unlisted", "/srv/other/x"), "write": {"allow": ["/srv/other/**"]}, "accepted": true},
		"a file without allow lists": {"hazard": _hazard("unlisted", "/srv/app/x"), "write": _deny, "accepted": true},
		"an unknown file": {"hazard": _hazard("unlisted", ""), "write": {"allow": ["/srv/other/**"]}, "accepted": false},
		"a denied file that is unknown": {"hazard": _hazard("denied", ""), "write": _deny, "accepted": false},
		"a directory that nobody can look at": {"hazard": _hazard("unseen", "/srv/app"), "write": _deny, "accepted": false},
		"one in which no pattern names anything": {"hazard": _hazard("unseen", "/srv/app/src"), "write": _deny, "accepted": true},
		"one in which a pattern may name anything": {"hazard": _hazard("unseen", "/srv/app/src"), "write": {"deny": ["/**/.env"]}, "accepted": true},
		"one above a place": {"hazard": _hazard("unseen", "/"), "write": _deny, "accepted": false},
		"a directory with too many files": {"hazard": _hazard("bound", "/srv/app"), "write": _deny, "accepted": false},
		"a large one on an allow list": {"hazard": _hazard("bound", "/srv/app"), "write": object.union(_deny, {"allow": ["/srv/app/**"]}), "accepted": false},
	}
	_accepted(c.hazard, c.write, plain) == c.accepted
}

test_an_entry_accepts_an_uncertain_hazard_only_by_name[name] if {
	some name, c in {
		"by its name": {"option": "unsure", "entry": {"args": ["unsure"]}, "accepted": true},
		"with every argument": {"option": "unsure", "entry": {"args": ["any"]}, "accepted": true},
		"not by its kind": {"option": "unsure", "entry": {"args": [], "kinds": ["writes"]}, "accepted": false},
	}
	_accepted(_hazard(c.option, "/srv/app/gen/x"), _deny, c.entry) == c.accepted
}

test_several_denied_files_are_one_sentence if {
	segment := object.union(testing.segment("/usr/bin/rm"), {"hazards": [_hazard("below", "/srv/app/gen/x"), _hazard("below", "/srv/app/gen/y")]})
	messages := {r.message | some r in changes.denied} with input as testing.execution({"segments": [segment]})
		with data.config as _config(_deny)
		with data.gavel.check.problems as set()
	some message in messages
	endswith(message, "would also write /srv/app/gen/x and /srv/app/gen/y, which are denied")
}

_denied(hazard, write) := codes if {
	codes := {r.code | some r in files.denied} with input as _facts(hazard)
		with data.config as _config(write)
		with data.gavel.check.problems as set()
}

test_a_file_that_is_certainly_changed_is_denied[name] if {
	some name, c in {
		"a denied file": {"hazard": _hazard("denied", "/srv/app/gen/x"), "codes": {"exec.file_denied"}},
		"a file in a directory": {"hazard": _hazard("below", "/srv/app/gen/x"), "codes": {"exec.change_denied"}},
		"a directory in a directory": {"hazard": _hazard("inside", "/srv/app/gen"), "codes": {"exec.change_denied"}},
		"not what is unsure": {"hazard": _hazard("unsure", "/srv/app/gen/x"), "codes": set()},
		"not what nobody can look at": {"hazard": _hazard("unseen", "/srv/app/gen"), "codes": set()},
		"not what is on no list": {"hazard": _hazard("denied", "/srv/app/x"), "codes": set()},
	}
	_denied(c.hazard, _deny) == c.codes
}

test_a_wrapper_that_writes_a_denied_file_is_denied if {
	wrapper := {"hazards": [_hazard("-o", "/srv/app/gen/x")], "kind": "dispatcher"}
	segment := object.union(testing.exec_facts.exec.segments[0], {"hazards": [], "wrappers": [wrapper]})
	codes := {r.code | some r in files.denied} with input as testing.execution({"segments": [segment]})
		with data.config as _config(_deny)
		with data.gavel.check.problems as set()
	codes == {"exec.file_denied"}
}

test_each_objection_has_its_reason[option] if {
	some option, code in {
		"unsure": "exec.change_unsure",
		"unlisted": "exec.change_unlisted",
		"bound": "exec.change_unseen",
		"unseen": "exec.change_unseen",
	}
	hazard := _hazard(option, {"unsure": "/srv/app/x", "unlisted": "/srv/app/x", "bound": "/srv", "unseen": "/srv"}[option])
	r := changes.objection(_segment(hazard), hazard) with input as _facts(hazard)
		with data.config as _config({"deny": ["/srv/app/**"]})
		with data.gavel.check.problems as set()
	r.code == code
	r.source.path == "tools.write.deny"
}
