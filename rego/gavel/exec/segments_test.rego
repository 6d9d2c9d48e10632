package gavel.exec_test

import data.gavel.exec
import data.gavel.testing

test_miss_says_what_to_do if {
	misses := exec.miss with input as _vi with data.config as _configured({}) with data.gavel.config.problems as set()
	misses == {{
		"layer": "exec",
		"code": "exec.allowlist_miss",
		"message": "/usr/bin/vi is on no allowlist entry",
		"fix": `add "/usr/bin/vi" to tools.exec.allowlist`,
		"source": {"path": "tools.exec.allowlist"},
		"span": {"start": 0, "end": 7},
	}}
}

# A list of everything does not vouch for what runs other programs.
test_opaque_programs_satisfy_no_entry[name] if {
	named := object.union(testing.segment("/usr/bin/rg"), {"executable": {"name": "BASH", "programs": ["bash"]}})
	linked := object.union(testing.segment("/usr/bin/rg"), {"executable": {"real": "/usr/bin/Busybox", "realName": "Busybox", "programs": ["rg", "busybox"]}})
	some name, segment in {
		"a shell": testing.segment("/bin/bash"),
		"a wrapper": testing.segment("/usr/bin/env"),
		"a privilege wrapper": testing.segment("/usr/bin/sudo"),
		"an evaluating builtin": testing.segment("/usr/bin/eval"),
		"a name in another case": named,
		"a link to one": linked,
		"a shell with its version": testing.segment("/usr/bin/bash-5.2"),
		"a shell whose version follows at once": testing.segment("/usr/bin/ksh93"),
		"a static multiplexer": testing.segment("/usr/bin/busybox.static"),
		"the loader": testing.segment("/lib64/ld-linux-x86-64.so.2"),
		"a program whose names nobody observed": object.union(testing.segment("/usr/bin/rg"), {"executable": {"programs": null}}),
		"a link without a name": object.union(linked, {"executable": {"name": ""}}),
	}
	exec.opaque(segment)
	_verdict(testing.execution({"segments": [segment]}), _configured({"allowlist": ["*", "/**"]})) == {
		"says": "ask",
		"codes": {"exec.opaque_program"},
	}
}

# R45: the message says which link, and the fix names it.
test_a_link_that_nobody_vouches_for_is_named[name] if {
	some name, segment in {
		"one that acts by its name, elsewhere": object.union(testing.segment("/opt/bin/cut"), {"executable": {"link": "/opt/bin/busybox"}}),
		"one that others may turn": object.union(testing.segment("/usr/bin/cut"), {"executable": {"link": "/usr/bin/busybox", "writable": ["directory"]}}),
	}
	facts := testing.execution({"segments": [segment]})
	config := _configured({"allowlist": ["*", "/**"]})
	_verdict(facts, config) == {"says": "ask", "codes": {"exec.link"}}
	some reason in exec.ask with input as facts with data.config as config with data.gavel.config.problems as set()
	startswith(reason.message, sprintf("%s is a link by whose name %s decides", [segment.executable.real, segment.executable.link]))
}

# What a program prints that reads no file is the script's own; the environment may hold secrets.
test_printers_take_the_variables_of_the_script[name] if {
	some name, c in {
		"a variable of the script": {"made": [{"index": 1, "variables": ["x"], "known": false}], "says": "permit"},
		"a parameter of the shell": {"made": [{"index": 1, "variables": [], "known": false}], "says": "permit"},
		"a variable of the environment": {"made": [{"index": 1, "variables": ["AWS_SECRET"], "known": false}], "says": "ask"},
		"one that is known": {"made": [{"index": 1, "variables": ["FILE"], "known": true}], "says": "permit"},
		"a small name of the environment": {"made": [{"index": 1, "variables": ["https_proxy"], "known": false}], "says": "ask"},
		"another word": {"made": [{"index": 2, "variables": ["x"], "known": true}], "says": "ask"},
		"one that is made of something else": {"made": [], "says": "ask"},
	}
	segment := object.union(testing.segment("/usr/bin/printf"), {"dynamic": [1], "made": c.made})
	_verdict(testing.execution({"segments": [segment]}), _configured({"allowlist": ["/usr/bin/printf"]})).says == c.says
}

