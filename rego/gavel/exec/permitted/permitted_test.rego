package gavel.exec.permitted_test

import data.gavel.exec.permitted
import data.gavel.testing

_because(facts, settings) := because if {
	because := permitted.because with input as facts with data.config as settings with data.gavel.check.problems as set()
}

test_because_names_the_entry_of_each_program if {
	facts := testing.programs(["/usr/bin/rg", "/usr/bin/head"])
	{[reason.message, reason.source.path] | some reason in _because(facts, testing.listing({}))} == {
		["/usr/bin/rg matches /usr/bin/rg", "tools.exec.allowlist[0]"],
		["/usr/bin/head matches /usr/bin/head", "tools.exec.allowlist[1]"],
	}
}

test_because_of_full_mode if {
	testing.codes(_because(testing.exec_facts, testing.listing({"security": "full"}))) == {"exec.full"}
}
