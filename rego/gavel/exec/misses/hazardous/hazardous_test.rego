package gavel.exec.misses.hazardous_test

import data.gavel.exec.misses.hazardous
import data.gavel.testing

_entry(args) := {"found": true, "pattern": "/usr/bin/rg", "path": "tools.exec.allowlist[0]", "args": args}

_segment(kind) := testing.hazardous("/usr/bin/rg", kind, "--pre")

_searching(program, list) := json.patch(testing.segment(program), [{"op": "replace", "path": "/hazards", "value": list}])

_found(option, real) := {"kind": "reads", "option": option, "argument": ".", "index": 2, "real": real}

test_what_is_not_understood_is_reported_as_such if {
	some reason in hazardous.reasons(_segment("unread"), _entry([]))
	endswith(reason.message, "it could not be read, so its effect is unknown")
}

test_reasons_name_the_argument_and_the_entry if {
	some reason in hazardous.reasons(_segment("runs"), _entry([]))
	reason.code == "exec.hazard"
	reason.message == `rg TODO: /usr/bin/rg may not be used with --pre "./evil", because it runs other programs`
	reason.fix == "leave --pre out, or list --pre under args of tools.exec.allowlist[0]"
	reason.source.path == "tools.exec.allowlist[0]"
}

test_a_word_produced_at_run_time_is_reported_as_dynamic if {
	segment := object.union(testing.segment("/usr/bin/rg"), {"hazards": [{"kind": "runs", "option": "dynamic", "argument": "$f", "index": 1, "real": ""}]})
	some reason in hazardous.reasons(segment, _entry([]))
	reason.message == "rg TODO: /usr/bin/rg may not be used with $f, which is produced at run time and could be an option, because it runs other programs"
	reason.fix == "write the word out, begin it with ./, or put -- before it if the program supports that, or list dynamic under args of tools.exec.allowlist[0]"
}

test_a_word_that_could_be_any_option_has_one_reason if {
	dynamic := {"kind": "loads", "option": "dynamic", "argument": "$f", "index": 1, "real": ""}
	other := object.union(dynamic, {"argument": "$g", "index": 2})
	list := [object.union(dynamic, {"kind": "writes"}), dynamic, object.union(dynamic, {"kind": "runs"}), object.union(other, {"kind": "writes"}), other]
	segment := object.union(testing.segment("/usr/bin/rg"), {"hazards": list})
	ends := {regex.replace(reason.message, `^.*(\$[fg]),.*, because`, "$1") | some reason in hazardous.reasons(segment, _entry([]))}
	ends == {"$f it runs other programs", "$g it loads code or configuration"}
}

test_code_on_standard_input_goes_into_a_file if {
	segment := object.union(testing.segment("/usr/bin/python3"), {"hazards": [{"kind": "inline", "option": "stdin", "argument": "-", "index": 1, "real": ""}]})
	some reason in hazardous.reasons(segment, _entry([]))
	startswith(reason.fix, "put the code into a file, and run the file")
}

test_secrets_that_a_pack_does_not_show_are_for_a_person if {
	segment := object.union(testing.segment("/usr/bin/printenv"), {"hazards": [{"kind": "secrets", "option": "printenv", "argument": "", "index": 0, "real": ""}]})
	some reason in hazardous.reasons(segment, {"args": [], "kinds": [], "path": "packs.processes-read.rules[3]", "rule": true})
	reason.fix == "have a person run it and pass on what is needed"
}

test_settings_are_reported_with_their_file if {
	hazard := {"kind": "reads", "option": "settings", "argument": "/ws/.yamllint", "index": 0, "real": ""}
	segment := object.union(testing.segment("/usr/bin/yamllint"), {"hazards": [hazard]})
	some reason in hazardous.reasons(segment, {"path": "tools.exec.allowlist[0]", "args": []})
	contains(reason.message, `may not be used with the settings in "/ws/.yamllint", because it reads files`)
	startswith(reason.fix, `remove from "/ws/.yamllint" what names other files or machines, in a call before this one, or list settings`)
}

test_a_pager_is_reported_with_what_stops_it if {
	segment := object.union(testing.segment("/usr/bin/git"), {"hazards": [{"kind": "runs", "option": "pager", "argument": "", "index": 0, "real": ""}]})
	some reason in hazardous.reasons(segment, _entry([]))
	reason.fix == "add an option such as --no-pager, or end the command with | cat, or list pager under args of tools.exec.allowlist[0]"
}

