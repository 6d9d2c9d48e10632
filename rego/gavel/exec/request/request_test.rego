package gavel.exec.request_test

import data.gavel.exec.request
import data.gavel.testing

test_unknown_values_are_denied[name] if {
	some where in ["session", "request"]
	some key in ["security", "ask", "host"]
	some word in ["ful", "none", "-", "FULL"]
	name := sprintf("%s: %q in the %s", [key, word, where])
	settings := testing.listing({"security": "full", "ask": "off"})
	verdict := testing.verdict(_said(where, key, word), settings)
	"exec.unknown_setting" in verdict.codes
	verdict.says == "deny"
}

test_values_that_are_not_strings_are_denied[name] if {
	some name, word in {"a number": 7, "true": true, "a list": ["full"], "an object": {}}
	some where in ["session", "request"]
	verdict := testing.verdict(_said(where, "security", word), testing.listing({"security": "full", "ask": "off"}))
	"exec.unknown_setting" in verdict.codes
}

test_host_that_the_call_may_not_choose_is_denied if {
	facts := testing.execution({"request": {"host": "node"}})
	testing.verdict(facts, testing.listing({})) == {"says": "deny", "codes": {"exec.host_not_allowed"}}
}

test_node_of_the_session_is_checked_as_well if {
	facts := testing.command({"session": {"exec": {"node": "mac-2"}}})
	verdict := testing.verdict(facts, testing.listing({"host": "node", "node": "mac-1"}))
	verdict.codes == {"exec.node_not_allowed"}
}

_said("session", key, word) := testing.command({"session": {"exec": {key: word}}})

_said("request", key, word) := testing.execution({"request": {key: word}})

test_unknown_parameters_are_denied[name] if {
	some name, security in {"in allowlist mode": "allowlist", "in full mode": "full"}
	facts := testing.execution({"unknown": ["shell", "timeout"]})
	testing.verdict(facts, testing.listing({"security": security})) == {"says": "deny", "codes": {"exec.unknown_parameter"}}
}

test_a_node_has_to_be_named[name] if {
	some name, c in {
		"by nobody": {"own": {}, "facts": testing.exec_facts, "codes": {"exec.node_missing"}},
		"by the agent's binding": {"own": {"node": "mac-1"}, "facts": testing.exec_facts, "codes": set()},
		"by the call": {"own": {}, "facts": testing.execution({"request": {"node": "mac-1"}}), "codes": set()},
		"by the session": {"own": {}, "facts": testing.command({"session": {"exec": {"node": "mac-1"}}}), "codes": set()},
		"by nobody, where the call asks for a node": {
			"own": {"host": "auto"},
			"facts": testing.execution({"request": {"host": "node"}}),
			"codes": {"exec.node_missing"},
		},
	}
	settings := testing.listing(object.union({"host": "node"}, c.own))
	testing.verdict(c.facts, settings).codes == c.codes
}

# What says deny is what a person changes.
test_what_permits_commands_depends_on_who_denies_them[name] if {
	some name, c in {
		"the configuration": {"config": {"security": "deny", "host": "gateway"}, "changes": {}, "want": "set tools.exec.security to allowlist, and list the programs that the agent may run"},
		"the call": {"config": {"host": "gateway"}, "changes": {"exec": {"request": {"security": "deny"}}}, "want": "leave the parameter security out of the call"},
		"the session": {"config": {"host": "gateway"}, "changes": {"session": {"exec": {"security": "deny"}}}, "want": "set the session to another value with /exec security=allowlist"},
		"the host": {"config": {"host": "gateway"}, "changes": {"exec": {"request": {"host": "node"}}}, "want": "choose a host that tools.exec.host permits"},
	}
	found := request.deny with input as testing.command(c.changes) with data.config as {"agents": {"main": {}}, "tools": {"exec": c.config}}
	c.want in {reason.fix | some reason in found; reason.code == "exec.security_deny"}
}
