package gavel.exec.offer_test

import data.gavel.exec.offer
import data.gavel.testing

_configured := {"tools": {"profile": "full", "exec": {"host": "gateway", "security": "allowlist", "ask": "on-miss"}}, "agents": {"defaults": {}}}

_offer(segments) := o if {
	o := offer.result with input as testing.execution({"segments": segments})
		with data.config as _configured
		with data.gavel.config.problems as set()
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

# R26: from all segments or from none.
test_one_refusal_refuses_all if {
	o := _offer([testing.segment("/usr/bin/rg"), testing.lost("zz")])
	o.patterns == []
	o.templates == []
}

test_refusals[name] if {
	some name, c in {
		"a program that is not there": {"segment": testing.lost("zz"), "codes": {"exec.offer_not_found"}},
		"a shell that was not peeled": {"segment": testing.segment("/bin/bash"), "codes": {"exec.offer_opaque"}},
		"words that were not understood": {"segment": object.union(testing.segment("/usr/bin/rg"), {"opaque": "x"}), "codes": {"exec.offer_opaque"}},
		"an interpreter": {"segment": testing.segment("/usr/bin/python3"), "codes": {"exec.offer_interpreter"}},
		"an interpreter with its version": {"segment": testing.segment("/usr/bin/python3.12"), "codes": {"exec.offer_interpreter"}},
		"node with its version": {"segment": testing.segment("/usr/bin/node20"), "codes": {"exec.offer_interpreter"}},
		"a link to an interpreter": {
			"segment": object.union(testing.segment("/usr/bin/rg"), {"executable": {"realName": "gawk", "programs": ["rg", "gawk", "awk"]}}),
			"codes": {"exec.offer_interpreter"},
		},
		"find": {"segment": testing.segment("/usr/bin/find"), "codes": {"exec.offer_interpreter"}},
		"a relative path in the text of a shell": {
			"segment": object.union(_within("/srv/app/s/x.sh", ["shell"]), {"argv": ["s/x.sh"]}),
			"codes": {"exec.offer_inline_script"},
		},
		"three shells": {"segment": _within("/usr/bin/rg", ["shell", "shell", "shell"]), "codes": {"exec.offer_depth"}},
		"words that are made": {"segment": object.union(testing.segment("/usr/bin/rg"), {"dynamic": [1]}), "codes": {"exec.offer_dynamic"}},
		"words that nobody looked at": {"segment": object.union(testing.segment("/usr/bin/rg"), {"dynamic": null}), "codes": {"exec.offer_dynamic"}},
		"env with a variable": {"segment": _by({"argv": ["env", "A=1"]}), "codes": {"exec.offer_environment"}},
		"env that takes them away": {"segment": _by({"argv": ["env", "-i"]}), "codes": {"exec.offer_environment"}},
		"sudo with a variable": {
			"segment": _by({"argv": ["sudo", "A=1"], "kind": "privilege", "executable": {"name": "sudo"}}),
			"codes": {"exec.offer_environment"},
		},
		"somebody's own shell": {"segment": testing.wrapped("/usr/bin/rg", ["/tmp/sh"]), "codes": {"exec.offer_wrapper"}},
		"somebody's own sudo": {
			"segment": _by({"kind": "privilege", "executable": {"real": "/tmp/sudo"}}),
			"codes": {"exec.offer_wrapper"},
		},
		"an argument that runs something": {"segment": testing.hazardous("/usr/bin/git", "runs", "-c"), "codes": {"exec.offer_hazard"}},
		"an argument that is not known": {"segment": testing.hazardous("/usr/bin/git", "unknown", "-q"), "codes": {"exec.offer_hazard"}},
		"an argument of a kind that is none": {"segment": testing.hazardous("/usr/bin/git", "other", "-q"), "codes": {"exec.offer_hazard"}},
		"a star in the path": {"segment": testing.segment("/opt/a*b/tool"), "codes": {"exec.offer_wildcard"}},
		"a blank at the end of the path": {"segment": testing.segment("/opt/tool "), "codes": {"exec.offer_wildcard"}},
	}
	_codes([c.segment]) == c.codes
}

# What is derived although it is no plain call.
test_wrappers_that_are_taken_off[name] if {
	some name, segment in {
		"nice": testing.wrapped("/usr/bin/rg", ["/usr/bin/nice"]),
		"two shells": _within("/usr/bin/rg", ["shell", "shell"]),
		"env that does nothing": _by({"argv": ["env", "--"]}),
		"sudo": _by({"argv": ["sudo", "-n"], "kind": "privilege", "executable": {"name": "sudo"}}),
		"a full path in the text of a shell": object.union(_within("/usr/bin/rg", ["shell"]), {"argv": ["/usr/bin/rg"]}),
	}
	_paths(_offer([segment])) == ["/usr/bin/rg"]
}

test_interpreters_without_code_are_offered_where_code_always_asks if {
	strict := object.union(_configured, {"tools": {"exec": {"strictInlineEval": true}}})
	o := offer.result with input as testing.programs(["/usr/bin/find"]) with data.config as strict with data.gavel.config.problems as set()
	_paths(o) == ["/usr/bin/find"]
	code := offer.result with input as testing.execution({"segments": [testing.hazardous("/usr/bin/python3", "inline", "-c")]})
		with data.config as strict
		with data.gavel.config.problems as set()
	testing.codes(code.refused) == {"exec.offer_interpreter"}
	plain := offer.result with input as testing.execution({"segments": [testing.hazardous("/usr/bin/perl", "code", "-e")]})
		with data.config as strict
		with data.gavel.config.problems as set()
	testing.codes(plain.refused) == {"exec.offer_interpreter"}
}

test_nothing_is_offered_where_ask_is_always if {
	always := object.union(_configured, {"tools": {"exec": {"ask": "always"}}})
	o := offer.result with input as testing.exec_facts with data.config as always with data.gavel.config.problems as set()
	o.patterns == []
	testing.codes(o.refused) == {"exec.offer_always"}
}

test_nothing_is_offered_for_what_was_not_understood if {
	o := offer.result with input as testing.refused("redirect") with data.config as _configured with data.gavel.config.problems as set()
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

test_a_sub_command_that_only_shows_stays if {
	o := _offer([object.union(testing.segment("/usr/bin/git"), {"argv": ["git", "log", "-p", "src"], "subCommand": "log"})])
	only := o.patterns[0].only
	only.form == "operands"
	only.subCommand == "log"
	only.options == ["-p"]
}

# RT-07: of everything else every word stays, and the directory.
test_words_stay_as_they_are[name] if {
	some name, segment in {
		"a program that writes": object.union(testing.hazardous("/usr/bin/cp", "writes", "TARGET"), {"argv": ["cp", "a", "b"]}),
		"a program that reaches another machine": object.union(testing.hazardous("/usr/bin/curl", "network", "URL"), {"argv": ["curl", "https://a.b/"]}),
		"a program that changes files": object.union(testing.segment("/usr/bin/chmod"), {"argv": ["chmod", "755", "a"]}),
		"a program that nobody knows": object.union(testing.segment("/usr/bin/tool"), {"argv": ["tool", "x"], "known": false}),
		"a reader by another name": object.union(testing.segment("/usr/bin/rg"), {"argv": ["rg", "x"], "executable": {"realName": "other"}}),
		"a sub-command that may change something": object.union(testing.segment("/usr/bin/git"), {"argv": ["git", "stash", "list"], "subCommand": "stash"}),
		"a sub-command behind an option": object.union(testing.segment("/usr/bin/git"), {"argv": ["git", "-C", "x", "log"], "subCommand": "log"}),
	}
	only := _offer([segment]).patterns[0].only
	only.form == "words"
	only.argv == array.slice(segment.argv, 1, count(segment.argv))
	only.cwd == "/srv/app"
}

# RT-07: nothing that runs by itself later is written by an answer for good.
test_delicate_targets_are_never_offered[target] if {
	some target in [
		"/home/u/.profile", "~/.bashrc", "/home/u/.ssh/authorized_keys", ".git/hooks/pre-commit", "/usr/local/bin/ls",
		"./.git/config", "/etc/cron.d/x", "of=/root/.bashrc", "/home/u/.config/autostart/x.desktop", "bin/ls", ".envrc",
	]
	segment := object.union(testing.hazardous("/usr/bin/cp", "writes", "TARGET"), {"argv": ["cp", "a", target]})
	o := _offer([segment])
	o.patterns == []
	o.exact == false
	"exec.offer_target" in testing.codes(o.refused)
}

test_modes_that_give_rights_away_are_never_offered[mode] if {
	some mode in ["4755", "2755", "6755", "04755", "u+s", "g+s", "ug+xs", "+s", "=s", "u=rwxs", "1777t+s"]
	o := _offer([object.union(testing.segment("/usr/bin/chmod"), {"argv": ["chmod", mode, "a"]})])
	o.patterns == []
	o.exact == false
	testing.codes(o.refused) == {"exec.offer_mode"}
}

test_plain_modes_are_offered[mode] if {
	some mode in ["755", "0644", "u+x", "go-w", "a+r", "+x"]
	_paths(_offer([object.union(testing.segment("/usr/bin/chmod"), {"argv": ["chmod", mode, "a"]})])) == ["/usr/bin/chmod"]
}

# RT-03: what others may change is offered with its content, or not at all.
test_what_others_may_change_needs_its_content if {
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

test_nothing_is_offered_for_code_that_cannot_be_named if {
	o := _offer([object.union(_python, {"unbound": [{"what": "x", "why": "download"}]})])
	o.exact == false
	testing.codes(o.refused) == {"exec.offer_interpreter", "exec.offer_code", "exec.offer_unbound"}
	unread := _offer([object.union(_python, {"unbound": null})])
	unread.exact == false
}

test_a_command_of_the_shell_itself_needs_no_entry if {
	cd := object.union(testing.lost("cd"), {"builtin": "cd", "directory": "/srv/app/repo", "argv": ["cd", "repo"]})
	o := _offer([cd, testing.segment("/usr/bin/rg")])
	_paths(o) == ["/usr/bin/rg"]
	o.refused == set()
}