# A pack is not edited, so the advice is a rule beside it, with all that the command needs.
test_for_a_rule_of_a_pack_the_advice_is_a_rule_of_ones_own if {
	hazard := {"kind": "runs", "option": "--pre", "argument": "./evil", "index": 1, "real": ""}
	script := {"kind": "inline", "option": "script", "argument": "s/a/b/e", "index": 2, "real": ""}
	segment := object.union(testing.segment("/usr/bin/rg"), {"hazards": [hazard, script]})
	fixes := {reason.fix | some reason in hazardous.reasons(segment, {"args": [], "kinds": [], "path": "packs.files-read.rules[3]", "rule": true})}
	fixes == {
		"leave --pre out, or permit exactly these words by a rule in tools.exec.rules: gavel fix shows it, unless it would permit too much",
		`leave "s/a/b/e" out, or permit exactly these words by a rule in tools.exec.rules: gavel fix shows it, unless it would permit too much`,
	}
	known := object.union(segment, {"commands": ["search"], "commandsKnown": "exact"})
	narrow := {reason.fix | some reason in hazardous.reasons(known, {"args": [], "kinds": [], "path": "packs.files-read.rules[3]", "rule": true})}
	"leave --pre out, or add {program: rg, commands: [search], accepts: [--pre, script], effect: allow} to tools.exec.rules" in narrow
	own := {reason.fix | some reason in hazardous.reasons(segment, {"args": [], "kinds": [], "path": "tools.exec.rules[0]", "rule": true})}
	"leave --pre out, or list --pre under accepts of tools.exec.rules[0]" in own
}

test_for_a_file_outside_the_workspace_the_advice_is_the_list_of_files if {
	hazard := {"kind": "elsewhere", "option": "outside", "argument": "../x", "index": 1, "real": "/srv/x"}
	segment := object.union(testing.segment("/usr/bin/cat"), {"hazards": [hazard]})
	config := testing.configured({"tools": {"read": {"allow": ["./**"]}}})
	some reason in hazardous.reasons(segment, _entry([])) with input as testing.exec_facts with data.config as config
	reason.fix == `use another file than "../x", or list /srv/x under tools.read.allow`
}

# To leave out what a command is about is not advice.
test_what_to_do_about_a_hazard[name] if {
	some name, c in {
		"a page of the web": {"hazard": {"kind": "network", "option": "URL", "argument": "https://example.com/"}, "want": "use the tool web_fetch for what is on the web"},
		"a file that is written": {"hazard": {"kind": "writes", "option": "FILE", "argument": "x", "real": "/srv/x"}, "want": "write to a file that tools.write.allow names"},
		"an option that writes": {"hazard": {"kind": "writes", "option": "-o", "argument": "x", "real": "/srv/x"}, "want": "leave -o out"},
		"code from standard input": {"hazard": {"kind": "inline", "option": "-", "argument": ""}, "want": "put the code into a file, and run the file"},
		"code as an argument": {"hazard": {"kind": "inline", "option": "-c", "argument": "x"}, "want": "put the code into a file, and run the file"},
		"a file that may hold secrets": {"hazard": {"kind": "reads", "option": "secret", "argument": ".env"}, "want": `use another file than ".env"`},
		"a file of the system": {"hazard": {"kind": "reads", "option": "closed", "argument": "/etc/x"}, "want": `use another file than "/etc/x"`},
		"code as an operand": {"hazard": {"kind": "inline", "option": "script", "argument": "s/a/b/e"}, "want": `leave "s/a/b/e" out`},
	}
	segment := object.union(testing.segment("/usr/bin/x"), {"hazards": [object.union({"index": 1, "real": ""}, c.hazard)]})
	some reason in hazardous.reasons(segment, _entry([])) with input as testing.exec_facts
	startswith(reason.fix, sprintf("%s, or ", [c.want]))
}

