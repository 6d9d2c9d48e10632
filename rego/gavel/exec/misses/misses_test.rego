package gavel.exec.misses_test

import data.gavel.exec
import data.gavel.testing

test_miss_says_what_to_do if {
	misses := exec.miss with input as testing.programs(["/usr/bin/vi"]) with data.config as testing.listing({}) with data.gavel.check.problems as set()
	misses == {{
		"layer": "exec",
		"code": "exec.allowlist_miss",
		"message": "vi TODO: /usr/bin/vi matches no allowlist entry",
		"fix": `add "/usr/bin/vi" to tools.exec.allowlist`,
		"source": {"path": "tools.exec.allowlist"},
		"span": {"start": 0, "end": 7},
	}}
}

test_words_that_were_not_understood_are_opaque[name] if {
	some name, changes in {
		"the analyzer says why": {"opaque": "env -S"},
		"its reason is not a string": {"opaque": null},
	}
	segment := object.union(testing.segment("/usr/bin/rg"), changes)
	testing.verdict(testing.execution({"segments": [segment]}), testing.listing({})) == {"says": "ask", "codes": {"exec.opaque_program"}}
}

test_reason_of_an_opaque_wrapper_says_which_words if {
	segment := object.union(testing.segment("/usr/bin/env"), {"opaque": "env -S"})
	miss := exec.miss with input as testing.execution({"segments": [segment]}) with data.config as testing.listing({})
	{reason.message | some reason in miss} == {"env TODO: /usr/bin/env (env -S) is judged by the command that it runs, and Gavel reads none here, so no list can permit it"}
}

# A login shell runs ~/.profile, and the tool write may have written that.
test_a_login_shell_is_not_trusted_by_its_directory if {
	by := object.union(testing.wrapper("/usr/bin/bash"), {"kind": "login"})
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})]})
	testing.verdict(facts, testing.listing({})) == {"says": "ask", "codes": {"exec.login_shell"}}
	testing.verdict(facts, testing.listing({"allowlist": ["/usr/bin/rg", "/usr/bin/bash"]})).says == "permit"
}

test_a_login_shell_elsewhere_is_an_untrusted_wrapper if {
	by := object.union(testing.wrapper("/tmp/evil/bash"), {"kind": "login"})
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})]})
	testing.verdict(facts, testing.listing({})) == {"says": "ask", "codes": {"exec.wrapper_untrusted"}}
}

test_both_the_program_and_its_wrapper_are_named_when_both_are_missing if {
	facts := testing.execution({"segments": [testing.wrapped("/usr/bin/vi", ["/tmp/nice"])]})
	testing.verdict(facts, testing.listing({})).codes == {"exec.allowlist_miss", "exec.wrapper_untrusted"}
}

# R45: the message says which link, and the fix names it.
test_an_untrusted_link_is_named[name] if {
	some name, segment in {
		"one that its name decides what it does, elsewhere": object.union(testing.segment("/opt/bin/cut"), {"executable": {"link": "/opt/bin/busybox"}}),
		"one that others may turn": object.union(testing.segment("/usr/bin/cut"), {"executable": {"link": "/usr/bin/busybox", "writable": ["directory"]}}),
	}
	facts := testing.execution({"segments": [segment]})
	config := testing.listing({"allowlist": ["*", "/**"]})
	testing.verdict(facts, config) == {"says": "ask", "codes": {"exec.link"}}
	some reason in exec.ask with input as facts with data.config as config with data.gavel.check.problems as set()
	startswith(reason.message, sprintf("cut TODO: %s is a link, and its name decides what %s does", [segment.executable.real, segment.executable.link]))
}
