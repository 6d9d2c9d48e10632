package gavel.exec.segments_test

import data.gavel.exec.segments
import data.gavel.testing

# EXEC-4: the script's own path is what the allowlist must name.
test_a_script_that_a_shell_runs[name] if {
	some name, c in {
		"is on the allowlist": {"allowlist": ["/srv/app/x.sh"], "verdict": {"says": "permit", "codes": set()}},
		"is in a directory of the list": {"allowlist": ["/srv/app/**"], "verdict": {"says": "permit", "codes": set()}},
		"is not what an entry for the shell means": {"allowlist": ["/bin/bash"], "verdict": {"says": "ask", "codes": {"exec.allowlist_miss"}}},
		"is not any program": {"allowlist": ["*"], "verdict": {"says": "ask", "codes": {"exec.allowlist_miss"}}},
	}
	script := {"path": "/srv/app/x.sh", "real": "/srv/app/x.sh", "device": "1", "inode": "2", "sha256": "ab", "found": true}
	segment := object.union(testing.wrapped("/srv/app/x.sh", ["/bin/bash"]), {"scripts": [script]})
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({"allowlist": c.allowlist})) == c.verdict
}

# A missing fact never makes a script a program.
test_a_script_with_a_missing_fact_is_not_a_program[key] if {
	script := {"path": "/srv/app/x.sh", "real": "/srv/app/x.sh", "device": "1", "inode": "2", "sha256": "ab", "found": true}
	some key in object.keys(script)
	segment := object.union(testing.wrapped("/srv/app/x.sh", ["/bin/bash"]), {"scripts": [object.remove(script, [key])]})
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({"allowlist": ["*"]})).says == "ask"
}

test_a_trusted_wrapper_does_not_permit_a_program if {
	facts := testing.execution({"segments": [testing.wrapped("/usr/bin/vi", ["/usr/bin/nice"])]})
	testing.verdict(facts, testing.listing({"allowlist": ["/usr/bin/nice"]})) == {"says": "ask", "codes": {"exec.allowlist_miss"}}
}

test_wrappers_that_are_not_a_list_permit_nothing[name] if {
	some name, wrappers in {"an object": {}, "null": null, "a text": "nice"}
	segment := object.union(testing.segment("/usr/bin/rg"), {"wrappers": wrappers})
	not segments.satisfied(segment) with input as testing.exec_facts with data.config as testing.listing({})
}

test_satisfied_needs_a_program_that_was_found if {
	claimed := object.union(testing.lost("rg"), {"match": {"found": true, "pattern": "*", "path": "tools.exec.allowlist[0]"}})
	not segments.satisfied(claimed) with input as testing.exec_facts with data.config as testing.listing({"allowlist": ["*"]})
}

# The arguments of a program that only prints come from the script itself; the environment may
# hold secrets.
test_printers_take_the_variables_of_the_script[name] if {
	some name, c in {
		"a variable of the script": {"made": [{"index": 1, "variables": ["x"], "known": false}], "says": "permit"},
		"a parameter of the shell": {"made": [{"index": 1, "variables": [], "known": false}], "says": "permit"},
		"a variable of the environment": {"made": [{"index": 1, "variables": ["AWS_SECRET"], "known": false}], "says": "ask"},
		"one that is known": {"made": [{"index": 1, "variables": ["FILE"], "known": true}], "says": "permit"},
		"a small name of the environment": {"made": [{"index": 1, "variables": ["https_proxy"], "known": false}], "says": "ask"},
		"another word": {"made": [{"index": 2, "variables": ["x"], "known": true}], "says": "ask"},
		"one produced from something else": {"made": [], "says": "ask"},
	}
	segment := object.union(testing.segment("/usr/bin/printf"), {"dynamic": [1], "made": c.made})
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({"allowlist": ["/usr/bin/printf"]})).says == c.says
}

test_a_variable_that_may_come_from_the_environment_is_not_a_script_variable if {
	segment := object.union(testing.segment("/usr/bin/printf"), {"dynamic": [1], "made": [{"index": 1, "variables": ["x"], "known": false}]})
	facts := testing.execution({"segments": [segment], "assigned": [{"name": "x", "form": "dynamic", "exported": false, "shell": "bash"}]})
	testing.verdict(facts, testing.listing({"allowlist": ["/usr/bin/printf"]})).says == "ask"
}

test_a_program_that_reads_files_takes_known_values_only[name] if {
	some name, c in {"known": {"known": true, "says": "permit"}, "not known": {"known": false, "says": "ask"}}
	segment := object.union(testing.segment("/usr/bin/cat"), {"dynamic": [1], "made": [{"index": 1, "variables": ["x"], "known": c.known}]})
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({"allowlist": ["/usr/bin/cat"]})).says == c.says
}