# Nobody can leave out a sub-command, or what a program always does.
test_what_a_program_is_for_cannot_be_left_out[name] if {
	some name, c in {
		"a sub-command": {"argv": ["npm", "i"], "option": "i", "want": "/usr/bin/npm may not be used with i, because it runs other programs"},
		"the program itself": {"argv": ["npm", "-y", "x"], "option": "npm", "want": "/usr/bin/npm may not be used like this, because it runs other programs"},
		"a name of the catalog": {"argv": ["npm", "x"], "option": "script", "want": "/usr/bin/npm may not be used like this, because it runs other programs"},
	}
	hazard := {"kind": "runs", "option": c.option, "argument": "", "index": 0, "real": ""}
	segment := object.union(testing.segment("/usr/bin/npm"), {"argv": c.argv, "hazards": [hazard]})
	some reason in hazardous.reasons(segment, _entry([])) with input as testing.exec_facts
	endswith(reason.message, c.want)
	reason.fix == sprintf("list %s under args of tools.exec.allowlist[0]", [c.option])
}

test_an_accepted_hazard_gives_no_reason if {
	hazardous.reasons(_segment("runs"), _entry(["any"])) == set()
	hazardous.reasons(_segment("project"), _entry([])) == set()
}

test_the_reason_says_what_was_not_looked_at[option] if {
	some option, want in {
		"bound": {"code": "exec.search_bound", "fix": "search a smaller directory, or leave out a large one, such as with --exclude-dir=node_modules"},
		"unseen": {"code": "exec.search_unseen", "fix": "name the files to read, or set tools.read.searches to allow"},
	}
	some reason in hazardous.reasons(_searching("/usr/bin/grep", [_found(option, "")]), _entry([]))
	reason.code == want.code
	reason.fix == want.fix
}

test_too_many_files_for_git_to_take_in_are_to_be_named if {
	adds := object.union(_searching("/usr/bin/git", [_found("bound", "")]), {"subCommand": "add"})
	some reason in hazardous.reasons(adds, _entry([]))
	reason.fix == "name the files to add, or list large directories in .gitignore"
}

test_the_reason_says_what_an_earlier_command_may_change[option] if {
	some option, want in {
		"linked": {"why": "because it may make links", "fix": "run it as a call of its own, or name the directory in tools.exec.noLinks if nobody makes links there"},
		"changed": {"why": `which files "." stands for, so`, "fix": "run it as a call of its own"},
	}
	some reason in hazardous.reasons(_searching("/usr/bin/cat", [_found(option, "/srv/app/f")]), _entry([]))
	reason.code == "exec.read_changed"
	contains(reason.message, want.why)
	reason.fix == want.fix
}

test_a_word_of_a_test_that_a_shell_may_evaluate_is_reported_as_an_expression if {
	segment := _searching("/usr/bin/test", [{"kind": "runs", "option": "expression", "argument": "$CI", "index": 2, "real": ""}])
	some reason in hazardous.reasons(segment, _entry([]))
	reason.code == "exec.expression"
	contains(reason.message, "some shells would run commands that are in $CI")
}

_requesting(url, dynamic) := json.patch(testing.segment("/usr/bin/curl"), [
	{"op": "replace", "path": "/argv", "value": ["curl", url]},
	{"op": "replace", "path": "/dynamic", "value": dynamic},
	{"op": "replace", "path": "/hazards", "value": [{"kind": "network", "option": "URL", "argument": url, "index": 1, "real": ""}]},
])

test_a_local_url_that_the_shell_takes_as_a_pattern_is_to_be_quoted[url] if {
	some url in ["localhost:8080/x?limit=5", "http://localhost/*", "https://127.0.0.1:9200?pretty"]
	some reason in hazardous.reasons(_requesting(url, [1]), _entry([]))
	startswith(reason.fix, "put the URL in quotes: the shell takes ? and * as wildcards, or list URL")
	contains(reason.message, "because the shell takes it as a pattern of file names, so it may become the URL of another machine")
}

test_quotes_are_not_the_advice_where_they_would_not_help[name] if {
	some name, c in {
		"another machine": ["https://example.org/x?y", [1]],
		"a host that begins like the local one": ["localhost.example.org/x?y", [1]],
		"a user before the host": ["localhost:8080@example.org/?x", [1]],
		"a URL that is quoted": ["localhost:8080/x?y", []],
		"a variable": ["localhost:8080/$x?y", [1]],
		"a range of curl": ["localhost:8080/x[1]", [1]],
		"no wildcard": ["localhost:8080/x", [1]],
	}
	some reason in hazardous.reasons(_requesting(c[0], c[1]), _entry([]))
	not contains(reason.fix, "quotes")
	endswith(reason.message, "because it reaches another machine")
}
