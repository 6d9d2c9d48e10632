package gavel.exec.misses.wrapped_test

import data.gavel.exec
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

# sudo is where only root can write, and needs an entry all the same.
test_why_a_wrapper_may_not_run_the_command[name] if {
	some name, c in {
		"anybody may change it": {"changes": {"executable": {"real": "/tmp/nice"}}, "want": "it is not in a trusted directory"},
		"it raises rights": {"changes": {"kind": "privilege"}, "want": "it raises rights, so an allowlist entry has to name it"},
		"it does not exist": {"changes": {"executable": {"found": false}}, "want": "it was not found"},
	}
	by := object.union(testing.wrapper("/usr/bin/nice"), c.changes)
	facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})]})
	[reason] := [r | some r in exec.ask with input as facts with data.config as testing.listing({}) with data.gavel.check.problems as set()]
	reason.code == "exec.wrapper_untrusted"
	contains(reason.message, sprintf("would run the command, but %s", [c.want]))
}

test_nobody_is_told_to_list_a_wrapper_that_raises_rights if {
	fixes := {kind: r.fix |
		some kind in ["privilege", "dispatcher"]
		by := object.union(testing.wrapper("/opt/x/run"), {"kind": kind})
		facts := testing.execution({"segments": [object.union(testing.segment("/usr/bin/rg"), {"wrappers": [by]})]})
		some r in exec.ask with input as facts with data.config as testing.listing({}) with data.gavel.check.problems as set()
	}
	endswith(fixes.privilege, "or have a person run it with these rights")
	endswith(fixes.dispatcher, "to tools.exec.allowlist")
}

test_both_the_program_and_its_wrapper_are_named_when_both_are_missing if {
	facts := testing.execution({"segments": [testing.wrapped("/usr/bin/vi", ["/tmp/nice"])]})
	testing.verdict(facts, testing.listing({})).codes == {"exec.allowlist_miss", "exec.wrapper_untrusted"}
}
