package gavel.exec_test

import data.gavel.exec
import data.gavel.testing

# EXEC-1, R12 to R15. always asks in layer 3, so this layer permits.
test_modes[name] if {
	some name, c in {
		"deny, off, allowlisted": {"security": "deny", "ask": "off", "facts": testing.exec_facts, "says": "deny", "codes": {"exec.security_deny"}},
		"deny, always, allowlisted": {"security": "deny", "ask": "always", "facts": testing.exec_facts, "says": "deny", "codes": {"exec.security_deny"}},
		"deny, off, not allowlisted": {"security": "deny", "ask": "off", "facts": testing.programs(["/usr/bin/vi"]), "says": "deny", "codes": {"exec.security_deny"}},
		"allowlist, off, allowlisted": {"security": "allowlist", "ask": "off", "facts": testing.exec_facts, "says": "permit", "codes": set()},
		"allowlist, on-miss, allowlisted": {"security": "allowlist", "ask": "on-miss", "facts": testing.exec_facts, "says": "permit", "codes": set()},
		"allowlist, always, allowlisted": {"security": "allowlist", "ask": "always", "facts": testing.exec_facts, "says": "permit", "codes": set()},
		"allowlist, off, not allowlisted": {"security": "allowlist", "ask": "off", "facts": testing.programs(["/usr/bin/vi"]), "says": "deny", "codes": {"exec.allowlist_miss"}},
		"allowlist, on-miss, not allowlisted": {"security": "allowlist", "ask": "on-miss", "facts": testing.programs(["/usr/bin/vi"]), "says": "ask", "codes": {"exec.allowlist_miss"}},
		"allowlist, always, not allowlisted": {"security": "allowlist", "ask": "always", "facts": testing.programs(["/usr/bin/vi"]), "says": "ask", "codes": {"exec.allowlist_miss"}},
		"full, off, allowlisted": {"security": "full", "ask": "off", "facts": testing.exec_facts, "says": "permit", "codes": set()},
		"full, on-miss, not allowlisted": {"security": "full", "ask": "on-miss", "facts": testing.programs(["/usr/bin/vi"]), "says": "permit", "codes": set()},
	}
	testing.verdict(c.facts, testing.listing({"security": c.security, "ask": c.ask})) == {"says": c.says, "codes": c.codes}
}

test_every_segment_must_be_on_the_list[name] if {
	some name, c in {
		"all are": {"segments": [testing.segment("/usr/bin/rg"), testing.segment("/usr/bin/head")], "says": "permit", "codes": set()},
		"the first is not": {"segments": [testing.segment("/bin/vi"), testing.segment("/usr/bin/rg")], "says": "ask", "codes": {"exec.allowlist_miss"}},
		"the last is not": {"segments": [testing.segment("/usr/bin/rg"), testing.segment("/bin/vi")], "says": "ask", "codes": {"exec.allowlist_miss"}},
		"one was not found": {"segments": [testing.segment("/usr/bin/rg"), testing.lost("zz")], "says": "ask", "codes": {"exec.not_found"}},
		"one runs others": {"segments": [testing.segment("/usr/bin/env")], "says": "ask", "codes": {"exec.opaque_program"}},
		"each says why": {
			"segments": [testing.segment("/bin/vi"), testing.lost("zz"), testing.segment("/usr/bin/env")],
			"says": "ask",
			"codes": {"exec.allowlist_miss", "exec.not_found", "exec.opaque_program"},
		},
		"there are none": {"segments": [], "says": "nothing", "codes": set()},
	}
	testing.verdict(testing.execution({"segments": c.segments}), testing.listing({})) == {"says": c.says, "codes": c.codes}
}

# EXEC-6, host execution.
test_environment[name] if {
	some name, c in {
		"where programs are found": {"variable": "PATH", "says": "deny"},
		"a library to load": {"variable": "LD_PRELOAD", "says": "deny"},
		"any variable of the loader": {"variable": "LD_ANYTHING", "says": "deny"},
		"any variable of the other loader": {"variable": "DYLD_INSERT_LIBRARIES", "says": "deny"},
		"a function of the shell": {"variable": "BASH_FUNC_ls%%", "says": "deny"},
		"a file that the shell reads": {"variable": "BASH_ENV", "says": "deny"},
		"configuration of git": {"variable": "GIT_CONFIG_COUNT", "says": "deny"},
		"a proxy": {"variable": "ALL_PROXY", "says": "deny"},
		"a name with the suffix for a program": {"variable": "MY_PAGER", "says": "deny"},
		"a place that perl loads from": {"variable": "PERLLIB", "says": "deny"},
		"a helper of ssh": {"variable": "SSH_SK_HELPER", "says": "deny"},
		"a name that only begins like such a suffix": {"variable": "X_PAGERS", "says": "permit"},
		"a prefix is compared from the start": {"variable": "XLD_", "says": "permit"},
		"a harmless variable": {"variable": "NO_COLOR", "says": "permit"},
	}
	verdict := testing.verdict(testing.execution({"env": ["AAA", c.variable]}), testing.listing({}))
	verdict.says == c.says
	verdict.codes == {"exec.environment" | c.says == "deny"}
}

