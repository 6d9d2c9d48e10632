package gavel.exec.offer_test

import data.gavel.exec.offer
import data.gavel.testing

_configured := {"tools": {"profile": "full", "exec": {"host": "gateway", "security": "allowlist", "ask": "on-miss"}}, "agents": {"defaults": {}}}

_offer(segments) := o if {
	o := offer.result with input as testing.execution({"segments": segments})
		with data.config as _configured
		with data.gavel.config.problems as set()
}

_codes(segments) := testing.codes(_offer(segments).refused)

_within(path, kinds) := object.union(testing.segment(path), {"wrappers": [object.union(testing.wrapper("/bin/x"), {"kind": kind}) | some kind in kinds]})

_by(wrapper) := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [object.union(testing.wrapper("/usr/bin/env"), wrapper)]})

test_every_program_of_a_command_is_offered_once_and_in_order if {
	o := _offer([testing.segment(path) | some path in ["/usr/bin/rg", "/usr/bin/ls", "/usr/bin/rg"]])
	o.patterns == [{"pattern": "/usr/bin/rg", "args": []}, {"pattern": "/usr/bin/ls", "args": []}]
	o.refused == set()
}

test_a_script_of_a_shell_is_offered_by_its_own_path if {
	script := {"path": "/srv/app/x.sh", "real": "/srv/app/x.sh", "device": "1", "inode": "2", "sha256": "ab", "found": true}
	segment := object.union(_within("/srv/app/x.sh", ["shell"]), {"scripts": [script], "argv": ["./x.sh", "a"]})
	o := _offer([segment])
	o.patterns == [{"pattern": "/srv/app/x.sh", "args": []}]
	endswith(o.templates[0].admits, "whatever the file holds by then")
}

test_hazards_of_some_kinds_are_accepted_by_name if {
	o := _offer([
		testing.hazardous("/usr/bin/rm", "writes", "-r"),
		testing.hazardous("/usr/bin/rm", "writes", "-f"),
		testing.hazardous("/usr/bin/rm", "reads", "-x"),
	])
	o.patterns == [{"pattern": "/usr/bin/rm", "args": ["-f", "-r", "-x"]}]
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
	_offer([segment]).patterns == [{"pattern": "/usr/bin/rg", "args": []}]
}

test_interpreters_without_code_are_offered_where_code_always_asks if {
	strict := object.union(_configured, {"tools": {"exec": {"strictInlineEval": true}}})
	o := offer.result with input as testing.programs(["/usr/bin/find"]) with data.config as strict with data.gavel.config.problems as set()
	o.patterns == [{"pattern": "/usr/bin/find", "args": []}]
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

test_a_template_says_what_else_it_would_admit if {
	segment := object.union(testing.segment("/usr/bin/go"), {
		"argv": ["go", "test", "-run=X", "-v", "./..."],
		"subCommand": "test",
		"hazards": [{
			"kind": "runs",
			"option": "test",
			"argument": "",
			"index": 1,
		}],
	})
	o := _offer([segment, segment])
	o.patterns == []
	o.templates == [{
		"pattern": "/usr/bin/go",
		"argv": ["test", "<args>"],
		"flags": ["-run", "-v"],
		"args": ["test"],
		"admits": "/usr/bin/go test with any of the flags -run -v and any values of theirs and any other words, in any directory",
	}]
}

test_a_template_has_no_sub_command_behind_options if {
	o := _offer([object.union(testing.segment("/usr/bin/git"), {"argv": ["git", "-C", "x", "push"], "subCommand": "push"})])
	[template.argv | some template in o.templates] == [["<args>"]]
}

test_an_empty_word_is_no_sub_command if {
	o := _offer([object.union(testing.segment("/usr/bin/grep"), {"argv": ["grep", "", "f"]})])
	[template.argv | some template in o.templates] == [["<args>"]]
}

test_a_template_of_a_program_without_words_admits_no_others if {
	o := _offer([object.union(testing.segment("/usr/bin/ls"), {"argv": ["ls"], "executable": {"writable": ["file"]}})])
	o.templates == [{
		"pattern": "/usr/bin/ls",
		"argv": [],
		"flags": [],
		"args": [],
		"admits": "/usr/bin/ls with no flags, in any directory, whatever others put there by then",
	}]
}
