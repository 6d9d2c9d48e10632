package gavel.exec.wrappers_test

import data.gavel.testing

# R21: the wrapper's own real path is in a trusted directory, or matches an entry.
test_wrappers[name] if {
	some name, c in {
		"in a trusted directory": {"wrappers": ["/usr/bin/nice"], "says": "permit", "codes": set()},
		"in the other one": {"wrappers": ["/bin/nice"], "says": "permit", "codes": set()},
		"each is trusted": {"wrappers": ["/usr/bin/nice", "/bin/bash"], "says": "permit", "codes": set()},
		"on the allowlist": {"wrappers": ["/opt/bin/nice"], "says": "permit", "codes": set()},
		"elsewhere": {"wrappers": ["/tmp/evil/sh"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
		"below a trusted directory": {"wrappers": ["/usr/bin/evil/sh"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
		"in a directory that begins like one": {"wrappers": ["/usr/bin2/sh"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
		"the outer one is not trusted": {"wrappers": ["/tmp/nice", "/bin/bash"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
		"the inner one is not trusted": {"wrappers": ["/bin/nice", "/tmp/bash"], "says": "ask", "codes": {"exec.wrapper_untrusted"}},
	}
	facts := testing.execution({"segments": [testing.wrapped("/usr/bin/rg", c.wrappers)]})
	testing.verdict(facts, testing.listing({"allowlist": ["/usr/bin/rg", "/opt/bin/nice"]})) == {"says": c.says, "codes": c.codes}
}

# R22: a wrapper that raises rights, or is of an unknown kind, needs an entry.
test_some_kinds_are_not_trusted_by_their_directory[name] if {
	some name, kind in {"privilege": "privilege", "unknown": "other", "not a string": null}
	by := object.union(testing.wrapper("/usr/bin/sudo"), {"kind": kind})
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})
	facts := testing.execution({"segments": [segment]})
	testing.verdict(facts, testing.listing({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
	testing.verdict(facts, testing.listing({"allowlist": ["*"]})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
	testing.verdict(facts, testing.listing({"allowlist": ["/usr/bin/rg", "/usr/bin/sudo"]})).says == "permit"
}

test_a_hazard_among_the_words_of_a_wrapper_is_a_miss if {
	hazard := {"kind": "writes", "option": "-o", "argument": "f", "index": 1}
	by := object.union(testing.wrapper("/usr/bin/time"), {"hazards": [hazard]})
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})
	facts := testing.execution({"segments": [segment]})
	testing.verdict(facts, testing.listing({})) == {"says": "ask", "codes": {"exec.hazard"}}
	testing.verdict(facts, testing.listing({"allowlist": ["/usr/bin/rg", "/usr/bin/time"]})) == {"says": "ask", "codes": {"exec.hazard"}}
	testing.verdict(facts, testing.listing({"allowlist": ["/usr/bin/rg", {"pattern": "/usr/bin/time", "args": ["-o"]}]})).says == "permit"
}

test_an_entry_without_a_pattern_names_nothing if {
	found := {"found": true, "path": "tools.exec.allowlist[0]", "args": []}
	by := object.union(testing.wrapper("/usr/bin/sudo"), {"kind": "privilege", "match": found})
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
}

test_a_shell_may_run_its_own_builtins if {
	builtin := {"executable": testing.lost("exec").executable, "kind": "builtin", "argv": ["exec"], "hazards": []}
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [builtin]})
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({})).says == "permit"
	found := object.union(builtin, {"executable": {"found": true, "real": "/tmp/exec"}})
	evil := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [found]})
	testing.verdict(testing.execution({"segments": [evil]}), testing.listing({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
}

test_a_wrapper_that_was_not_found_is_not_trusted if {
	lost := object.union(testing.lost("nice"), {"match": {"found": true, "pattern": "*", "path": "tools.exec.allowlist[0]"}})
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": [lost]})
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
}