test_every_blocked_variable_is_denied if {
	names := object.keys(data.gavel.catalog.environment.blocked)
	deny := exec.deny with input as testing.execution({"env": [name | some name in names]})
		with data.config as testing.listing({})
	said := {split(reason.message, ": it controls which ")[0] | some reason in deny}
	said == {sprintf("the call may not set the environment variable %s", [name]) | some name in names}
}

test_environment_in_full_mode_is_checked_as_well if {
	verdict := testing.verdict(testing.execution({"env": ["LD_PRELOAD"]}), testing.listing({"security": "full"}))
	verdict.says == "deny"
}

test_an_environment_that_is_not_a_list_permits_nothing if {
	facts := object.union(testing.exec_facts, {"exec": {"env": "PATH"}})
	testing.verdict(facts, testing.listing({})).says == "nothing"
}

_understood := {"redirect", "heredoc", "substitution", "expansion", "assignment", "compound", "construct"}

# R19: an approval cannot override it, so allowlist mode denies whatever ask says.
test_refused_commands_in_allowlist_mode[name] if {
	some kind in (_understood | {"limit", "guard", "dialect", "syntax", "parameters"})
	some ask in ["off", "on-miss", "always"]
	name := sprintf("%s with ask %s", [kind, ask])
	testing.verdict(testing.refused(kind), testing.listing({"ask": ask})) == {
		"says": "deny",
		"codes": {sprintf("exec.%s", [kind])},
	}
}

test_refused_commands_in_full_mode[name] if {
	some name, kinds in {
		"a command anyway": _understood,
		"certainly not a command": {"limit", "guard", "dialect", "syntax", "parameters"},
	}
	says := {"a command anyway": "permit", "certainly not a command": "deny"}[name]
	every kind in kinds { testing.verdict(testing.refused(kind), testing.listing({"security": "full"})).says == says }
}

test_refusal_of_a_kind_that_no_rule_knows_is_denied if {
	verdict := testing.verdict(testing.refused("novel"), testing.listing({}))
	verdict == {"says": "deny", "codes": {"exec.refused"}}
}

test_refusal_without_a_kind_permits_nothing[name] if {
	some security in ["allowlist", "full"]
	some what, facts in {
		"no refusal": json.remove(testing.refused("x"), ["exec/refusal"]),
		"a kind that is not a string": testing.refused(7),
		"parsed is a string": testing.execution({"parsed": "true"}),
		"parsed is missing": json.remove(testing.exec_facts, ["exec/parsed"]),
	}
	name := sprintf("%s in %s mode", [what, security])
	not exec.permit with input as facts with data.config as testing.listing({"security": security})
}

_silent(rules) := testing.configured({"tools": {"exec": {"ask": "off", "allowlist": [], "rules": rules}}})

# With ask off a rule that asks is asked all the same, and speaks for its own program only (R42).
test_a_rule_asks_even_if_ask_is_off if {
	config := _silent([{"program": "rg", "effect": "ask"}])
	asked := exec.ask with input as testing.programs(["/usr/bin/rg"]) with data.config as config
	testing.codes(asked) == {"exec.rule_asks"}
	denied := exec.deny with input as testing.programs(["/usr/bin/rg"]) with data.config as config
	denied == set()
	exec.approvable with input as testing.programs(["/usr/bin/rg"]) with data.config as config
	other := exec.deny with input as testing.programs(["/usr/bin/vi"]) with data.config as config
	testing.codes(other) == {"exec.allowlist_miss"}
}

test_the_fallback_does_not_answer_what_a_rule_asks if {
	config := testing.configured({"tools": {"exec": {"rules": [{"program": "rg", "effect": "ask"}]}}})
	listed := exec.allowlist_permits with input as testing.programs(["/usr/bin/rg"]) with data.config as config
	listed == false
}
