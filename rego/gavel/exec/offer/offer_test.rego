package gavel.exec.offer_test

import data.gavel.exec.offer
import data.gavel.testing

_configured := {"tools": {"profile": "full", "exec": {"host": "gateway", "security": "allowlist", "ask": "on-miss"}}, "agents": {"defaults": {}}}

_offer(segments) := o if {
	o := offer.result with input as testing.execution({"segments": segments})
		with data.config as _configured
		with data.gavel.check.problems as set()
}

_paths(o) := [entry.pattern | some entry in o.patterns]

_codes(segments) := testing.codes(_offer(segments).refused)

_within(path, kinds) := object.union(testing.segment(path), {"wrappers": [object.union(testing.wrapper("/bin/x"), {"kind": kind}) | some kind in kinds]})

_by(wrapper) := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [object.union(testing.wrapper("/usr/bin/env"), wrapper)]})

test_every_program_of_a_command_is_offered_once_and_in_order if {
	o := _offer([testing.segment(path) | some path in ["/usr/bin/rg", "/usr/bin/ls", "/usr/bin/rg"]])
	_paths(o) == ["/usr/bin/rg", "/usr/bin/ls"]
	o.refused == set()
}

test_a_script_of_a_shell_is_offered_by_its_own_path if {
	script := {"role": "script", "path": "/srv/app/x.sh", "real": "/srv/app/x.sh", "device": "1", "inode": "2", "sha256": "ab", "found": true}
	segment := object.union(_within("/srv/app/x.sh", ["shell"]), {"scripts": [script], "argv": ["./x.sh", "a"]})
	o := _offer([segment])
	_paths(o) == ["/srv/app/x.sh"]
	o.patterns[0].only.sha256 == "ab"
	endswith(o.templates[0].admits, "while its content stays the same")
}

test_hazards_of_some_kinds_are_accepted_by_name if {
	o := _offer([
		testing.hazardous("/usr/bin/rm", "writes", "-r"),
		testing.hazardous("/usr/bin/rm", "writes", "-f"),
		testing.hazardous("/usr/bin/rm", "reads", "-x"),
	])
	[entry.args | some entry in o.patterns] == [["-r"], ["-f"], ["-x"]]
}

# R26: for all segments or for none.
test_one_refusal_refuses_all if {
	o := _offer([testing.segment("/usr/bin/rg"), testing.lost("zz")])
	o.patterns == []
	o.templates == []
}

test_nothing_is_offered_for_what_was_not_understood if {
	o := offer.result with input as testing.refused("redirect") with data.config as _configured with data.gavel.check.problems as set()
	testing.codes(o.refused) == {"exec.offer_not_understood"}
}

test_a_reader_keeps_its_options_and_takes_other_plain_operands if {
	o := _offer([object.union(testing.segment("/usr/bin/rg"), {"argv": ["rg", "-n", "TODO", "src/", "/srv/lib"]})])
	o.patterns == [{"pattern": "/usr/bin/rg", "args": [], "only": {
		"form": "operands",
		"argv": [],
		"cwd": "",
		"targets": [],
		"subCommand": "",
		"options": ["-n"],
		"words": ["/srv/lib"],
		"sha256": "",
	}}]
	o.templates[0].admits == "/usr/bin/rg with any plain operands, the options -n, the words /srv/lib, in any directory"
}

test_an_offer_keeps_a_sub_command_that_only_shows if {
	o := _offer([object.union(testing.segment("/usr/bin/git"), {"argv": ["git", "log", "-p", "src"], "subCommand": "log"})])
	only := o.patterns[0].only
	only.form == "operands"
	only.subCommand == "log"
	only.options == ["-p"]
}

# RT-07: for any other program, all words and the directory are fixed.
test_entries_with_fixed_words[name] if {
	some name, segment in {
		"a program that writes": object.union(testing.hazardous("/usr/bin/cp", "writes", "TARGET"), {"argv": ["cp", "a", "b"]}),
		"a program that reaches another machine": object.union(testing.hazardous("/usr/bin/curl", "network", "URL"), {"argv": ["curl", "https://a.b/"]}),
		"a program that changes files": object.union(testing.segment("/usr/bin/chmod"), {"argv": ["chmod", "755", "a"]}),
		"an unknown program": object.union(testing.segment("/usr/bin/tool"), {"argv": ["tool", "x"], "known": false}),
		"a reader by another name": object.union(testing.segment("/usr/bin/rg"), {"argv": ["rg", "x"], "executable": {"realName": "other"}}),
		"a sub-command that may change something": object.union(testing.segment("/usr/bin/git"), {"argv": ["git", "stash", "list"], "subCommand": "stash"}),
		"a sub-command behind an option": object.union(testing.segment("/usr/bin/git"), {"argv": ["git", "-C", "x", "log"], "subCommand": "log"}),
	}
	only := _offer([segment]).patterns[0].only
	only.form == "words"
	only.argv == array.slice(segment.argv, 1, count(segment.argv))
	only.cwd == "/srv/app"
}

test_plain_modes_are_offered[mode] if {
	some mode in ["755", "0644", "u+x", "go-w", "a+r", "+x"]
	_paths(_offer([object.union(testing.segment("/usr/bin/chmod"), {"argv": ["chmod", mode, "a"]})])) == ["/usr/bin/chmod"]
}

# RT-03: a program that others can change is offered with its content, or not at all.
test_a_file_that_other_users_may_change_needs_a_digest if {
	open := object.union(testing.segment("/srv/app/s.sh"), {"executable": {"writable": ["directory", "file"]}})
	testing.codes(_offer([open]).refused) == {"exec.offer_changeable"}
	hashed := object.union(open, {"executable": {"sha256": "abcd"}})
	_offer([hashed]).patterns[0].only.sha256 == "abcd"
}

_python := object.union(testing.hazardous("/usr/bin/python3", "runs", "SCRIPT"), {"argv": ["python3", "x.py"], "scripts": [{
	"role": "script",
	"path": "/srv/app/x.py",
	"real": "/srv/app/x.py",
	"device": "1",
	"inode": "2",
	"sha256": "ab",
	"found": true,
}]})

test_exactly_this_command_is_offered_with_what_its_files_hold if {
	o := _offer([_python])
	o.patterns == []
	o.exact == true
	testing.codes(o.refused) == {"exec.offer_interpreter", "exec.offer_code"}
}

test_nothing_is_offered_for_code_that_cannot_be_identified if {
	o := _offer([object.union(_python, {"unbound": [{"what": "x", "why": "download"}]})])
	o.exact == false
	testing.codes(o.refused) == {"exec.offer_interpreter", "exec.offer_code", "exec.offer_unbound"}
	unread := _offer([object.union(_python, {"unbound": null})])
	unread.exact == false
}

test_a_shell_builtin_itself_needs_no_entry if {
	cd := object.union(testing.lost("cd"), {"builtin": "cd", "directory": "/srv/app/repo", "argv": ["cd", "repo"]})
	o := _offer([cd, testing.segment("/usr/bin/rg")])
	_paths(o) == ["/usr/bin/rg"]
	o.refused == set()
}
