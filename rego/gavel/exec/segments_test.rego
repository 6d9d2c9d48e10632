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
	}}
}

# A list of everything does not vouch for what runs other programs.
test_opaque_programs_satisfy_no_entry[name] if {
	named := object.union(testing.segment("/usr/bin/rg"), {"executable": {"name": "BASH"}})
	linked := object.union(testing.segment("/usr/bin/rg"), {"executable": {"real": "/usr/bin/Busybox", "realName": "Busybox"}})
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
		"a link without a name": object.union(linked, {"executable": {"name": ""}}),
	}
	exec.opaque(segment)
	_verdict(testing.execution({"segments": [segment]}), _configured({"allowlist": ["*", "/**"]})) == {
		"says": "ask",
		"codes": {"exec.opaque_program"},
	}
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
