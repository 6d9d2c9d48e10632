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

test_a_kind_under_both_is_a_miss if {
	both := {"pass": ["runs"], "miss": ["runs"]}
	not _accepted(_segment("runs"), []) with data.gavel.catalog.exec.hazards as both
}

test_what_is_not_understood_is_reported_as_such if {
	some reason in hazards.objections(_segment("unread"), _entry([]))
	endswith(reason.message, "it could not be read, so its effect is unknown")
}

test_reasons_name_the_argument_and_the_entry if {
	some reason in hazards.objections(_segment("runs"), _entry([]))
	reason.code == "exec.hazard"
	reason.message == `rg TODO: /usr/bin/rg may not be used with --pre "./evil": it runs other programs`
	reason.fix == "leave --pre out, or list --pre under args of tools.exec.allowlist[0]"
	reason.source.path == "tools.exec.allowlist[0]"
}

test_a_word_produced_at_run_time_is_reported_as_one if {
	segment := object.union(testing.segment("/usr/bin/rg"), {"hazards": [{"kind": "runs", "option": "dynamic", "argument": "$f", "index": 1, "real": ""}]})
	some reason in hazards.objections(segment, _entry([]))
	reason.message == "rg TODO: /usr/bin/rg may not be used with $f, which is produced at run time and could be an option: it runs other programs"
	reason.fix == "write the word out, begin it with ./, or put -- before it if the program supports that, or list dynamic under args of tools.exec.allowlist[0]"
}

test_a_pager_is_reported_with_what_stops_it if {
	segment := object.union(testing.segment("/usr/bin/git"), {"hazards": [{"kind": "runs", "option": "pager", "argument": "", "index": 0, "real": ""}]})
	some reason in hazards.objections(segment, _entry([]))
	reason.fix == "add an option such as --no-pager, or end the command with | cat, or list pager under args of tools.exec.allowlist[0]"
}

# A pack is not edited, so the advice is a rule beside it, with all that the command needs.
test_for_a_rule_of_a_pack_the_advice_is_a_rule_of_ones_own if {
	hazard := {"kind": "runs", "option": "--pre", "argument": "./evil", "index": 1, "real": ""}
	script := {"kind": "inline", "option": "script", "argument": "s/a/b/e", "index": 2, "real": ""}
	segment := object.union(testing.segment("/usr/bin/rg"), {"hazards": [hazard, script]})
	fixes := {reason.fix | some reason in hazards.objections(segment, {"args": [], "kinds": [], "path": "packs.files-read.rules[3]", "rule": true})}
	fixes == {
		"leave --pre out, or add {program: rg, accepts: [--pre, script], effect: allow} to tools.exec.rules",
		`leave "s/a/b/e" out, or add {program: rg, accepts: [--pre, script], effect: allow} to tools.exec.rules`,
	}
	own := {reason.fix | some reason in hazards.objections(segment, {"args": [], "kinds": [], "path": "tools.exec.rules[0]", "rule": true})}
	"leave --pre out, or list --pre under accepts of tools.exec.rules[0]" in own
}

test_for_a_file_outside_the_workspace_the_advice_is_the_list_of_files if {
	hazard := {"kind": "elsewhere", "option": "outside", "argument": "../x", "index": 1, "real": "/srv/x"}
	segment := object.union(testing.segment("/usr/bin/cat"), {"hazards": [hazard]})
	config := testing.configured({"tools": {"read": {"allow": ["./**"]}}})
	some reason in hazards.objections(segment, _entry([])) with input as testing.exec_facts with data.config as config
	reason.fix == `leave "../x" out, or list /srv/x under tools.read.allow`
}

test_an_accepted_hazard_gives_no_reason if {
	hazards.objections(_segment("runs"), _entry(["any"])) == set()
	hazards.objections(_segment("project"), _entry([])) == set()
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

test_a_kind_opens_no_file_that_a_list_closes if {
	entry := {"args": [], "kinds": ["writes"], "path": "tools.exec.rules[0]", "rule": true}
	written := testing.hazardous("/usr/bin/sort", "writes", "-o")
	_by_kind(written, entry)
	not _by_kind(json.patch(written, [{"op": "replace", "path": "/hazards/0/real", "value": "/etc/x"}]), entry)
}

_lists := {"tools": {"read": {"deny": ["/**/.env", "/**/.aws/**"]}}}

_searching(program, list) := json.patch(testing.segment(program), [{"op": "replace", "path": "/hazards", "value": list}])

_found(option, real) := {"kind": "reads", "option": option, "argument": ".", "index": 2, "real": real}

_denied_with(segment, config) := found if {
	found := hazards.denied with input as testing.execution({"segments": [segment]}) with data.config as testing.configured(config)
}

# FILES-1: what a program reads below a directory.
test_denied_files_below_a_directory_are_reported_together if {
	segment := _searching("/usr/bin/rg", [_found("below", "/srv/app/.env"), _found("inside", "/srv/app/.aws"), _found("below", "/srv/app/main.go")])
	found := _denied_with(segment, _lists)
	count(found) == 1
	some reason in found
	reason.code == "exec.search_denied"
	reason.message == "rg TODO would also read what is denied: /srv/app/.aws, /srv/app/.env"
	reason.fix == "leave it out: add -g '!.aws' -g '!.env'; or search a directory without it"
	reason.source.path == "tools.read.deny"
}

test_a_directory_is_left_out_with_its_own_option if {
	some reason in _denied_with(_searching("/usr/bin/grep", [_found("inside", "/srv/app/.aws")]), _lists)
	startswith(reason.fix, "leave it out: add --exclude-dir=.aws;")
}

test_a_program_without_such_an_option_is_given_the_files if {
	some reason in _denied_with(_searching("/usr/bin/ack", [_found("below", "/srv/app/.env")]), _lists)
	startswith(reason.fix, "name the files to read;")
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

test_what_was_not_looked_at_is_a_miss[name] if {
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

test_the_reason_says_what_was_not_looked_at[option] if {
	some option, want in {
		"bound": {"code": "exec.search_bound", "fix": "search a smaller directory, or leave out a large one, such as with --exclude-dir=node_modules"},
		"unseen": {"code": "exec.search_unseen", "fix": "name the files to read, or set tools.read.searches to allow"},
	}
	some reason in hazards.objections(_searching("/usr/bin/grep", [_found(option, "")]), _entry([]))
	reason.code == want.code
	reason.fix == want.fix
}

test_a_word_of_a_test_that_a_shell_may_evaluate_is_reported_as_that if {
	segment := _searching("/usr/bin/test", [{"kind": "runs", "option": "expression", "argument": "$CI", "index": 2, "real": ""}])
	some reason in hazards.objections(segment, _entry([]))
	reason.code == "exec.expression"
	contains(reason.message, "some shells would run commands that are in $CI")
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