test_a_variable_that_may_hold_one_of_the_environment_is_none_of_the_script if {
	segment := object.union(testing.segment("/usr/bin/printf"), {"dynamic": [1], "made": [{"index": 1, "variables": ["x"], "known": false}]})
	facts := testing.execution({"segments": [segment], "assigned": [{"name": "x", "form": "dynamic", "exported": false, "shell": "bash"}]})
	_verdict(facts, _configured({"allowlist": ["/usr/bin/printf"]})).says == "ask"
}

test_a_program_that_reads_files_takes_known_values_only[name] if {
	some name, c in {"known": {"known": true, "says": "permit"}, "not known": {"known": false, "says": "ask"}}
	segment := object.union(testing.segment("/usr/bin/cat"), {"dynamic": [1], "made": [{"index": 1, "variables": ["x"], "known": c.known}]})
	_verdict(testing.execution({"segments": [segment]}), _configured({"allowlist": ["/usr/bin/cat"]})).says == c.says
}

# R45: the link that was named is run, where it can be relied on.
test_links_that_act_by_their_name[name] if {
	some name, c in {
		"in a trusted directory": {"path": "/usr/bin/zstdcat", "list": ["*"]},
		"elsewhere, by an entry that names it": {"path": "/opt/bin/zstdcat", "list": ["/opt/bin/zstdcat"]},
	}
	segment := object.union(testing.segment(c.path), {"executable": {"link": "/usr/bin/zstd"}})
	_verdict(testing.execution({"segments": [segment]}), _configured({"allowlist": c.list})).says == "permit"
}

test_words_that_were_not_understood_are_opaque[name] if {
	some name, changes in {
		"the analyzer says why": {"opaque": "env -S"},
		"what it says is no text": {"opaque": null},
	}
	segment := object.union(testing.segment("/usr/bin/rg"), changes)
	_verdict(testing.execution({"segments": [segment]}), _configured({})) == {"says": "ask", "codes": {"exec.opaque_program"}}
}

test_reason_of_an_opaque_wrapper_says_which_words if {
	segment := object.union(testing.segment("/usr/bin/env"), {"opaque": "env -S"})
	miss := exec.miss with input as testing.execution({"segments": [segment]}) with data.config as _configured({})
	{reason.message | some reason in miss} == {"/usr/bin/env (env -S) runs other commands, so no allowlist entry can vouch for it"}
}

