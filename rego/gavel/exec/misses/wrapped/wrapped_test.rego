package gavel.exec.misses.wrapped_test

import data.gavel.testing

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
