package gavel.check.dead_test

import data.gavel.check.dead

_dead(tools) := {warning.path | some warning in warnings} if {
	warnings := dead.warnings with data.config as {"tools": tools}
}

test_entries_that_a_deny_list_removes[name] if {
	some name, c in {
		"a tool that is denied": {"tools": {"allow": ["exec", "read"], "deny": ["exec"]}, "want": {"tools.allow[0]"}},
		"a tool whose group is denied": {"tools": {"allow": ["exec"], "deny": ["group:runtime"]}, "want": {"tools.allow[0]"}},
		"a tool that a pattern denies": {"tools": {"alsoAllow": ["lobster"], "deny": ["lob*"]}, "want": {"tools.alsoAllow[0]"}},
		"another name of a tool that is denied": {"tools": {"allow": ["bash"], "deny": ["exec"]}, "want": {"tools.allow[0]"}},
		"a group of which every tool is denied": {"tools": {"allow": ["group:runtime"], "deny": ["*"]}, "want": {"tools.allow[0]"}},
		"a group of which one tool is left": {"tools": {"allow": ["group:runtime"], "deny": ["exec"]}, "want": set()},
		"a tool that is not denied": {"tools": {"allow": ["read"], "deny": ["write"]}, "want": set()},
		"no deny list": {"tools": {"allow": ["read"]}, "want": set()},
		"a pattern that is wider than what is denied": {"tools": {"allow": ["lob*"], "deny": ["lobster"]}, "want": set()},
	}
	_dead(c.tools) == c.want
}

test_a_deny_list_of_another_section_removes_nothing if {
	document := {"tools": {"deny": ["exec"]}, "agents": {"main": {"tools": {"allow": ["exec"]}}}}
	warnings := dead.warnings with data.config as document
	count(warnings) == 0
}
