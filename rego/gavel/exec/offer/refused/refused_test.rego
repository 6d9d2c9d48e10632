package gavel.exec.offer.refused_test

import data.gavel.exec.offer
import data.gavel.testing

_configured := {"tools": {"profile": "full", "exec": {"host": "gateway", "security": "allowlist", "ask": "on-miss"}}, "agents": {"defaults": {}}}

_offer(segments) := o if {
	o := offer.result with input as testing.execution({"segments": segments})
		with data.config as _configured
		with data.gavel.check.problems as set()
}

_paths(o) := [entry.pattern | some entry in o.patterns]

_codes(segments) := testing.codes(_offer(segments).refused)

test_refusals[name] if {
	some name, c in {
		"a program that does not exist": {"segment": testing.lost("zz"), "codes": {"exec.offer_not_found"}},
		"a shell that was not unwrapped": {"segment": testing.segment("/bin/bash"), "codes": {"exec.offer_opaque"}},
		"words that were not understood": {"segment": object.union(testing.segment("/usr/bin/rg"), {"opaque": "x"}), "codes": {"exec.offer_opaque"}},
		"an interpreter": {"segment": testing.segment("/usr/bin/python3"), "codes": {"exec.offer_interpreter"}},
		"an interpreter with its version": {"segment": testing.segment("/usr/bin/python3.12"), "codes": {"exec.offer_interpreter"}},
		"node with its version": {"segment": testing.segment("/usr/bin/node20"), "codes": {"exec.offer_interpreter"}},
		"a link to an interpreter": {
			"segment": object.union(testing.segment("/usr/bin/rg"), {"executable": {"realName": "gawk", "programs": ["rg", "gawk", "awk"]}}),
			"codes": {"exec.offer_interpreter"},
		},
		"find": {"segment": testing.segment("/usr/bin/find"), "codes": {"exec.offer_interpreter"}},
		"words produced at run time": {"segment": object.union(testing.segment("/usr/bin/rg"), {"dynamic": [1]}), "codes": {"exec.offer_dynamic"}},
		"words without facts": {"segment": object.union(testing.segment("/usr/bin/rg"), {"dynamic": null}), "codes": {"exec.offer_dynamic"}},
		"an argument that runs something": {"segment": testing.hazardous("/usr/bin/git", "runs", "-c"), "codes": {"exec.offer_hazard"}},
		"an unknown argument": {"segment": testing.hazardous("/usr/bin/git", "unknown", "-q"), "codes": {"exec.offer_hazard"}},
		"an argument of an unknown kind": {"segment": testing.hazardous("/usr/bin/git", "other", "-q"), "codes": {"exec.offer_hazard"}},
		"a star in the path": {"segment": testing.segment("/opt/a*b/tool"), "codes": {"exec.offer_wildcard"}},
		"a space at the end of the path": {"segment": testing.segment("/opt/tool "), "codes": {"exec.offer_wildcard"}},
	}
	_codes([c.segment]) == c.codes
}

test_a_shell_builtin_is_not_called_missing if {
	messages := {r.message | some r in _offer([testing.lost("echo")]).refused}
	messages == {"the shell carries out echo itself, so there is no program that an entry could name"}
}

test_interpreters_without_code_are_offered_where_code_always_asks if {
	strict := object.union(_configured, {"tools": {"exec": {"strictInlineEval": true}}})
	o := offer.result with input as testing.programs(["/usr/bin/find"]) with data.config as strict with data.gavel.check.problems as set()
	_paths(o) == ["/usr/bin/find"]
	code := offer.result with input as testing.execution({"segments": [testing.hazardous("/usr/bin/python3", "inline", "-c")]})
		with data.config as strict
		with data.gavel.check.problems as set()
	testing.codes(code.refused) == {"exec.offer_interpreter"}
	plain := offer.result with input as testing.execution({"segments": [testing.hazardous("/usr/bin/perl", "code", "-e")]})
		with data.config as strict
		with data.gavel.check.problems as set()
	testing.codes(plain.refused) == {"exec.offer_interpreter"}
}

test_nothing_is_offered_where_ask_is_always if {
	always := object.union(_configured, {"tools": {"exec": {"ask": "always"}}})
	o := offer.result with input as testing.exec_facts with data.config as always with data.gavel.check.problems as set()
	o.patterns == []
	testing.codes(o.refused) == {"exec.offer_always"}
}

# RT-07: a permanent answer never writes a file that runs by itself later.
test_delicate_targets_are_never_offered[target] if {
	some target in [
		"/home/u/.profile", "~/.bashrc", "/home/u/.ssh/authorized_keys", ".git/hooks/pre-commit", "/usr/local/bin/ls",
		"./.git/config", "/etc/cron.d/x", "of=/root/.bashrc", "/home/u/.config/autostart/x.desktop", "bin/ls", ".envrc",
	]
	segment := object.union(testing.hazardous("/usr/bin/cp", "writes", "TARGET"), {"argv": ["cp", "a", target]})
	o := _offer([segment])
	o.patterns == []
	o.exact == false
	"exec.offer_target" in testing.codes(o.refused)
}

test_modes_that_give_rights_away_are_never_offered[mode] if {
	some mode in ["4755", "2755", "6755", "04755", "u+s", "g+s", "ug+xs", "+s", "=s", "u=rwxs", "1777t+s"]
	o := _offer([object.union(testing.segment("/usr/bin/chmod"), {"argv": ["chmod", mode, "a"]})])
	o.patterns == []
	o.exact == false
	testing.codes(o.refused) == {"exec.offer_mode"}
}