# R21: the wrapper's own real path is in a trusted directory, or on the list.
test_wrappers[name] if {
	some name, c in {
		"in a trusted directory": {"wrappers": ["/usr/bin/nice"], "says": "permit", "codes": set()},
		"in the other one": {"wrappers": ["/bin/nice"], "says": "permit", "codes": set()},
		"each is trusted": {"wrappers": ["/usr/bin/nice", "/bin/bash"], "says": "permit", "codes": set()},
		"on the list": {"wrappers": ["/opt/bin/nice"], "says": "permit", "codes": set()},
		"elsewhere": {"wrappers": ["/tmp/evil/sh"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
		"below a trusted directory": {"wrappers": ["/usr/bin/evil/sh"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
		"in a directory that begins like one": {"wrappers": ["/usr/bin2/sh"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
		"the outer one is not trusted": {"wrappers": ["/tmp/nice", "/bin/bash"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
		"the inner one is not trusted": {"wrappers": ["/bin/nice", "/tmp/bash"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
	}
	facts := testing.execution({"segments": [testing.wrapped("/usr/bin/rg", c.wrappers)]})
	_verdict(facts, _configured({"allowlist": ["/usr/bin/rg", "/opt/bin/nice"]})) == {"says": c.says, "codes": c.codes}
}

# A directory vouches for nothing that others than root can put there.
test_a_trusted_directory_vouches_only_for_what_root_puts_there[name] if {
	some name, changes in {
		"others may write the directory": {"writable": ["directory"]},
		"others may write the file": {"writable": ["file"]},
		"others may write a directory above": {"writable": ["above"]},
		"nobody looked": {"writable": null},
		"it is no list": {"writable": {}},
	}
	by := testing.wrapper("/usr/bin/nice")
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [object.union(by, {"executable": changes})]})
	facts := testing.execution({"segments": [segment]})
	_verdict(facts, _configured({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
	_verdict(facts, _configured({"allowlist": ["/usr/bin/rg", "/usr/bin/nice"]})).says == "permit"
}

# R22: only the list vouches for what raises rights, and for what is of no known kind.
test_no_directory_vouches_for_some_kinds[name] if {
	some name, kind in {"privilege": "privilege", "unknown": "other", "no text": null}
	by := object.union(testing.wrapper("/usr/bin/sudo"), {"kind": kind})
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})
	facts := testing.execution({"segments": [segment]})
	_verdict(facts, _configured({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
	_verdict(facts, _configured({"allowlist": ["*"]})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
	_verdict(facts, _configured({"allowlist": ["/usr/bin/rg", "/usr/bin/sudo"]})).says == "permit"
}

# A login shell runs ~/.profile, which the tool write may have written.
test_no_directory_vouches_for_a_login_shell if {
	by := object.union(testing.wrapper("/usr/bin/bash"), {"kind": "login"})
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})]})
	_verdict(facts, _configured({})) == {"says": "ask", "codes": {"exec.login_shell"}}
	_verdict(facts, _configured({"allowlist": ["/usr/bin/rg", "/usr/bin/bash"]})).says == "permit"
}

test_a_login_shell_elsewhere_is_an_untrusted_wrapper if {
	by := object.union(testing.wrapper("/tmp/evil/bash"), {"kind": "login"})
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})]})
	_verdict(facts, _configured({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
}

test_a_hazard_among_the_words_of_a_wrapper_is_a_miss if {
	hazard := {"kind": "writes", "option": "-o", "argument": "f", "index": 1}
	by := object.union(testing.wrapper("/usr/bin/time"), {"hazards": [hazard]})
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})
	facts := testing.execution({"segments": [segment]})
	_verdict(facts, _configured({})) == {"says": "ask", "codes": {"exec.hazard"}}
	_verdict(facts, _configured({"allowlist": ["/usr/bin/rg", "/usr/bin/time"]})) == {"says": "ask", "codes": {"exec.hazard"}}
	_verdict(facts, _configured({"allowlist": ["/usr/bin/rg", {"pattern": "/usr/bin/time", "args": ["-o"]}]})).says == "permit"
}

# Document 000 §08: the file's own path is what is listed.
test_a_script_that_a_shell_is_given[name] if {
	some name, c in {
		"is on the list": {"allowlist": ["/srv/app/x.sh"], "verdict": {"says": "permit", "codes": set()}},
		"is in a directory of the list": {"allowlist": ["/srv/app/**"], "verdict": {"says": "permit", "codes": set()}},
		"is not what an entry for the shell means": {"allowlist": ["/bin/bash"], "verdict": {"says": "ask", "codes": {"exec.allowlist_miss"}}},
		"is not any program": {"allowlist": ["*"], "verdict": {"says": "ask", "codes": {"exec.allowlist_miss"}}},
	}
	script := {"path": "/srv/app/x.sh", "real": "/srv/app/x.sh", "device": "1", "inode": "2", "sha256": "ab", "found": true}
	segment := object.union(testing.wrapped("/srv/app/x.sh", ["/bin/bash"]), {"scripts": [script]})
	_verdict(testing.execution({"segments": [segment]}), _configured({"allowlist": c.allowlist})) == c.verdict
}

# A fact that is missing never makes a file of commands a program.
test_a_script_of_which_something_is_not_known_is_not_any_program[key] if {
	script := {"path": "/srv/app/x.sh", "real": "/srv/app/x.sh", "device": "1", "inode": "2", "sha256": "ab", "found": true}
	some key in object.keys(script)
	segment := object.union(testing.wrapped("/srv/app/x.sh", ["/bin/bash"]), {"scripts": [object.remove(script, [key])]})
	_verdict(testing.execution({"segments": [segment]}), _configured({"allowlist": ["*"]})).says == "ask"
}

test_an_entry_without_a_pattern_names_nothing if {
	found := {"found": true, "path": "tools.exec.allowlist[0]", "args": []}
	by := object.union(testing.wrapper("/usr/bin/sudo"), {"kind": "privilege", "match": found})
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})
	_verdict(testing.execution({"segments": [segment]}), _configured({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
}

test_a_shell_vouches_for_its_own_commands if {
	builtin := {"executable": testing.lost("exec").executable, "kind": "builtin", "argv": ["exec"], "hazards": []}
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [builtin]})
	_verdict(testing.execution({"segments": [segment]}), _configured({})).says == "permit"
	found := object.union(builtin, {"executable": {"found": true, "real": "/tmp/exec"}})
	evil := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [found]})
	_verdict(testing.execution({"segments": [evil]}), _configured({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
}

test_asking_what_a_name_is_runs_nothing[name] if {
	some name, c in {
		"command -v": {"changes": {"argv": ["command", "-v", "rg"]}, "opaque": false},
		"command -V": {"changes": {"argv": ["command", "-V", "rg"]}, "opaque": false},
		"command with a name": {"changes": {"argv": ["command", "rg"]}, "opaque": true},
		"command with two options": {"changes": {"argv": ["command", "-p", "-v"]}, "opaque": true},
		"command by itself": {"changes": {"argv": ["command"]}, "opaque": true},
		"a word that is made": {"changes": {"argv": ["command", "-v"], "dynamic": [1]}, "opaque": true},
		"another file by that name": {"changes": {"argv": ["command", "-v", "rg"], "executable": {"realName": "bash", "programs": ["command", "bash"]}}, "opaque": true},
		"what was not understood": {"changes": {"argv": ["command", "-v", "rg"], "opaque": "command"}, "opaque": true},
	}
	segment := object.union(testing.segment("/usr/bin/command"), c.changes)
	{true | exec.opaque(segment)} == {true | c.opaque}
}

test_wrappers_do_not_vouch_for_a_program if {
	facts := testing.execution({"segments": [testing.wrapped("/usr/bin/vi", ["/usr/bin/nice"])]})
	_verdict(facts, _configured({"allowlist": ["/usr/bin/nice"]})) == {"says": "ask", "codes": {"exec.allowlist_miss"}}
}

test_both_the_program_and_its_wrapper_are_named_when_both_are_missing if {
	facts := testing.execution({"segments": [testing.wrapped("/usr/bin/vi", ["/tmp/nice"])]})
	_verdict(facts, _configured({})).codes == {"exec.allowlist_miss", "exec.wrapper_untrusted"}
}

test_a_wrapper_that_was_not_found_is_not_trusted if {
	lost := object.union(testing.lost("nice"), {"match": {"found": true, "pattern": "*", "path": "tools.exec.allowlist[0]"}})
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [lost]})
	_verdict(testing.execution({"segments": [segment]}), _configured({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
}

test_wrappers_that_are_no_list_permit_nothing[name] if {
	some name, wrappers in {"an object": {}, "null": null, "a text": "nice"}
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": wrappers})
	not exec.satisfied(segment) with input as _rg with data.config as _configured({})
}

test_filters_are_not_opaque[name] if {
	some name, segment in {
		"a program": testing.segment("/usr/bin/rg"),
		"a program whose directory has the name of a shell": testing.segment("/opt/bash/rg"),
		"a program whose name begins like a shell": testing.segment("/usr/bin/bashful"),
	}
	not exec.opaque(segment)
}

test_satisfied_needs_a_program_that_was_found if {
	claimed := object.union(testing.lost("rg"), {"match": {"found": true, "pattern": "*", "path": "tools.exec.allowlist[0]"}})
	not exec.satisfied(claimed) with input as _rg with data.config as _configured({"allowlist": ["*"]})
}
